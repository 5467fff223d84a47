#include "array.hpp"

namespace ridgeway {

void bind_averaging(nb::module_&) {}

}  // namespace ridgeway
