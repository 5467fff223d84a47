#include <vector>

#include "array.hpp"
#include "kernel/steps.hpp"

namespace ridgeway {
namespace {
namespace bound {

// The rows of one block of a kernel matrix and the order of their steps, as Python hands them over.
struct BlockSteps {
    In gram;
    i64 first;
    In order, begins, rates;
};

void substitute(const BlockSteps& block, const Out& residuals, const Out& gains) {
    const i64 n_rows = block.order.size(), width = residuals.shape(1) * residuals.shape(2);
    check(block.gram.n_dims == 2 && block.gram.shape(0) == n_rows && block.first >= 0 &&
              block.first + n_rows <= block.gram.shape(1) && block.begins.size() == n_rows &&
              block.rates.size() == n_rows * residuals.shape(1) && residuals.size() == n_rows * width &&
              gains.size() == residuals.size(),
          "substitute: gram (b, n), order and begins (b,), rates (b, runs), residuals and gains (b, runs, targets)");
    by_float(residuals, [&]<class T>(T) {
        const KernelBlock<T> steps{
            .gram = block.gram.as<T>() + block.first,
            .gram_stride = block.gram.shape(1),
            .n_rows = n_rows,
            .n_runs = residuals.shape(1),
            .n_targets = residuals.shape(2),
            .order = block.order.as<i64>(),
            .begins = block.begins.as<i64>(),
            .rates = block.rates.as<T>(),
        };
        std::vector<T> scratch(static_cast<std::size_t>(n_rows * (width + lane_count<T>)));
        ridgeway::substitute(steps, residuals.as<T>(), gains.as<T>(), scratch.data());
    });
}

}  // namespace bound
}  // namespace

void bind_kernel(nb::module_& m) {
    nb::class_<bound::BlockSteps>(m, "BlockSteps",
                                  "A block's rows, gram (b, n) with their own columns from first on, and their steps: "
                                  "order and begins (b,), rates (b, runs).")
        .def(nb::init<In, i64, In, In, In>(), "gram"_a, "first"_a, "order"_a, "begins"_a, "rates"_a);
    const nb::call_guard<nb::gil_scoped_release> no_gil;
    m.def("substitute", &bound::substitute, "block"_a, "residuals"_a, "gains"_a, no_gil,
          "Step through the rows of a block: change residuals (b, runs, targets) in place and fill gains.");
}

}  // namespace ridgeway
