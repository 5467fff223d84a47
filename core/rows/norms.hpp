// Squared norms of rows, dense and CSR.
#pragma once

#include "rows/ahead.hpp"

namespace ridgeway {
namespace {

template <class T>
inline T squared_norm(const T* row, const Columns<T>& columns) {
    Lanes<T> total{}, other{};  // two partial sums hide the latency of addition
    i64 c = 0;
    for (; c + lane_count<T> < columns.whole; c += 2 * lane_count<T>) {
        const Lanes<T> x = load(row + c), next = load(row + c + lane_count<T>);
        total += x * x;
        other += next * next;
    }
    if (c < columns.whole) {
        const Lanes<T> x = load(row + c);
        total += x * x;
    }
    if (columns.rest > 0) {
        const Lanes<T> x = columns.last(row);
        other += x * x;
    }
    return lane_sum(total + other);
}

// x (n_rows, n_columns) is read; norms (n_rows) is filled with |x_i|^2.
template <class T>
void squared_norms(const T* x, i64 n_rows, i64 n_columns, T* norms) {
    const Columns<T> columns(x, n_rows, n_columns);
    for (i64 i = 0; i < n_rows; ++i) {
        norms[i] = squared_norm(x + i * n_columns, columns);
    }
}

// The same for the rows of order (n_ordered); norms (n_ordered) is filled.
template <class T>
void squared_norms_of(const T* x, i64 n_rows, i64 n_columns, const i64* order, i64 n_ordered, T* norms) {
    const Columns<T> columns(x, n_rows, n_columns);
    for (i64 i = 0; i < n_ordered; ++i) {
        ask_for_row(x + order[least(i + ROWS_AHEAD, n_ordered - 1)] * n_columns, n_columns);
        norms[i] = squared_norm(x + order[i] * n_columns, columns);
    }
}

// data (n_entries) and indptr (n_rows + 1) are those of a CSR matrix; norms (n_rows) is filled.
template <class T>
void csr_squared_norms(const T* data, i64 n_entries, const i64* indptr, i64 n_rows, T* norms) {
    for (i64 i = 0; i < n_rows; ++i) {
        const T* row = data + indptr[i];
        Columns<T> columns(row, 1, indptr[i + 1] - indptr[i]);
        columns.end = data + n_entries;
        norms[i] = squared_norm(row, columns);
    }
}

}  // namespace
}  // namespace ridgeway
