// The steps within a block of kernel rows: forward substitution. The residual of a row is what is left of its target by
// the steps before it, r_i = y_i - f(x_i) - sum_j k(x_i, x_j) gain_j over steps j before, and gain_i = rate_i r_i.
#pragma once

#include "lanes.hpp"

namespace ridgeway {
namespace {

// Several runs go side by side, each with its own rates and targets.
template <class T>
struct KernelBlock {
    const T* gram;      // row i begins at gram + i * gram_stride: k(x_i, x_j) of the rows of the block, in stored order
    i64 gram_stride;
    i64 n_rows, n_runs, n_targets;
    const i64* order;   // (n_rows): the rows in the order of the steps
    const i64* begins;  // (n_rows): how many rows of the order come before the step that a row belongs to
    const T* rates;     // (n_rows, n_runs), in stored order; 0 for rows that a run does not learn from
};

// Takes sum_j k(x_i, x_j) gain_j, over the first `count` rows j of the order, from `wide` numbers at residuals. gains
// has `stride` numbers per row, in the order of the steps.
template <class T>
inline void subtract_steps(const T* gram_row, const i64* order, i64 count, const T* gains, i64 stride, T* residuals,
                           i64 wide) {
    Lanes<T> total{}, other{};  // two partial sums hide the latency of addition
    i64 j = 0;
    for (; j + 2 <= count; j += 2) {
        total += spread(gram_row[order[j]]) * load(gains + j * stride);
        other += spread(gram_row[order[j + 1]]) * load(gains + (j + 1) * stride);
    }
    if (j < count) total += spread(gram_row[order[j]]) * load(gains + j * stride);
    T sums[lane_count<T>];
    store(sums, total + other);
    for (i64 k = 0; k < wide; ++k) residuals[k] -= sums[k];
}

// Steps through the rows of a block in turn. residuals (n_rows, n_runs, n_targets), at first without the steps of this
// block, are changed in place; gains (the same shape) are filled. scratch holds n_rows times n_runs * n_targets
// numbers, rounded up to whole lanes, all 0 at first.
template <class T>
void substitute(const KernelBlock<T>& block, T* residuals, T* gains, T* scratch) {
    const i64 width = block.n_runs * block.n_targets, lane = lane_count<T>, stride = (width + lane - 1) / lane * lane;
    for (i64 place = 0; place < block.n_rows; ++place) {
        const i64 i = block.order[place];
        T *residual = residuals + i * width, *gain = gains + i * width, *in_order = scratch + place * stride;
        for (i64 c = 0; c < width; c += lane) {
            subtract_steps(block.gram + i * block.gram_stride, block.order, block.begins[place], scratch + c, stride,
                           residual + c, least(width - c, lane));
        }
        for (i64 run = 0; run < block.n_runs; ++run) {
            const T rate = block.rates[i * block.n_runs + run];
            for (i64 k = run * block.n_targets; k < (run + 1) * block.n_targets; ++k) {
                in_order[k] = gain[k] = rate * residual[k];
            }
        }
    }
}

}  // namespace
}  // namespace ridgeway
