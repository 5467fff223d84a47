// Survival functions of geometric averages as Chebyshev series on the blocks of a layout.
#pragma once

#include <cmath>

#include "lanes.hpp"
#include "trajectory/table.hpp"

namespace ridgeway {
namespace {

// The exponential of minus this is nothing beside 1, nor beside the first steps' shares.
constexpr double NOTHING_LEFT = 60.0;

// series (padded(n_nodes)) is filled with the coefficients of e^(power (1 + x)), or of it less 1.
inline void exponential_series(double power, bool less_one, const ChebyshevNodes& chebyshev, double* series) {
    const i64 width = padded(chebyshev.n_nodes);
    for (i64 k = 0; k < width; ++k) series[k] = 0.0;
    for (i64 node = 0; node < chebyshev.n_nodes; ++node) {
        const double place = power * (1 + chebyshev.nodes[node]);
        const Lanes<double> value = spread(less_one ? std::expm1(place) : std::exp(place));
        const double* row = chebyshev.transform + node * width;
        for (i64 k = 0; k < width; k += lane_count<double>) {
            store<double>(series + k, load(series + k) + value * load(row + k));
        }
    }
}

// The sum of shares times sizes, both (padded).
inline double weighted_sizes(const double* shares, const double* sizes, i64 n_moments) {
    Lanes<double> sum{};
    for (i64 k = 0; k < n_moments; k += lane_count<double>) sum += load(shares + k) * load(sizes + k);
    return lane_sum(sum);
}

// coefficients (n_averages, n_columns) and errors (n_averages) are filled. On a block from step a to a + 2h,
// S(a + h (1 + x)) is front * f(x) + base, where f(x) is e^(-g h (1 + x)), or less 1 where the average is nearly uniform
// and differences of powers would cancel. Totals count as `flat` at least. scratch is twice padded(n_nodes).
inline void fill_ridge_series(const GrowthSums& sums, const SeriesBlocks& blocks, const ChebyshevNodes& chebyshev,
                              double flat, i64 n_columns, double* scratch, double* coefficients, double* errors) {
    const i64 n_raw = sums.n_marks - blocks.n_blocks, m = blocks.n_moments;
    double *series = scratch, *sizes = scratch + padded(chebyshev.n_nodes);  // sizes: of the coefficients but the first
    for (i64 average = 0; average < sums.n_averages; ++average, coefficients += n_columns) {
        const double* past = sums.past + average * sums.n_marks;
        const double* left = sums.left + average * sums.n_marks;
        const double* growth = sums.growth + average * sums.n_stairs;
        const double total = largest(sums.total[average], flat);
        const bool nearly_uniform = total < 1;
        const double last = std::exp(-total), whole = -std::expm1(-total);
        for (i64 i = 0; i < n_raw; ++i) {
            double value = std::exp(-past[i]);
            value = nearly_uniform ? -value * std::expm1(-left[i]) : value - last;
            coefficients[blocks.raw_columns[i]] = left[i] > 0 ? value / whole : 0.0;
        }
        double left_out = 0.0, error = 0.0;
        for (i64 b = 0; b < blocks.n_blocks; ++b) {
            double* to = coefficients + blocks.first_columns[b];
            const double gone = past[n_raw + b];
            if (gone > NOTHING_LEFT) {
                for (i64 k = 0; k < m; ++k) to[k] = 0.0;
                continue;
            }
            if (b == 0 || blocks.halves[b] != blocks.halves[b - 1] || blocks.stair[b] != blocks.stair[b - 1]) {
                exponential_series(-growth[blocks.stair[b]] * blocks.halves[b], nearly_uniform, chebyshev, series);
                left_out = 0.0;
                for (i64 k = m; k < chebyshev.n_nodes; ++k) left_out += absolute(series[k]);
                for (i64 k = 0; k < padded(m); ++k) sizes[k] = 0 < k && k < m ? absolute(series[k]) : 0.0;
            }
            const double front = std::exp(-gone) / whole;
            const double base = (nearly_uniform ? last * std::expm1(left[n_raw + b]) : -last) / whole;
            const double* shares = blocks.shares + b * padded(m);
            for (i64 k = 0; k < m; ++k) to[k] = front * series[k];
            to[0] += base;
            error = largest(error, front * (left_out + weighted_sizes(shares, sizes, m)) + shares[0] * absolute(to[0]));
        }
        errors[average] = error;
    }
}

}  // namespace
}  // namespace ridgeway
