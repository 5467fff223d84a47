// Moments and scales of targets. They are few beside the rows, so these loops are compiled once.
#pragma once

#include "numbers.hpp"

namespace ridgeway {
namespace {

// Sum of value(i) over i < n, in eight independent partial sums, which hide the latency of addition.
template <class Value>
double sum_in_turns(i64 n, Value value) {
    double sums[8] = {};
    i64 i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 8; ++k) sums[k] += value(i + k);
    }
    for (; i < n; ++i) sums[i % 8] += value(i);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

struct OneByOne {  // the stride of a single target, known when this is compiled
    constexpr operator i64() const { return 1; }
};

template <class T, class Weight, class Stride>
void moments_of_target(const T* y, i64 n_rows, Stride stride, const Weight* weight, double total, double* mean,
                       double* spread) {
    const double first = y[0];
    const double sum = sum_in_turns(n_rows, [=](i64 i) { return weight[i] * (y[i * stride] - first); });
    const double centre = *mean = first + sum / total;
    *spread = sum_in_turns(n_rows, [=](i64 i) {
        const double deviation = y[i * stride] - centre;
        return weight[i] * deviation * deviation;
    });
}

// mean and spread (n_targets) are filled with sum_i weight_i y_i / total and sum_i weight_i (y_i - mean)^2, for
// y (n_rows, n_targets), of at least one row, and weight (n_rows). Summed about the first target, so that the mean of
// targets which are all alike is exactly that.
template <class T, class Weight>
void target_moments(const T* y, i64 n_rows, i64 n_targets, const Weight* weight, double total, double* mean,
                    double* spread) {
    if (n_targets == 1) {
        moments_of_target(y, n_rows, OneByOne{}, weight, total, mean, spread);
        return;
    }
    for (i64 q = 0; q < n_targets; ++q) {
        moments_of_target(y + q, n_rows, n_targets, weight, total, mean + q, spread + q);
    }
}

template <class T, class To, class Stride>
double standardize_target(const T* y, i64 n_rows, Stride stride, double offset, double scale, To* __restrict out) {
    const double inverse = 1 / scale;
    return sum_in_turns(n_rows, [=](i64 i) {
        const double value = (y[i * stride] - offset) * inverse;
        out[i * stride] = static_cast<To>(value);
        return value * value;
    });
}

// out (n_rows, n_targets) is filled with (y - offset) / scale; offset and scale (n_targets) are read. Returns the sum
// of the squares.
template <class T, class To>
double standardize_targets(const T* y, i64 n_rows, i64 n_targets, const double* offset, const double* scale, To* out) {
    if (n_targets == 1) return standardize_target(y, n_rows, OneByOne{}, *offset, *scale, out);
    double squares = 0;
    for (i64 q = 0; q < n_targets; ++q) {
        squares += standardize_target(y + q, n_rows, n_targets, offset[q], scale[q], out + q);
    }
    return squares;
}

}  // namespace
}  // namespace ridgeway
