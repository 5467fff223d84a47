// ridgeway._core: the compiled loops. Private; src/ridgeway/_core.pyi says what is in it.
#include <nanobind/nanobind.h>

#include "levels.hpp"

namespace nb = nanobind;

namespace ridgeway {
void bind_rows(nb::module_& m);
void bind_sgd(nb::module_& m);
void bind_trajectory(nb::module_& m);
void bind_averaging(nb::module_& m);
void bind_theory(nb::module_& m);
void bind_encoding(nb::module_& m);
void bind_kernel(nb::module_& m);
}  // namespace ridgeway

NB_MODULE(_core, m) {
    m.doc() = "Compiled loops over plain arrays. Python validates; nothing here is checked twice.";
    ridgeway::choose_level();
    m.def("level", &ridgeway::level_name, "Instruction set of the loops over rows: v2, v3, v4 or baseline.");
    ridgeway::bind_rows(m);
    ridgeway::bind_sgd(m);
    ridgeway::bind_trajectory(m);
    ridgeway::bind_averaging(m);
    ridgeway::bind_theory(m);
    ridgeway::bind_encoding(m);
    ridgeway::bind_kernel(m);
}
