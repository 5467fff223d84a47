// Products of dense rows with a few directions. BLAS would read the rows twice as slowly for so few: it packs them
// first.
#pragma once

#include "rows/ahead.hpp"

// Loops of known length whose sums are to stay in registers.
#if defined(__GNUC__)
#define RIDGEWAY_UNROLL _Pragma("GCC unroll 8")
#else
#define RIDGEWAY_UNROLL
#endif

namespace ridgeway {
namespace {

constexpr int DIRECTIONS_AT_ONCE = 6;  // their sums for two rows fit into sixteen registers

constexpr i64 ROWS_IN_CACHE = 32;      // so many are multiplied by some directions before the next ones come

// Fills the products of R rows with N directions in out (R, n_out).
template <int N, int R, class T>
inline void products_of_some(const T* x, i64 n_columns, const Columns<T>& columns, i64 ahead, const T* directions,
                             i64 stride, T* out, i64 n_out) {
    Lanes<T> totals[R][(N + 3) / 4 * 4] = {};
    for (i64 c = 0; c < columns.whole; c += lane_count<T>) {
        Lanes<T> entries[R];
        RIDGEWAY_UNROLL
        for (int r = 0; r < R; ++r) {
            ask_second_level(x + r * n_columns + c + ahead);
            entries[r] = load(x + r * n_columns + c);
        }
        RIDGEWAY_UNROLL
        for (int k = 0; k < N; ++k) {
            const Lanes<T> direction = load(directions + k * stride + c);
            RIDGEWAY_UNROLL
            for (int r = 0; r < R; ++r) totals[r][k] += entries[r] * direction;
        }
    }
    if (columns.rest > 0) {
        RIDGEWAY_UNROLL
        for (int r = 0; r < R; ++r) {
            const Lanes<T> entries = columns.last(x + r * n_columns);
            RIDGEWAY_UNROLL
            for (int k = 0; k < N; ++k) totals[r][k] += entries * load(directions + k * stride + columns.whole);
        }
    }
    RIDGEWAY_UNROLL
    for (int r = 0; r < R; ++r) {
        RIDGEWAY_UNROLL
        for (int k = 0; k < N; k += 4) {
            T sums[4];
            lane_sums(totals[r][k], totals[r][k + 1], totals[r][k + 2], totals[r][k + 3], sums);
            for (int q = k; q < N && q < k + 4; ++q) out[r * n_out + q] = sums[q - k];
        }
    }
}

template <int N, class T>
void products_of_rows(const T* x, i64 n_rows, i64 n_columns, const Columns<T>& columns, const T* directions, i64 stride,
                      T* out, i64 n_out) {
    const i64 ahead = numbers_ahead<T>(2 * n_columns);
    i64 i = 0;
    for (; i + 2 <= n_rows; i += 2, x += 2 * n_columns, out += 2 * n_out) {
        products_of_some<N, 2>(x, n_columns, columns, ahead, directions, stride, out, n_out);
    }
    if (i < n_rows) products_of_some<N, 1>(x, n_columns, columns, ahead, directions, stride, out, n_out);
}

// out (n_rows, 2 + n_directions) is filled with 1, y and the products of x (n_rows, n_columns) with directions
// (n_directions, stride), which are 0 from n_columns to stride, the next multiple of a lane's count. y (n_rows).
template <class T>
void row_products(const T* x, i64 n_rows, i64 n_columns, const T* y, const T* directions, i64 n_directions, i64 stride,
                  T* out) {
    constexpr decltype(&products_of_rows<1, T>) by_count[] = {
        products_of_rows<1, T>, products_of_rows<2, T>, products_of_rows<3, T>,
        products_of_rows<4, T>, products_of_rows<5, T>, products_of_rows<6, T>};
    const Columns<T> columns(x, n_rows, n_columns);
    const i64 n_out = 2 + n_directions;
    for (i64 first = 0; first < n_rows; first += ROWS_IN_CACHE) {
        const i64 count = least(n_rows - first, ROWS_IN_CACHE);
        T* some = out + first * n_out;
        for (i64 i = 0; i < count; ++i) {
            some[i * n_out] = 1;
            some[i * n_out + 1] = y[first + i];
        }
        for (i64 k = 0; k < n_directions; k += DIRECTIONS_AT_ONCE) {
            by_count[least<i64>(n_directions - k, DIRECTIONS_AT_ONCE) - 1](
                x + first * n_columns, count, n_columns, columns, directions + k * stride, stride, some + 2 + k, n_out);
        }
    }
}

}  // namespace
}  // namespace ridgeway
