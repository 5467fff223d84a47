// The order of a pass in which further steps of split rows are scattered.
#pragma once

#include <cstring>

#include "numbers.hpp"

namespace ridgeway {
namespace {

// Fills out with order (n_rows) and steps (n_steps): step j follows the first places[j] rows of order. Places ascend from
// 0 to n_rows at most; out is as long as both together.
inline void scatter_steps(const i64* order, i64 n_rows, const i64* steps, const i64* places, i64 n_steps, i64* out) {
    i64 copied = 0;
    const auto copy_until = [&](i64 place) {
        std::memcpy(out, order + copied, static_cast<std::size_t>(place - copied) * sizeof(i64));
        out += place - copied;
        copied = place;
    };
    for (i64 j = 0; j < n_steps; ++j) {
        copy_until(places[j]);
        *out++ = steps[j];
    }
    copy_until(n_rows);
}

}  // namespace
}  // namespace ridgeway
