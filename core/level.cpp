// One level: all loops over rows, compiled for the instruction set that the build names by RIDGEWAY_LEVEL. Everything
// but the table has internal linkage, so that no level can be linked to another one's code.
#include "levels.hpp"
#include "rows/centre.hpp"
#include "rows/norms.hpp"
#include "rows/products.hpp"
#include "rows/standardize.hpp"
#include "rows/sums.hpp"
#include "sgd/csr_steps.hpp"
#include "sgd/dense_batches.hpp"
#include "sgd/replay_steps.hpp"
#include "sgd/sketch_steps.hpp"
#include "theory/risk.hpp"
#include "theory/squared_sums.hpp"
#include "theory/tikhonov.hpp"
#include "trajectory/replay_sums.hpp"
#include "trajectory/ridge_series.hpp"

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
                .standardized_norms = standardized_norms<T>,
                .centre_rows = centre_rows<T>,
            },
        .sgd =
            {
                .sketch_steps = sketch_steps<T>,
                .close_chunk = close_chunk<T>,
                .replay_steps = replay_steps<T>,
                .sketch_batches = sketch_batches<T>,
                .replay_batches = replay_batches<T>,
                .close_sketch_batch = close_sketch_batch<T>,
                .csr_steps_32 = csr_steps<T, std::uint32_t>,
                .csr_steps_64 = csr_steps<T, std::uint64_t>,
                .csr_batches_32 = csr_batches<T, std::uint32_t>,
                .csr_batches_64 = csr_batches<T, std::uint64_t>,
                .close_csr_batch = close_csr_batch,
            },
        .trajectory =
            {
                .add_dense_rows = add_dense_rows<T>,
                .add_csr_rows_32 = add_csr_rows<T, std::uint32_t, T>,
                .add_csr_rows_64 = add_csr_rows<T, std::uint64_t, T>,
                .add_csr_rows_32_wide = add_csr_rows<T, std::uint32_t, double>,
                .add_csr_rows_64_wide = add_csr_rows<T, std::uint64_t, double>,
                .add_mixed = add_mixed<T>,
            },
    };
}

constexpr TheoryLoops theory_of_this_level = {
    .risk_backwards = risk_backwards,
    .add_squared_gains = add_squared_gains,
    .squared_sums = squared_sums,
    .regularised_steps = regularised_steps,
};

constexpr SeriesLoops series_of_this_level = {
    .fill_ridge_series = fill_ridge_series,
};

}  // namespace

#define RIDGEWAY_JOIN(a, b) a##b
#define RIDGEWAY_TABLE(level) RIDGEWAY_JOIN(level_, level)

extern const Level RIDGEWAY_TABLE(RIDGEWAY_LEVEL);
const Level RIDGEWAY_TABLE(RIDGEWAY_LEVEL) = {loops_of_this_level<float>(), loops_of_this_level<double>(),
                                                theory_of_this_level, series_of_this_level};

}  // namespace ridgeway
