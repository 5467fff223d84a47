#pragma once

#include "numbers.hpp"

namespace ridgeway {

template <class T>
struct TrajectoryLoops {};

}  // namespace ridgeway
