// One level: all loops over rows, compiled for the instruction set that the build names by RIDGEWAY_LEVEL. Everything
// but the table has internal linkage, so that no level can be linked to another one's code.
#include "levels.hpp"
#include "rows/norms.hpp"
#include "rows/products.hpp"
#include "rows/standardize.hpp"
#include "rows/sums.hpp"

namespace ridgeway {
namespace {

template <class T>
constexpr Loops<T> loops_of_this_level() {
    return {
        .rows =
            {
                .squared_norms = squared_norms<T>,
                .squared_norms_of = squared_norms_of<T>,
                .csr_squared_norms = csr_squared_norms<T>,
                .row_products = row_products<T>,
                .column_sums = column_sums<T>,
                .weighted_sum = weighted_sum<T>,
                .standardize_rows = standardize_rows<T>,
            },
        .sgd = {},
        .trajectory = {},
    };
}

}  // namespace

#define RIDGEWAY_JOIN(a, b) a##b
#define RIDGEWAY_TABLE(level) RIDGEWAY_JOIN(level_, level)

extern const Level RIDGEWAY_TABLE(RIDGEWAY_LEVEL);
const Level RIDGEWAY_TABLE(RIDGEWAY_LEVEL) = {loops_of_this_level<float>(), loops_of_this_level<double>()};

}  // namespace ridgeway
