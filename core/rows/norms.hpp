// Squared norms of dense rows.
#pragma once

#include "lanes.hpp"

namespace ridgeway {
namespace {

constexpr i64 ROWS_AHEAD = 8;  // rows that are read in any order are asked of memory so many before their turn

template <class T>
inline void ask_for_row(const T* row, i64 n_columns) {
    const char* address = reinterpret_cast<const char*>(row);
    for (i64 at = 0; at < n_columns * static_cast<i64>(sizeof(T)); at += CACHE_LINE_BYTES) {
        ask_second_level(address + at);
    }
}

template <class T>
inline T squared_norm(const T* row, const Columns<T>& columns) {
    Lanes<T> total{};
    for (i64 c = 0; c < columns.whole; c += lane_count<T>) {
        const Lanes<T> x = load(row + c);
        total += x * x;
    }
    if (columns.rest > 0) {
        const Lanes<T> x = columns.last(row);
        total += x * x;
    }
    return lane_sum(total);
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

}  // namespace
}  // namespace ridgeway
