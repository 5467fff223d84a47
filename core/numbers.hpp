// Types that kernels share, and small functions of numbers. Nothing here has external linkage: a function that two
// levels of instructions share by name could be taken from the wrong one by the linker.
#pragma once

#include <cstdint>

namespace ridgeway {

using i64 = std::int64_t;

namespace {

template <class T>
inline T least(T a, T b) {
    return b < a ? b : a;
}

template <class T>
inline T largest(T a, T b) {
    return a < b ? b : a;
}

template <class T>
inline T absolute(T x) {
    return x < 0 ? -x : x;
}

// False for NaN and infinities: x - x is 0 for every other number.
template <class T>
inline bool is_finite(T x) {
    return x - x == 0;
}

}  // namespace
}  // namespace ridgeway
