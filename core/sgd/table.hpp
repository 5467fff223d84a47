#pragma once

#include "numbers.hpp"

namespace ridgeway {

template <class T>
struct SgdLoops {};

}  // namespace ridgeway
