#include "array.hpp"

namespace ridgeway {

void bind_sgd(nb::module_&) {}

}  // namespace ridgeway
