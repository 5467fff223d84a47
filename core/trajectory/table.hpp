// What a run adds its increments to, and the loops over it.
#pragma once

#include "numbers.hpp"

namespace ridgeway {

// Where a run stands in its block: `offset` of `length` steps are done, in chunks of `chunk` steps, a power of two.
struct Place {
    i64 offset, length, chunk, degree;
};

// The open chunk of a dense run of one target, each array of n columns: w itself; anchor, w at the start of the chunk;
// total, the sum of w after each step since it was last settled; excess, the sum of w - anchor over the steps before;
// second, T_2 of the increments.
template <class T>
struct Chunk {
    T* w;
    T* anchor;
    T* total;
    T* excess;
    T* second;
};

template <class T>
struct TrajectoryLoops {};

}  // namespace ridgeway
