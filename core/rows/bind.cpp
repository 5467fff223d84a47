#include "array.hpp"
#include "levels.hpp"
#include "padded.hpp"
#include "rows/csr.hpp"
#include "rows/groups.hpp"
#include "rows/targets.hpp"

namespace ridgeway {
namespace {

// Calls body with zeros of the types of a CSR matrix's entries and column numbers.
template <class Body>
void by_csr(const In& data, const In& indices, Body&& body) {
    by_float(data, [&]<class T>(T) { by_index(indices, [&]<class Index>(Index) { body(T{}, Index{}); }); });
}

namespace bound {

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

void csr_squared_norms(const Csr& rows, const Out& norms) {
    check(norms.size() == rows.n_rows(), "csr_squared_norms: rows (n, d), norms (n,)");
    by_float(rows.data, [&]<class T>(T) {
        loops<T>().rows.csr_squared_norms(
            rows.data.as<T>(), rows.data.size(), rows.indptr.as<i64>(), rows.n_rows(), norms.as<T>());
    });
}

void row_products(const In& x, const In& y, const In& directions, const Out& out) {
    const i64 n_rows = x.shape(0), n_columns = x.shape(1), n_directions = directions.shape(0);
    check(x.n_dims == 2 && y.size() == n_rows && directions.n_dims == 2 && directions.shape(1) == n_columns &&
              out.size() == n_rows * (2 + n_directions),
          "row_products: X (n, d), y (n,), directions (r, d), out (n, 2 + r)");
    by_float(x, [&]<class T>(T) {
        Padded<T> padded(directions.as<T>(), n_directions, n_columns);
        loops<T>().rows.row_products(x.as<T>(), n_rows, n_columns, y.as<T>(), padded.data(), n_directions,
                                     padded.stride, out.as<T>());
    });
}

void column_sums(const In& x, const In& weight, const In& origin, const In& gauge, const Out& sums,
                 const Out& squares) {
    const i64 n_columns = x.shape(1);
    check(x.n_dims == 2 && weight.size() == x.shape(0) && origin.size() == n_columns && gauge.size() == n_columns &&
              sums.size() == n_columns && squares.size() == n_columns,
          "column_sums: X (n, d), weight (n,), origin, gauge, sums and squares (d,)");
    by_float(x, [&]<class T>(T) {
        Padded<T> from(origin.as<T>(), 1, n_columns), factor(gauge.as<T>(), 1, n_columns), scratch(2, n_columns);
        loops<T>().rows.column_sums(x.as<T>(), x.shape(0), n_columns, weight.as<double>(), from.data(), factor.data(),
                                    scratch.data(), sums.as<double>(), squares.as<double>());
    });
}

void weighted_sum(const In& x, const In& weight, const Out& sums) {
    check(x.n_dims == 2 && weight.size() == x.shape(0) && sums.size() == x.shape(1),
          "weighted_sum: X (n, d), weight (n,), sums (d,)");
    by_float(x, [&]<class T>(T) {
        loops<T>().rows.weighted_sum(x.as<T>(), x.shape(0), x.shape(1), weight.as<double>(), sums.as<double>());
    });
}

void csr_weighted_sum(const Csr& rows, const In& weight, const Out& sums) {
    check(weight.size() == rows.n_rows(), "csr_weighted_sum: rows (n, d), weight (n,), sums (d,)");
    by_csr(rows.data, rows.indices, [&]<class T, class Index>(T, Index) {
        ridgeway::csr_weighted_sum(rows.data.as<T>(), rows.indices.as<Index>(), rows.indptr.as<i64>(), rows.n_rows(),
                                   weight.as<double>(), sums.as<double>());
    });
}

void csr_column_sums(const Csr& rows, const In& weight, const Out& sums, const Out& most) {
    check(weight.size() == rows.n_rows() && sums.size() == most.size(),
          "csr_column_sums: rows (n, d), weight (n,), sums and largest (d,)");
    by_csr(rows.data, rows.indices, [&]<class T, class Index>(T, Index) {
        ridgeway::csr_column_sums(rows.data.as<T>(), rows.indices.as<Index>(), rows.indptr.as<i64>(), rows.n_rows(),
                                  weight.as<double>(), sums.as<double>(), most.as<double>());
    });
}

int csr_fault(const In& indices, const In& indptr, i64 n_entries, i64 n_columns) {
    const auto by_signed = [](const In& array, auto&& body) {
        return array.number == Number::i32 ? body(array.as<std::int32_t>()) : body(array.as<i64>());
    };
    return by_signed(indices, [&](const auto* columns) {
        return by_signed(indptr, [&](const auto* pointers) -> int {
            return ridgeway::csr_fault(columns, indices.size(), pointers, indptr.size() - 1, n_entries, n_columns);
        });
    });
}

void gather_csr(const Csr& rows, const In& order, const NewCsr& gathered) {
    check(gathered.indptr.size() == order.size() + 1, "gather_csr: order (m,), gathered (m, d)");
    by_csr(rows.data, rows.indices, [&]<class T, class Index>(T, Index) {
        ridgeway::gather_csr(rows.data.as<T>(), rows.indices.as<Index>(), rows.indptr.as<i64>(), order.as<i64>(),
                             order.size(), gathered.indptr.as<i64>(), gathered.data.as<T>(),
                             gathered.indices.as<Index>());
    });
}

void standardize_csr(const Csr& rows, const In& order, const In& inverse, double constant, const NewCsr& out) {
    check(out.indptr.size() == order.size() + 1, "standardize_csr: order (m,), inverse (d,), out (m, d or d + 1)");
    by_csr(rows.data, rows.indices, [&]<class T, class Index>(T, Index) {
        ridgeway::standardize_csr(rows.data.as<T>(), rows.indices.as<Index>(), rows.indptr.as<i64>(), order.as<i64>(),
                                  order.size(), inverse.as<double>(), inverse.size(), constant, out.indptr.as<i64>(),
                                  out.data.as<T>(), out.indices.as<Index>());
    });
}

// Offsets in the precision of the rows, what they lack of the given ones, and inverse scales, in whole lanes.
template <class T>
struct PaddedScaling {
    Padded<T> offset, rest, inverse;

    PaddedScaling(const In& offsets, const In& inverses)
        : offset(offsets.as<double>(), 1, offsets.size()), rest(1, offsets.size()),
          inverse(inverses.as<double>(), 1, offsets.size()) {
        for (i64 c = 0; c < offsets.size(); ++c) rest[c] = static_cast<T>(offsets.as<double>()[c] - offset[c]);
    }
};

bool standardize_rows(const In& x, const In& order, const In& offset, const In& inverse, double constant,
                      const Out& out) {
    const i64 n_columns = x.shape(1);
    check(x.n_dims == 2 && offset.size() == n_columns && inverse.size() == n_columns && out.n_dims == 2 &&
              out.shape(0) == order.size() && out.shape(1) >= n_columns,
          "standardize_rows: X (n, d), order (m,), offset and inverse (d,), out (m, d or d + 1)");
    return by_float(x, [&]<class T>(T) {
        PaddedScaling<T> by(offset, inverse);
        return loops<T>().rows.standardize_rows(x.as<T>(), x.shape(0), n_columns, order.as<i64>(), order.size(),
                                                by.offset.data(), by.rest.data(), by.inverse.data(),
                                                static_cast<T>(constant), out.as<T>(), out.shape(1));
    });
}

void standardized_norms(const In& x, const In& offset, const In& inverse, double constant, const Out& norms) {
    const i64 n_columns = x.shape(1), n_out = n_columns + (constant != 0 ? 1 : 0);
    check(x.n_dims == 2 && offset.size() == n_columns && inverse.size() == n_columns && norms.size() == x.shape(0),
          "standardized_norms: X (n, d), offset and inverse (d,), norms (n,)");
    by_float(x, [&]<class T>(T) {
        PaddedScaling<T> by(offset, inverse);
        Padded<T> scratch(1, n_out);
        loops<T>().rows.standardized_norms(x.as<T>(), x.shape(0), n_columns, by.offset.data(), by.rest.data(),
                                           by.inverse.data(), static_cast<T>(constant), scratch.data(), n_out,
                                           norms.as<T>());
    });
}

bool centre_rows(const In& x, const In& order, const In& offset, const In& inverse, const In& share, const In& root,
                 const Out& out, const Out& origin, const Out& shift, const Out& largest) {
    const i64 n_columns = x.shape(1), n_ordered = order.size();
    check(x.n_dims == 2 && n_ordered > 0 && offset.size() == n_columns && inverse.size() == n_columns &&
              share.size() == n_ordered && root.size() == n_ordered && out.n_dims == 2 && out.shape(0) == n_ordered &&
              out.shape(1) == n_columns && origin.size() == n_columns && shift.size() == n_columns &&
              largest.size() == n_columns,
          "centre_rows: X (n, d), order, share and root (m,), offset, inverse, origin, shift and largest (d,), out "
          "(m, d)");
    return by_float(x, [&]<class T>(T) {
        return loops<T>().rows.centre_rows(x.as<T>(), n_columns, order.as<i64>(), n_ordered, offset.as<double>(),
                                           inverse.as<double>(), share.as<double>(), root.as<double>(),
                                           out.as<double>(), origin.as<double>(), shift.as<double>(),
                                           largest.as<double>());
    });
}

void target_moments(const In& y, const In& weight, double total, const Out& mean, const Out& spread) {
    check(y.n_dims == 2 && y.shape(0) > 0 && weight.size() == y.shape(0) && mean.size() == y.shape(1) &&
              spread.size() == y.shape(1),
          "target_moments: y (n, targets), weight (n,), mean and spread (targets,)");
    by_float(y, [&]<class T>(T) {
        by_float(weight, [&]<class Weight>(Weight) {
            ridgeway::target_moments(y.as<T>(), y.shape(0), y.shape(1), weight.as<Weight>(), total, mean.as<double>(),
                                     spread.as<double>());
        });
    });
}

double standardize_targets(const In& y, const In& offset, const In& scale, const Out& out) {
    check(y.n_dims == 2 && offset.size() == y.shape(1) && scale.size() == y.shape(1) && out.size() == y.size(),
          "standardize_targets: y and out (n, targets), offset and scale (targets,)");
    return by_float(y, [&]<class T>(T) {
        return by_float(out, [&]<class To>(To) {
            return ridgeway::standardize_targets(
                y.as<T>(), y.shape(0), y.shape(1), offset.as<double>(), scale.as<double>(), out.as<To>());
        });
    });
}

}  // namespace bound
}  // namespace

void bind_rows(nb::module_& m) {
    const nb::call_guard<nb::gil_scoped_release> no_gil;
    nb::class_<Csr>(m, "Csr", "CSR rows to read: data and unsigned indices (entries,), indptr (n + 1,).")
        .def(nb::init<In, In, In>(), "data"_a, "indices"_a, "indptr"_a);
    nb::class_<NewCsr>(m, "NewCsr", "CSR rows to fill: data and unsigned indices (entries,); indptr (n + 1,) is known.")
        .def(nb::init<Out, Out, In>(), "data"_a, "indices"_a, "indptr"_a);

    m.def("squared_norms", &bound::squared_norms, "X"_a, "norms"_a, no_gil,
          "Fill norms (n,) with the squared norms of the rows of X (n, d).");
    m.def("squared_norms_of", &bound::squared_norms_of, "X"_a, "order"_a, "norms"_a, no_gil,
          "Fill norms (m,) with the squared norms of the rows order (m,) of X (n, d).");
    m.def("csr_squared_norms", &bound::csr_squared_norms, "rows"_a, "norms"_a, no_gil,
          "Fill norms (n,) with the squared norms of CSR rows (n, d).");
    m.def("row_products", &bound::row_products, "X"_a, "y"_a, "directions"_a, "out"_a, no_gil,
          "Fill out (n, 2 + r) with 1, y (n,) and the products of X (n, d) and directions (r, d).");

    m.def("column_sums", &bound::column_sums, "X"_a, "weight"_a, "origin"_a, "gauge"_a, "sums"_a, "squares"_a, no_gil,
          "Add sums of weight_i u_i and weight_i u_i^2, u_i = (x_i - origin) * gauge, to sums and squares (d,).");
    m.def("weighted_sum", &bound::weighted_sum, "X"_a, "weight"_a, "sums"_a, no_gil,
          "Add weight_i x_i to sums (d,), row after row: splitting X (n, d) otherwise gives the same bits.");
    m.def("csr_weighted_sum", &bound::csr_weighted_sum, "rows"_a, "weight"_a, "sums"_a, no_gil,
          "Add weight_i x_i of CSR rows (n, d) to sums (d,), row after row.");
    m.def("csr_column_sums", &bound::csr_column_sums, "rows"_a, "weight"_a, "sums"_a, "largest"_a, no_gil,
          "Add weight_i x_i to sums (d,), and raise largest (d,) to the largest absolute entry of each column.");

    m.def("csr_fault", &bound::csr_fault, "indices"_a, "indptr"_a, "n_entries"_a, "n_columns"_a, no_gil,
          "Check CSR indices (int32 or int64): 0 valid, 1 unsorted or repeated columns in a row, 2 out of range.");
    m.def("gather_csr", &bound::gather_csr, "rows"_a, "order"_a, "gathered"_a, no_gil,
          "Copy the CSR rows order (m,) one after the other into gathered (m, d).");
    m.def("standardize_csr", &bound::standardize_csr, "rows"_a, "order"_a, "inverse"_a, "constant"_a, "out"_a, no_gil,
          "Copy the CSR rows order (m,), entries times inverse (d,), with a last column of constant unless it is 0.");
    m.def("standardize_rows", &bound::standardize_rows, "X"_a, "order"_a, "offset"_a, "inverse"_a, "constant"_a,
          "out"_a, no_gil,
          "Fill out (m, d or d + 1) with (x - offset) * inverse and constant; return whether every number is finite.");
    m.def("standardized_norms", &bound::standardized_norms, "X"_a, "offset"_a, "inverse"_a, "constant"_a, "norms"_a,
          no_gil, "Fill norms (n,) with the squared norms of the rows that standardize_rows makes of X (n, d).");
    m.def("centre_rows", &bound::centre_rows, "X"_a, "order"_a, "offset"_a, "inverse"_a, "share"_a, "root"_a, "out"_a,
          "origin"_a, "shift"_a, "largest"_a, no_gil,
          "Fill out (m, d) with root (m,) times (x - offset) * inverse - origin - shift: the first row, and the mean.");

    m.def("target_moments", &bound::target_moments, "y"_a, "weight"_a, "total"_a, "mean"_a, "spread"_a, no_gil,
          "Fill mean and spread (targets,) with sum weight y / total and sum weight (y - mean)^2 of y (n, targets).");
    m.def("standardize_targets", &bound::standardize_targets, "y"_a, "offset"_a, "scale"_a, "out"_a, no_gil,
          "Fill out (n, targets) with (y - offset) / scale, and return the sum of their squares.");
}

}  // namespace ridgeway
