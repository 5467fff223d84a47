// Sums of squares of geometric sums, for the closed form of the exact risk.
#pragma once

#include "lanes.hpp"

namespace ridgeway {
namespace {

constexpr i64 MAX_DOUBLINGS = 64;  // bits of n

// Sums by doubling n, without a difference that could cancel:
//
//     sums[k, i] = sum_{m=1..n} x_k^{n-m} h_m^2 ,  h_m = 1 + y_i + ... + y_i^{m-1}
//     powers[k, i] = sum_{m=1..n} x_k^{n-m} y_i^{2 (m-1)}
//
// x_powers (n_x, n_levels) and y_powers (n_levels, n_y) are the powers of x and y at the leading bits of n, from 1 to
// n >= 1, of which there are n_levels. sums and powers (n_x, n_y) are written.
inline void squared_sums(i64 n_x, i64 n_y, i64 n_levels, i64 n, const double* x_powers, const double* y_powers,
                         double* sums, double* powers) {
    constexpr i64 at_once = 2, width = at_once * lane_count<double>;
    const Lanes<double> one = spread(1.0);
    double of_y[MAX_DOUBLINGS * width] = {};  // the powers of some y, in whole lanes
    for (i64 first = 0; first < n_y; first += width) {
        const i64 count = least(width, n_y - first);
        for (i64 level = 0; level < n_levels; ++level) {
            for (i64 i = 0; i < count; ++i) of_y[level * width + i] = y_powers[level * n_y + first + i];
        }
        for (i64 k = 0; k < n_x; ++k) {
            const double* of_x = x_powers + k * n_levels;
            const Lanes<double> x = spread(of_x[0]);
            Lanes<double> h[at_once], cross[at_once], sum[at_once], power[at_once], y2[at_once];
            for (i64 b = 0; b < at_once; ++b) {
                h[b] = sum[b] = power[b] = one;
                cross[b] = load(of_y + b * lane_count<double>);
                y2[b] = cross[b] * cross[b];
            }
            for (i64 level = 1; level < n_levels; ++level) {
                const Lanes<double> big = spread(of_x[level - 1]);
                const bool odd = (n >> (n_levels - 1 - level)) & 1;
                for (i64 b = 0; b < at_once; ++b) {
                    const double* at = of_y + level * width + b * lane_count<double>;
                    const Lanes<double> small = load(at - width), square = small * small;
                    const Lanes<double> tail = h[b] * y2[b] * power[b];
                    Lanes<double> root = h[b] * (one + small);
                    Lanes<double> e = (one + big) * sum[b] + h[b] * (cross[b] + cross[b] + tail);
                    Lanes<double> f = (big + small) * cross[b] + small * tail;
                    Lanes<double> q = (big + square) * power[b];
                    if (odd) {
                        root = one + load(of_y + b * lane_count<double>) * root;
                        e = x * e + root * root;
                        f = x * f + load(at) * root;
                        q = x * q + square * square;
                    }
                    h[b] = root, cross[b] = f, sum[b] = e, power[b] = q;
                }
            }
            double all_sums[width], all_powers[width];
            for (i64 b = 0; b < at_once; ++b) {
                store<double>(all_sums + b * lane_count<double>, sum[b]);
                store<double>(all_powers + b * lane_count<double>, power[b]);
            }
            for (i64 i = 0; i < count; ++i) {
                sums[k * n_y + first + i] = all_sums[i];
                powers[k * n_y + first + i] = all_powers[i];
            }
        }
    }
}

}  // namespace
}  // namespace ridgeway
