// Weighted sums of rows. Each sum adds one row after the other, so batches of any sizes give the same bits.
#pragma once

#include "lanes.hpp"
#include "trajectory/table.hpp"

namespace ridgeway {
namespace {

inline Lanes<double> wide_lanes(const float* from) { return widened(from); }
inline Lanes<double> wide_lanes(const double* from) { return load(from); }

// sums (n_columns) adds gains[0] x_0, then gains[1] x_1, .. of count consecutive rows.
template <i64 count, class T>
inline void add_weighted_rows(const T* x, i64 n_columns, const double* gains, double* sums) {
    const i64 whole = n_columns - n_columns % lane_count<double>;
    i64 start = 0;
    for (; count == 1 && start + 2 * lane_count<double> <= n_columns; start += 2 * lane_count<double>) {
        const Lanes<double> one = spread(gains[0]) * wide_lanes(x + start);
        const Lanes<double> two = spread(gains[0]) * wide_lanes(x + start + lane_count<double>);
        store<double>(sums + start, load(sums + start) + one);
        store<double>(sums + start + lane_count<double>, load(sums + start + lane_count<double>) + two);
    }
    for (i64 c = start; c < whole; c += lane_count<double>) {
        Lanes<double> sum = load(sums + c);
        for (i64 i = 0; i < count; ++i) sum += spread(gains[i]) * wide_lanes(x + i * n_columns + c);
        store<double>(sums + c, sum);
    }
    for (i64 c = whole; c < n_columns; ++c) {
        double sum = sums[c];
        for (i64 i = 0; i < count; ++i) sum += gains[i] * static_cast<double>(x[i * n_columns + c]);
        sums[c] = sum;
    }
}

// All sums add `count` consecutive rows of x; their gains and factors begin where x does.
template <i64 count, class T, class Gain>
inline void add_rows_to_all(const T* x, i64 n_columns, const Gain* gains, i64 n_targets, const double* factors,
                            i64 n_sums, double* sums) {
    for (i64 s = 0; s < n_sums; ++s) {
        for (i64 q = 0; q < n_targets; ++q, sums += n_columns) {
            double gain[count];
            for (i64 i = 0; i < count; ++i) {
                gain[i] = factors[i * n_sums + s] * static_cast<double>(gains[i * n_targets + q]);
            }
            add_weighted_rows<count>(x, n_columns, gain, sums);
        }
    }
}

// Prefetches what comes 64 KB after some rows.
template <class T>
inline void ask_ahead(const T* rows, i64 size, const T* end) {
    constexpr i64 bytes_ahead = 1 << 16;
    const char* first = reinterpret_cast<const char*>(rows) + bytes_ahead;
    const i64 bytes = least(size * static_cast<i64>(sizeof(T)), reinterpret_cast<const char*>(end) - first);
    for (i64 at = 0; at < bytes; at += CACHE_LINE_BYTES) ask_second_level(first + at);
}

// sums (n_sums, n_targets, n_columns) adds factors[i, s] gains[i, q] x_i of every row of x (n_rows, n_columns), for gains
// (n_rows, n_targets) and factors (n_rows, n_sums). scratch is (ROWS_AT_ONCE, n_columns): rows that many sums add are
// converted to double once, and a sum is read and written once for all of them. Few sums are
// limited by memory, which is read in its order.
template <class T>
void add_dense_rows(const T* x, i64 n_rows, i64 n_columns, const T* gains, i64 n_targets, const double* factors,
                    i64 n_sums, double* scratch, double* sums) {
    constexpr i64 few_sums = 2, short_row_bytes = 512;
    const T* end = x + n_rows * n_columns;
    i64 i = 0;
    for (; n_sums * n_targets > few_sums && i + ROWS_AT_ONCE <= n_rows; i += ROWS_AT_ONCE) {
        const T* rows = x + i * n_columns;
        ask_ahead(rows, ROWS_AT_ONCE * n_columns, end);
        for (i64 c = 0; c < ROWS_AT_ONCE * n_columns; ++c) scratch[c] = static_cast<double>(rows[c]);
        add_rows_to_all<ROWS_AT_ONCE>(scratch, n_columns, gains + i * n_targets, n_targets, factors + i * n_sums, n_sums,
                                      sums);
    }
    const bool short_rows = n_columns * static_cast<i64>(sizeof(T)) <= short_row_bytes;
    for (; short_rows && i + 2 <= n_rows; i += 2) {
        ask_ahead(x + i * n_columns, 2 * n_columns, end);
        add_rows_to_all<2>(x + i * n_columns, n_columns, gains + i * n_targets, n_targets, factors + i * n_sums, n_sums,
                           sums);
    }
    for (; i < n_rows; ++i) {
        add_rows_to_all<1>(x + i * n_columns, n_columns, gains + i * n_targets, n_targets, factors + i * n_sums, n_sums,
                           sums);
    }
}

// sums (n_columns, n_targets, n_sums) adds factors[i, s] gains[i, q] x_ic of every entry of n_rows CSR rows, for gains
// (n_rows, n_targets) and factors (n_rows, n_sums). scratch is (n_sums).
template <class T, class Index, class Sum>
void add_csr_rows(const T* data, const Index* indices, const i64* indptr, i64 n_rows, const T* gains, i64 n_targets,
                  const double* factors, i64 n_sums, Sum* scratch, Sum* sums) {
    constexpr i64 ahead = 8;  // the sums of this many entries are prefetched
    const i64 end = indptr[n_rows];
    for (i64 i = 0; i < n_rows; ++i) {
        for (i64 q = 0; q < n_targets; ++q) {
            for (i64 s = 0; s < n_sums; ++s) {
                scratch[s] = static_cast<Sum>(factors[i * n_sums + s] * static_cast<double>(gains[i * n_targets + q]));
            }
            for (i64 e = indptr[i]; e < indptr[i + 1]; ++e) {
                if (e + ahead < end) {
                    ask_first_level(sums + (static_cast<i64>(indices[e + ahead]) * n_targets + q) * n_sums);
                }
                Sum* sum = sums + (static_cast<i64>(indices[e]) * n_targets + q) * n_sums;
                const Sum value = static_cast<Sum>(data[e]);
                for (i64 s = 0; s < n_sums; ++s) sum[s] += scratch[s] * value;
            }
        }
    }
}

// sums (count lanes) adds part @ mix for part (n_parts) and as many lanes of the rows of mix, which are n_sums apart.
template <i64 count, class T>
inline void add_mixed_lanes(const T* part, i64 n_parts, const T* mix, i64 n_sums, T* sums) {
    Lanes<T> sum[count];
    for (i64 b = 0; b < count; ++b) sum[b] = load(sums + b * lane_count<T>);
    for (i64 p = 0; p < n_parts; ++p) {
        const Lanes<T> value = spread(part[p]);
        for (i64 b = 0; b < count; ++b) sum[b] += value * load(mix + p * n_sums + b * lane_count<T>);
    }
    for (i64 b = 0; b < count; ++b) store<T>(sums + b * lane_count<T>, sum[b]);
}

// sums (n_rows, n_sums) adds part @ mix for part (n_rows, n_parts) and mix (n_parts, n_sums), which is finite: rows of 0
// are left out.
template <class T>
void add_mixed(const T* part, const T* mix, i64 n_rows, i64 n_parts, i64 n_sums, T* sums) {
    constexpr i64 at_once = 4;  // lanes that do not wait for each other
    for (i64 row = 0; row < n_rows; ++row, part += n_parts, sums += n_sums) {
        bool any = false;
        for (i64 p = 0; p < n_parts; ++p) any = any || part[p] != 0;
        if (!any) continue;
        i64 k = 0;
        for (; k + at_once * lane_count<T> <= n_sums; k += at_once * lane_count<T>) {
            add_mixed_lanes<at_once>(part, n_parts, mix + k, n_sums, sums + k);
        }
        for (; k + lane_count<T> <= n_sums; k += lane_count<T>) {
            add_mixed_lanes<1>(part, n_parts, mix + k, n_sums, sums + k);
        }
        for (; k < n_sums; ++k) {
            T sum = sums[k];
            for (i64 p = 0; p < n_parts; ++p) sum += part[p] * mix[p * n_sums + k];
            sums[k] = sum;
        }
    }
}

}  // namespace
}  // namespace ridgeway
