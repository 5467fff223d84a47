#include "array.hpp"

namespace ridgeway {

void bind_encoding(nb::module_&) {}

}  // namespace ridgeway
