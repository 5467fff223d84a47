// The order of a pass in which the steps of split rows are scattered.
#pragma once

#include "numbers.hpp"

namespace ridgeway {
namespace {

// Fills out with the rows of order (m) that are not split, and with steps (k): step j follows places[j] of those rows.
// Places ascend; out is as long as both together.
inline void scatter_steps(const i64* order, i64 n_rows, const bool* is_split, const i64* steps, const i64* places,
                          i64 n_steps, i64* out) {
    i64 j = 0, n_whole = 0;
    for (i64 i = 0; i < n_rows; ++i) {
        const i64 number = order[i];
        if (is_split[number]) continue;
        while (j < n_steps && places[j] == n_whole) *out++ = steps[j++];
        *out++ = number;
        ++n_whole;
    }
    while (j < n_steps) *out++ = steps[j++];
}

}  // namespace
}  // namespace ridgeway
