// Dense rows about their weighted means, in double: blocks that BLAS multiplies.
#pragma once

#include "rows/ahead.hpp"

namespace ridgeway {
namespace {

// x (n_rows, n_columns), the rows order (n_ordered, at least 1) of it, and share and root (n_ordered) are read. With
// z_i = (x_i - offset) * inverse, fills origin (n_columns) with z of the first row, shift with sum_i share_i (z_i -
// origin), and out (n_ordered, n_columns) with root_i (z_i - origin - shift); raises largest (n_columns) to the largest
// absolute entry of out. The second loop finds out in the cache, if the block is small. Columns do not meet, so the
// compiler may take as many at a time as a level has. Returns whether the entries are finite.
template <class T>
bool centre_rows(const T* x, i64 n_columns, const i64* order, i64 n_ordered, const double* __restrict offset,
                 const double* __restrict inverse, const double* share, const double* root, double* __restrict out,
                 double* __restrict origin, double* __restrict shift, double* __restrict largest_entry) {
    const T* first = x + order[0] * n_columns;
    for (i64 c = 0; c < n_columns; ++c) {
        origin[c] = (static_cast<double>(first[c]) - offset[c]) * inverse[c];
        shift[c] = 0;
    }
    for (i64 i = 0; i < n_ordered; ++i) {
        ask_for_row(x + order[least(i + ROWS_AHEAD, n_ordered - 1)] * n_columns, n_columns);
        const T* __restrict row = x + order[i] * n_columns;
        double* __restrict to = out + i * n_columns;
        const double part = share[i];
        for (i64 c = 0; c < n_columns; ++c) {
            const double apart = (static_cast<double>(row[c]) - offset[c]) * inverse[c] - origin[c];
            to[c] = apart;
            shift[c] += part * apart;
        }
    }
    for (i64 i = 0; i < n_ordered; ++i) {
        double* __restrict to = out + i * n_columns;
        const double factor = root[i];
        for (i64 c = 0; c < n_columns; ++c) {
            const double entry = factor * (to[c] - shift[c]);
            to[c] = entry;
            largest_entry[c] = largest(largest_entry[c], absolute(entry));
        }
    }
    bool finite = true;  // one entry that is not finite makes the sum so
    for (i64 c = 0; c < n_columns; ++c) finite = finite && is_finite(shift[c]);
    return finite;
}

}  // namespace
}  // namespace ridgeway
