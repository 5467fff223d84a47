#include "array.hpp"
#include "levels.hpp"

namespace ridgeway {
namespace {

void squared_norms(const In& x, const Out& norms) {
    check(x.n_dims == 2 && norms.size() == x.shape(0), "squared_norms: X (n, d), norms (n,)");
    by_float(x, [&]<class T>(T) {
        loops<T>().rows.squared_norms(x.as<T>(), x.shape(0), x.shape(1), norms.as<T>());
    });
}

void squared_norms_of(const In& x, const In& order, const Out& norms) {
    check(x.n_dims == 2 && norms.size() == order.size(), "squared_norms_of: X (n, d), order and norms (m,)");
    by_float(x, [&]<class T>(T) {
        loops<T>().rows.squared_norms_of(
            x.as<T>(), x.shape(0), x.shape(1), order.as<i64>(), order.size(), norms.as<T>());
    });
}

}  // namespace

void bind_rows(nb::module_& m) {
    const nb::call_guard<nb::gil_scoped_release> no_gil;
    m.def("squared_norms", &squared_norms, "X"_a, "norms"_a, no_gil,
          "Fill norms (n,) with the squared norms of the rows of X (n, d).");
    m.def("squared_norms_of", &squared_norms_of, "X"_a, "order"_a, "norms"_a, no_gil,
          "Fill norms (m,) with the squared norms of the rows order (m,) of X (n, d).");
}

}  // namespace ridgeway
