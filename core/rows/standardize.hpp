// Dense rows, standardized and copied in any order.
#pragma once

#include "rows/norms.hpp"

namespace ridgeway {
namespace {

// x (n_rows, n_columns) and order (n_ordered) are read. out (n_ordered, n_out) is filled with (x - offset -
// offset_rest) * inverse, and with constant in the columns beyond n_columns. offset, offset_rest and inverse have whole
// lanes, 0 beyond the columns. Returns whether every number is finite. Rows are asked for ahead: from a random order of
// 64 MB, rows of 100 columns then take 50 ns instead of 87.
template <class T>
bool standardize_rows(const T* x, i64 n_rows, i64 n_columns, const i64* order, i64 n_ordered, const T* offset,
                      const T* offset_rest, const T* inverse, T constant, T* out, i64 n_out) {
    const Columns<T> columns(x, n_rows, n_columns);
    const T* out_end = out + n_ordered * n_out;
    const Lanes<T> zeros{};
    Lanes<T> faults{};  // 0 * value is 0, unless the value is not finite
    for (i64 i = 0; i < n_ordered; ++i) {
        ask_for_row(x + order[least(i + ROWS_AHEAD, n_ordered - 1)] * n_columns, n_columns);
        const T* row = x + order[i] * n_columns;
        T* to = out + i * n_out;
        const auto standardized = [&](Lanes<T> entries, i64 c) {
            const Lanes<T> value = (entries - load(offset + c) - load(offset_rest + c)) * load(inverse + c);
            faults += zeros * value;
            return value;
        };
        for (i64 c = 0; c < columns.whole; c += lane_count<T>) store(to + c, standardized(load(row + c), c));
        if (columns.rest > 0) {
            const Lanes<T> value = standardized(columns.last(row), columns.whole);
            T* last = to + columns.whole;
            if (out_end - last >= lane_count<T>) {
                store(last, value);  // what goes beyond the row is written again in its turn
            } else {
                std::memcpy(last, &value, static_cast<std::size_t>(columns.rest) * sizeof(T));
            }
        }
        for (i64 c = n_columns; c < n_out; ++c) to[c] = constant;
    }
    return is_finite(lane_sum(faults));
}

}  // namespace
}  // namespace ridgeway
