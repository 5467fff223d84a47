#include "array.hpp"

namespace ridgeway {

void bind_trajectory(nb::module_&) {}

}  // namespace ridgeway
