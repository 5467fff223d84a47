#include <algorithm>
#include <type_traits>
#include <vector>

#include "array.hpp"
#include "levels.hpp"
#include "trajectory/series_columns.hpp"

namespace ridgeway {
namespace {

struct GrowthSumArrays {
    In growth, past, left, total;
};

struct SeriesBlockArrays {
    In raw_columns, first_columns, halves, stair, shares;
};

// Rows of a table with their width filled up to whole lanes with 0.
std::vector<double> with_padded_rows(const In& table) {
    const i64 n_columns = table.shape(1), width = padded(n_columns);
    std::vector<double> rows(table.shape(0) * width);
    const double* from = table.as<double>();
    for (i64 i = 0; i < table.shape(0); ++i) std::copy_n(from + i * n_columns, n_columns, rows.data() + i * width);
    return rows;
}

void fill_ridge_series(const GrowthSumArrays& sums, const SeriesBlockArrays& blocks, const In& nodes,
                       const In& transform, double flat, const Out& coefficients, const Out& errors) {
    const i64 n_averages = sums.total.size(), n_marks = sums.past.shape(1), n_nodes = nodes.size();
    const i64 n_blocks = blocks.shares.shape(0);
    check(sums.growth.shape(0) == n_averages && sums.past.shape(0) == n_averages &&
              sums.left.size() == sums.past.size() && blocks.raw_columns.size() == n_marks - n_blocks &&
              blocks.first_columns.size() == n_blocks && blocks.halves.size() == n_blocks &&
              blocks.stair.size() == n_blocks && transform.size() == n_nodes * n_nodes &&
              n_nodes >= blocks.shares.shape(1) && coefficients.shape(0) == n_averages && errors.size() == n_averages,
          "fill_ridge_series: growth (L, stairs), past and left (L, marks), shares (blocks, m), transform (n, n)");
    const std::vector<double> shares = with_padded_rows(blocks.shares), matrix = with_padded_rows(transform);
    std::vector<double> scratch(2 * padded(n_nodes));
    const GrowthSums of_sums{n_averages,
                             sums.growth.shape(1),
                             n_marks,
                             sums.growth.as<double>(),
                             sums.past.as<double>(),
                             sums.left.as<double>(),
                             sums.total.as<double>()};
    const SeriesBlocks of_blocks{n_blocks,
                                 blocks.shares.shape(1),
                                 blocks.raw_columns.as<i64>(),
                                 blocks.first_columns.as<i64>(),
                                 blocks.halves.as<double>(),
                                 blocks.stair.as<i64>(),
                                 shares.data()};
    const ChebyshevNodes chebyshev{n_nodes, nodes.as<double>(), matrix.data()};
    chosen_level().series.fill_ridge_series(of_sums, of_blocks, chebyshev, flat, coefficients.shape(1), scratch.data(),
                                            coefficients.as<double>(), errors.as<double>());
}

void keep_series(const In& series, const In& shares, const In& first_columns, const Out& coefficients,
                 const Out& errors) {
    const i64 n_averages = series.shape(0), n_blocks = series.shape(1);
    check(series.n_dims == 3 && shares.n_dims == 2 && shares.shape(0) == n_blocks &&
              shares.shape(1) <= series.shape(2) && first_columns.size() == n_blocks &&
              coefficients.shape(0) == n_averages && errors.size() == n_averages,
          "keep_series: series (L, blocks, nodes), shares (blocks, m), coefficients (L, columns), errors (L,)");
    series_into_columns(series.as<double>(), n_averages, n_blocks, series.shape(2), shares.as<double>(), shares.shape(1),
                first_columns.as<i64>(), coefficients.shape(1), coefficients.as<double>(), errors.as<double>());
}

void add_dense_rows(const In& x, const In& gains, const In& factors, const Out& sums) {
    const i64 n_targets = gains.shape(1), n_sums = factors.shape(1);
    check(x.n_dims == 2 && gains.n_dims == 2 && factors.n_dims == 2 && gains.shape(0) == x.shape(0) &&
              factors.shape(0) == x.shape(0) && sums.size() == n_sums * n_targets * x.shape(1),
          "add_dense_rows: X (n, d), gains (n, k), factors (n, m), sums (m, k, d)");
    std::vector<double> scratch(ROWS_AT_ONCE * x.shape(1));
    by_float(x, [&]<class T>(T) {
        loops<T>().trajectory.add_dense_rows(x.as<T>(), x.shape(0), x.shape(1), gains.as<T>(), n_targets,
                                             factors.as<double>(), n_sums, scratch.data(), sums.as<double>());
    });
}

// The loop for column numbers of a type and sums of a type.
template <class T, class Index, class Sum>
AddCsrRows<T, Index, Sum> csr_loop() {
    const TrajectoryLoops<T>& table = loops<T>().trajectory;
    if constexpr (std::is_same_v<Sum, T>) {
        if constexpr (sizeof(Index) == 4) return table.add_csr_rows_32;
        else return table.add_csr_rows_64;
    } else {
        if constexpr (sizeof(Index) == 4) return table.add_csr_rows_32_wide;
        else return table.add_csr_rows_64_wide;
    }
}

void add_csr_rows(const In& data, const In& indices, const In& indptr, const In& gains, const In& factors,
                  const Out& sums) {
    const i64 n_rows = indptr.size() - 1, n_targets = gains.shape(1), n_sums = factors.shape(1);
    check(indices.size() == data.size() && gains.n_dims == 2 && factors.n_dims == 2 && gains.shape(0) == n_rows &&
              factors.shape(0) == n_rows && sums.n_dims == 3 && sums.shape(1) == n_targets && sums.shape(2) == n_sums,
          "add_csr_rows: data, indices (entries,), indptr (n + 1,), gains (n, k), factors (n, m), sums (d, k, m)");
    by_float(data, [&]<class T>(T) {
        by_index(indices, [&]<class Index>(Index) {
            by_float(sums, [&]<class Sum>(Sum) {
                if constexpr (sizeof(Sum) < sizeof(T)) {
                    throw nb::type_error("sums of float64 rows are float64");
                } else {
                    std::vector<Sum> scratch(n_sums);
                    csr_loop<T, Index, Sum>()(data.as<T>(), indices.as<Index>(), indptr.as<i64>(), n_rows,
                                              gains.as<T>(), n_targets, factors.as<double>(), n_sums, scratch.data(),
                                              sums.as<Sum>());
                }
            });
        });
    });
}

void add_mixed(const In& part, const In& mix, const Out& sums) {
    check(part.n_dims == 2 && mix.n_dims == 2 && mix.shape(0) == part.shape(1) && sums.n_dims == 2 &&
              sums.shape(0) == part.shape(0) && sums.shape(1) == mix.shape(1),
          "add_mixed: part (n, m), mix (m, L), sums (n, L)");
    by_float(part, [&]<class T>(T) {
        loops<T>().trajectory.add_mixed(part.as<T>(), mix.as<T>(), part.shape(0), part.shape(1), mix.shape(1),
                                        sums.as<T>());
    });
}

}  // namespace

void bind_trajectory(nb::module_& m) {
    const nb::call_guard<nb::gil_scoped_release> no_gil;
    nb::class_<GrowthSumArrays>(m, "GrowthSums", "Minus the logarithms of discounts, of L strengths, at marks.")
        .def(nb::init<const In&, const In&, const In&, const In&>(), "growth"_a, "past"_a, "left"_a, "total"_a);
    nb::class_<SeriesBlockArrays>(m, "SeriesBlocks", "Columns of raw steps; column, half length, stair, shares of blocks.")
        .def(nb::init<const In&, const In&, const In&, const In&, const In&>(), "raw_columns"_a, "first_columns"_a,
             "halves"_a, "stair"_a, "shares"_a);
    m.def("fill_ridge_series", &fill_ridge_series, "sums"_a, "blocks"_a, "nodes"_a, "transform"_a, "flat"_a,
          "coefficients"_a, "errors"_a, no_gil,
          "Fill coefficients (L, columns) and errors (L,) with the Chebyshev series of geometric averages.");
    m.def("keep_series", &keep_series, "series"_a, "shares"_a, "first_columns"_a, "coefficients"_a, "errors"_a, no_gil,
          "Put series (L, blocks, nodes) into the columns of coefficients (L, columns); fill errors (L,).");
    m.def("add_dense_rows", &add_dense_rows, "X"_a, "gains"_a, "factors"_a, "sums"_a, no_gil,
          "sums[s, q] += sum_i factors[i, s] gains[i, q] X[i]; X (n, d), gains (n, k), factors (n, m), sums (m, k, d).");
    m.def("add_csr_rows", &add_csr_rows, "data"_a, "indices"_a, "indptr"_a, "gains"_a, "factors"_a, "sums"_a, no_gil,
          "sums[c, q, s] += sum_i factors[i, s] gains[i, q] x_ic; gains (n, k), factors (n, m), sums (d, k, m).");
    m.def("add_mixed", &add_mixed, "part"_a, "mix"_a, "sums"_a, no_gil,
          "sums += part @ mix, each row by itself; part (n, m), mix (m, L) finite, sums (n, L).");
}

}  // namespace ridgeway
