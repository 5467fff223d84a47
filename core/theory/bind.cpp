#include "array.hpp"

namespace ridgeway {

void bind_theory(nb::module_&) {}

}  // namespace ridgeway
