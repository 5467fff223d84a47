// Chebyshev series of any survival functions: their coefficients into the columns of blocks, and their errors.
#pragma once

#include <limits>

#include "numbers.hpp"

namespace ridgeway {
namespace {

// series (n_averages, n_blocks, n_nodes) has n_moments coefficients that are kept, in the columns of
// coefficients (n_averages, n_columns) from first_columns (n_blocks) on. errors (n_averages) is filled with the largest
// over the blocks of the sum of shares (n_blocks, n_moments) times their sizes plus the sizes of the others; infinity
// where a coefficient is no number.
inline void series_into_columns(const double* series, i64 n_averages, i64 n_blocks, i64 n_nodes, const double* shares,
                                i64 n_moments, const i64* first_columns, i64 n_columns, double* coefficients, double* errors) {
    for (i64 average = 0; average < n_averages; ++average, coefficients += n_columns) {
        double most = 0.0;
        for (i64 b = 0; b < n_blocks; ++b, series += n_nodes) {
            double* to = coefficients + first_columns[b];
            const double* share = shares + b * n_moments;
            double error = 0.0, left_out = 0.0;
            for (i64 k = 0; k < n_moments; ++k) {
                to[k] = series[k];
                error += share[k] * absolute(series[k]);
            }
            for (i64 k = n_moments; k < n_nodes; ++k) left_out += absolute(series[k]);
            error += left_out;
            if (!(error <= most)) most = error == error ? error : std::numeric_limits<double>::infinity();
        }
        errors[average] = most;
    }
}

}  // namespace
}  // namespace ridgeway
