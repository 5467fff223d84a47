// Sums of the columns of dense rows.
#pragma once

#include "rows/ahead.hpp"

namespace ridgeway {
namespace {

// So many rows are summed in their own precision, which keeps to the speed of memory.
constexpr i64 ROWS_IN_OWN_PRECISION = 32;

template <class T>
struct Deviations {
    const T *origin, *gauge;  // of whole lanes, 0 beyond the columns
    T *sums, *squares;        // of whole lanes

    // Adds the rows whose lanes these are, in their order, at column c.
    template <int N>
    void add(const Lanes<T> (&rows)[N], const T (&weight)[N], i64 c) const {
        const Lanes<T> from = load(origin + c), factor = load(gauge + c);
        Lanes<T> sum = load(sums + c), square = load(squares + c);
        for (int r = 0; r < N; ++r) {
            const Lanes<T> deviation = (rows[r] - from) * factor;
            const Lanes<T> weighted = spread(weight[r]) * deviation;
            sum += weighted;
            square += weighted * deviation;
        }
        store(sums + c, sum);
        store(squares + c, square);
    }
};

template <int N, class T>
inline void add_rows(const T* x, i64 n_columns, const Columns<T>& columns, i64 ahead,
                     const double* weight, const Deviations<T>& to) {
    T weights[N];
    Lanes<T> rows[N];
    for (int r = 0; r < N; ++r) weights[r] = static_cast<T>(weight[r]);
    for (i64 c = 0; c < columns.whole; c += lane_count<T>) {
        for (int r = 0; r < N; ++r) {
            ask_second_level(x + r * n_columns + c + ahead);
            rows[r] = load(x + r * n_columns + c);
        }
        to.add(rows, weights, c);
    }
    if (columns.rest > 0) {
        for (int r = 0; r < N; ++r) rows[r] = columns.last(x + r * n_columns);
        to.add(rows, weights, columns.whole);
    }
}

// Adds sum_i weight_i u_i and sum_i weight_i u_i^2 to sums and squares (n_columns), for u_i = (x_i - origin) * gauge. x
// (n_rows, n_columns) and weight (n_rows) are read; origin and gauge have whole lanes, 0 beyond the columns; scratch
// has twice as many numbers, all 0, and is 0 again in the end. The gauge keeps squares within the rows' precision.
template <class T>
void column_sums(const T* x, i64 n_rows, i64 n_columns, const double* weight, const T* origin, const T* gauge,
                 T* scratch, double* sums, double* squares) {
    const Columns<T> columns(x, n_rows, n_columns);
    T* some_squares = scratch + columns.whole + (columns.rest > 0 ? lane_count<T> : 0);
    const i64 ahead = numbers_ahead<T>(4 * n_columns);
    const Deviations<T> some{origin, gauge, scratch, some_squares};
    for (i64 first = 0; first < n_rows; first += ROWS_IN_OWN_PRECISION) {
        const i64 end = least(first + ROWS_IN_OWN_PRECISION, n_rows);
        i64 i = first;
        for (; i + 4 <= end; i += 4) add_rows<4>(x + i * n_columns, n_columns, columns, ahead, weight + i, some);
        for (; i < end; ++i) add_rows<1>(x + i * n_columns, n_columns, columns, ahead, weight + i, some);
        for (i64 c = 0; c < n_columns; ++c) {
            sums[c] += scratch[c];
            squares[c] += some_squares[c];
            scratch[c] = some_squares[c] = 0;
        }
    }
}

inline Lanes<double> in_double(const double* from) { return load(from); }
inline Lanes<double> in_double(const float* from) { return widened(from); }

// Adds weight_i x_i to sums (n_columns), row after row, in double: splitting the rows otherwise gives the same bits.
// Four rows are taken at a time, so that the sums are read and written a quarter as often.
template <class T>
void weighted_sum(const T* x, i64 n_rows, i64 n_columns, const double* weight, double* sums) {
    constexpr i64 LANE = lane_count<double>, LINE = CACHE_LINE_BYTES / static_cast<i64>(sizeof(T));
    const i64 ahead = numbers_ahead<T>(4 * n_columns);
    i64 i = 0;
    for (; i + 4 <= n_rows; i += 4) {
        const T *a = x + i * n_columns, *b = a + n_columns, *c = b + n_columns, *d = c + n_columns;
        const double wa = weight[i], wb = weight[i + 1], wc = weight[i + 2], wd = weight[i + 3];
        const Lanes<double> va = spread(wa), vb = spread(wb), vc = spread(wc), vd = spread(wd);
        const auto add = [&](i64 j) {
            const Lanes<double> sum = load(sums + j) + va * in_double(a + j) + vb * in_double(b + j);
            store(sums + j, sum + vc * in_double(c + j) + vd * in_double(d + j));
        };
        i64 j = 0;
        for (; j + LINE <= n_columns; j += LINE) {
            for (int r = 0; r < 4; ++r) ask_second_level(a + r * n_columns + j + ahead);
            for (i64 k = j; k < j + LINE; k += LANE) add(k);
        }
        for (int r = 1; r <= 4; ++r) ask_second_level(a + r * n_columns - 1 + ahead);
        for (; j + LANE <= n_columns; j += LANE) add(j);
        for (; j < n_columns; ++j) sums[j] = sums[j] + wa * a[j] + wb * b[j] + wc * c[j] + wd * d[j];
    }
    for (; i < n_rows; ++i) {
        const T* row = x + i * n_columns;
        for (i64 j = 0; j < n_columns; ++j) sums[j] += weight[i] * row[j];
    }
}

}  // namespace
}  // namespace ridgeway
