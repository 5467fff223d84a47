// SGD on the ridge objective.
#pragma once

#include "lanes.hpp"

namespace ridgeway {
namespace {

// iterates (n_rows + 1, n_columns) is filled from its first row on, with one step for each row of x (n_rows, n_columns):
//
//     w_t = w_{t-1} + step ((y_t - <x_t, w_{t-1}>) x_t - alpha (w_{t-1} - centre))
inline void regularised_steps(const double* x, const double* y, i64 n_rows, i64 n_columns, double alpha, double step,
                              const double* centre, double* iterates) {
    constexpr i64 lanes = lane_count<double>;
    const i64 in_lanes = n_columns - n_columns % (2 * lanes);
    for (i64 t = 0; t < n_rows; ++t) {
        const double* row = x + t * n_columns;
        const double* w = iterates + t * n_columns;
        double* next = iterates + (t + 1) * n_columns;
        Lanes<double> even{}, odd{};
        for (i64 c = 0; c < in_lanes; c += 2 * lanes) {
            even += load(row + c) * load(w + c);
            odd += load(row + c + lanes) * load(w + c + lanes);
        }
        double product = lane_sum(even + odd);
        for (i64 c = in_lanes; c < n_columns; ++c) product += row[c] * w[c];
        const double residual = y[t] - product;
        for (i64 c = 0; c < n_columns; ++c) {
            next[c] = w[c] + step * (residual * row[c] - alpha * (w[c] - centre[c]));
        }
    }
}

}  // namespace
}  // namespace ridgeway
