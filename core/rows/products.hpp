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

// Fills the products of R rows with N directions in R places. ahead: prefetch so many numbers ahead, unless 0.
template <int N, int R, class T>
inline void products_of_some(const T* const (&rows)[R], const Columns<T>& columns, i64 ahead, const T* directions,
                             i64 stride, T* const (&out)[R]) {
    Lanes<T> totals[R][(N + 3) / 4 * 4] = {};
    for (i64 c = 0; c < columns.whole; c += lane_count<T>) {
        Lanes<T> entries[R];
        RIDGEWAY_UNROLL
        for (int r = 0; r < R; ++r) {
            if (ahead > 0) ask_second_level(rows[r] + c + ahead);
            entries[r] = load(rows[r] + c);
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
            const Lanes<T> entries = columns.last(rows[r]);
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
            for (int q = k; q < N && q < k + 4; ++q) out[r][q] = sums[q - k];
        }
    }
}

// The same for any number of directions up to DIRECTIONS_AT_ONCE.
template <int R, class T>
inline void products_of_few(i64 n_directions, const T* const (&rows)[R], const Columns<T>& columns, i64 ahead,
                            const T* directions, i64 stride, T* const (&out)[R]) {
    switch (n_directions) {
        case 1: return products_of_some<1, R, T>(rows, columns, ahead, directions, stride, out);
        case 2: return products_of_some<2, R, T>(rows, columns, ahead, directions, stride, out);
        case 3: return products_of_some<3, R, T>(rows, columns, ahead, directions, stride, out);
        case 4: return products_of_some<4, R, T>(rows, columns, ahead, directions, stride, out);
        case 5: return products_of_some<5, R, T>(rows, columns, ahead, directions, stride, out);
        default: return products_of_some<6, R, T>(rows, columns, ahead, directions, stride, out);
    }
}

// out (n_rows, 2 + n_directions) is filled with 1, y and the products of x (n_rows, n_columns) with directions
// (n_directions, stride), which are 0 from n_columns to stride, the next multiple of a lane's count. y (n_rows).
template <class T>
void row_products(const T* x, i64 n_rows, i64 n_columns, const T* y, const T* directions, i64 n_directions, i64 stride,
                  T* out) {
    const Columns<T> columns(x, n_rows, n_columns);
    const i64 n_out = 2 + n_directions, ahead = numbers_ahead<T>(2 * n_columns);
    for (i64 first = 0; first < n_rows; first += ROWS_IN_CACHE) {
        const i64 count = least(n_rows - first, ROWS_IN_CACHE);
        T* some = out + first * n_out;
        for (i64 i = 0; i < count; ++i) {
            some[i * n_out] = 1;
            some[i * n_out + 1] = y[first + i];
        }
        for (i64 k = 0; k < n_directions; k += DIRECTIONS_AT_ONCE) {
            const i64 n = least<i64>(n_directions - k, DIRECTIONS_AT_ONCE);
            const T* some_directions = directions + k * stride;
            i64 i = 0;
            for (; i + 2 <= count; i += 2) {
                const T* row = x + (first + i) * n_columns;
                T* to = some + i * n_out + 2 + k;
                products_of_few<2, T>(n, {row, row + n_columns}, columns, ahead, some_directions, stride,
                                      {to, to + n_out});
            }
            if (i < count) {
                products_of_few<1, T>(n, {x + (first + i) * n_columns}, columns, ahead, some_directions, stride,
                                      {some + i * n_out + 2 + k});
            }
        }
    }
}

}  // namespace
}  // namespace ridgeway
