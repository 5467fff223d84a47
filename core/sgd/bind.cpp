// Bindings of the loops of SGD. Arguments come in small groups, each a class with named arguments.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "array.hpp"
#include "levels.hpp"
#include "padded.hpp"
#include "scratch.hpp"
#include "sgd/scatter.hpp"

namespace ridgeway {
namespace {

struct DenseRowsArgs {
    In x, y, weight;
    MaybeIn order;

    template <class T>
    DenseRows<T> as() const {
        check(x.n_dims == 2 && y.size() == x.shape(0) && weight.size() == x.shape(0), "X (n, d), y (n,), weight (n,)");
        const i64 n_steps = order ? order->size() : x.shape(0);
        if (order) check_order(*order, x.shape(0));
        return {x.as<T>(), x.shape(0), x.shape(1), order ? order->as<i64>() : nullptr, n_steps, y.as<T>(), weight.as<T>()};
    }

    static void check_order(const In& order, i64 n_rows) {
#ifdef RIDGEWAY_CHECKS
        for (i64 i = 0; i < order.size(); ++i) {
            check(order.as<i64>()[i] >= 0 && order.as<i64>()[i] < n_rows, "order names a row outside of X");
        }
#else
        (void)order, (void)n_rows;
#endif
    }
};

struct SparseRowsArgs {
    In data, indices, indptr, y, weight;
    MaybeIn order;

    template <class T, class Index>
    SparseRows<T, Index> as() const {
        const i64 n_rows = indptr.size() - 1;
        check(y.size() == n_rows && weight.size() == n_rows, "indptr (n + 1,), y (n,), weight (n,)");
        if (order) DenseRowsArgs::check_order(*order, n_rows);
        return {data.as<T>(), indices.as<Index>(), indptr.as<i64>(), order ? order->as<i64>() : nullptr,
                order ? order->size() : n_rows, y.as<T>(), weight.as<T>()};
    }
};

// The changing arrays of a dense run of one target that keeps a sketch.
struct DenseSketchArgs {
    Out w, anchor, local, moments, pair_rows, pair_opened, tally;

    i64 n_columns() const { return w.size(); }

    template <class T>
    DenseSketch<T> as() const {
        const i64 d = n_columns();
        check(anchor.size() == d && local.size() == 3 * d && tally.size() == 8, "w and anchor (d,), local (3, d)");
        T* chunk = local.as<T>();
        return {{w.as<T>(), anchor.as<T>(), chunk, chunk + d, chunk + 2 * d},
                moments.as<double>(), pair_rows.as<T>(), pair_opened.as<T>(), tally.as<double>()};
    }
};

// The changing arrays of a run over sparse rows, of one target; moments (d, m), m = 0 where none are kept.
struct SparseRunArgs {
    Out w, moments, product, tally;
    In centre;
    double centre_square;

    i64 n_columns() const { return w.size(); }
    i64 n_moments() const { return moments.shape(1); }
    Centre centre_of() const {
        check(centre.size() == 0 || centre.size() == w.size(), "centre (d,) or empty");
        return {centre.size() > 0 ? centre.as<double>() : nullptr, centre_square, product.as<double>()};
    }
};

struct MiniBatchArgs {
    i64 size, rows;
    Out gradient;

    template <class W>
    OpenBatch<W> as() const {
        return {size, rows, gradient.as<W>()};
    }
};

struct TouchedArgs {
    Out marked, listed;
    i64 count;

    Touched as() const {
        check(marked.size() == listed.size(), "marked (d,), listed (d,)");
        return {marked.as<bool>(), listed.as<i64>(), count};
    }
};

struct RowProductsArgs {
    In directions;
    Out products;

    template <class T>
    Padded<T> padded() const {
        return {directions.as<T>(), directions.shape(0), directions.shape(1)};
    }
    template <class T>
    RowProducts<T> as(i64 n_rows, Padded<T>& padded) const {
        check(products.size() == n_rows * (2 + directions.shape(0)), "directions (k, d), products (n, 2 + k)");
        (void)n_rows;
        return {padded.data(), directions.shape(0), padded.stride, products.as<T>()};
    }
};

constexpr i64 MAX_LANES = 8;  // of a vector, for padding

using Result = std::pair<End, i64>;
Result result(const Ended& ended) { return {ended.end, ended.n_steps}; }

void scatter(const In& order, const In& steps, const In& places, const Out& out) {
    check(places.size() == steps.size() && out.size() == order.size() + steps.size(),
          "scatter_steps: order (m,), steps and places (k,), out (m + k,)");
    ridgeway::scatter_steps(order.as<i64>(), order.size(), steps.as<i64>(), places.as<i64>(), steps.size(),
                            out.as<i64>());
}

Result sketch_steps(const DenseRowsArgs& rows, const Problem& problem, const DenseSketchArgs& sketch, const In& blocks,
                    const RowProductsArgs* products) {
    static_assert(sizeof(BlockPlace) == 5 * sizeof(i64));
    return by_float(rows.x, [&]<class T>(T) {
        const DenseRows<T> given = rows.as<T>();
        const i64 d = given.n_columns;
        check(d == sketch.n_columns() && blocks.shape(1) == 5, "blocks (b, 5), X and w of one width");
        Scratch<T> scratch(5 * (d + MAX_LANES));
        RowProducts<T> wanted{};
        Padded<T> directions = products != nullptr ? products->padded<T>() : Padded<T>(0, 0);
        if (products != nullptr) wanted = products->as<T>(given.n_rows, directions);
        return result(loops<T>().sgd.sketch_steps(
            given, problem, sketch.as<T>(), reinterpret_cast<const BlockPlace*>(blocks.as<i64>()), blocks.shape(0),
            products != nullptr ? &wanted : nullptr, scratch.data()));
    });
}

void close_chunk(const DenseSketchArgs& sketch, const Place& place, bool open_pair) {
    by_float(sketch.w, [&]<class T>(T) {
        loops<T>().sgd.close_chunk(sketch.as<T>(), sketch.n_columns(), place, sketch.moments.shape(0), open_pair);
    });
}

Result replay_steps(const DenseRowsArgs& rows, const Problem& problem, const Out& w, const Out& gains, const Out& tally) {
    return by_float(rows.x, [&]<class T>(T) {
        const DenseRows<T> given = rows.as<T>();
        check(w.size() == given.n_columns && gains.size() == given.n_steps, "w (d,), gains (steps,)");
        Scratch<double> scratch(given.n_columns + MAX_LANES);
        return result(loops<T>().sgd.replay_steps(given, problem, w.as<double>(), gains.as<T>(), tally.as<double>(),
                                                  scratch.data()));
    });
}

Result sketch_batches(const DenseRowsArgs& rows, const Problem& problem, const MiniBatchArgs& batch,
                      const DenseSketchArgs& sketch, const Place& place, const Out& gains) {
    return by_float(rows.x, [&]<class T>(T) {
        const DenseSketch<T> state = sketch.as<T>();
        return result(loops<T>().sgd.sketch_batches(rows.as<T>(), problem, batch.as<T>(), state.chunk, state.moments,
                                                    sketch.moments.shape(0), place, gains.as<T>(), state.tally));
    });
}

void close_sketch_batch(const MiniBatchArgs& batch, const DenseSketchArgs& sketch, const Place& place) {
    by_float(sketch.w, [&]<class T>(T) {
        const DenseSketch<T> state = sketch.as<T>();
        loops<T>().sgd.close_sketch_batch(batch.as<T>(), sketch.n_columns(), state.chunk, state.moments,
                                          sketch.moments.shape(0), place);
    });
}

Result replay_batches(const DenseRowsArgs& rows, const Problem& problem, const MiniBatchArgs& batch, const Out& w,
                      const Out& gains, const Out& tally) {
    return by_float(rows.x, [&]<class T>(T) {
        return result(loops<T>().sgd.replay_batches(rows.as<T>(), problem, batch.as<double>(), w.as<double>(),
                                                    gains.as<T>(), tally.as<double>()));
    });
}

Result csr_steps(const SparseRowsArgs& rows, const Problem& problem, const SparseRunArgs& run, const Place& place,
                 const Out& gains) {
    Scratch<double> basis(run.n_moments());
    return by_float(rows.data, [&]<class T>(T) {
        return by_index(rows.indices, [&]<class Index>(Index) {
            const SparseRows<T, Index> given = rows.as<T, Index>();
            const auto steps = [] {
                if constexpr (sizeof(Index) == 4) return loops<T>().sgd.csr_steps_32;
                else return loops<T>().sgd.csr_steps_64;
            }();
            return result(steps(given, problem, run.w.as<double>(), run.n_columns(), run.centre_of(),
                                run.moments.as<double>(), run.n_moments(), place, gains.as<T>(),
                                run.tally.as<double>(), basis.data()));
        });
    });
}

std::tuple<End, i64, i64> csr_batches(const SparseRowsArgs& rows, const Problem& problem, const SparseRunArgs& run,
                                      const MiniBatchArgs& batch, const TouchedArgs& touched, const Place& place,
                                      const Out& gains) {
    Scratch<double> basis(run.n_moments());
    Touched columns = touched.as();
    const Ended ended = by_float(rows.data, [&]<class T>(T) {
        return by_index(rows.indices, [&]<class Index>(Index) {
            const SparseRows<T, Index> given = rows.as<T, Index>();
            const auto steps = [] {
                if constexpr (sizeof(Index) == 4) return loops<T>().sgd.csr_batches_32;
                else return loops<T>().sgd.csr_batches_64;
            }();
            return steps(given, problem, run.w.as<double>(), run.n_columns(), run.centre_of(), batch.as<double>(),
                         &columns, run.moments.as<double>(), run.n_moments(), place, gains.as<T>(),
                         run.tally.as<double>(), basis.data());
        });
    });
    return {ended.end, ended.n_steps, columns.count};
}

void close_csr_batch(const SparseRunArgs& run, const MiniBatchArgs& batch, const TouchedArgs& touched, const Place& place) {
    Scratch<double> basis(run.n_moments());
    Touched columns = touched.as();
    loops<double>().sgd.close_csr_batch(run.w.as<double>(), run.centre_of(), batch.as<double>(), &columns,
                                        run.moments.as<double>(), run.n_moments(), place, basis.data());
}

}  // namespace

void bind_sgd(nb::module_& m) {
    nb::enum_<End>(m, "End", "How a loop of steps ended.")
        .value("FINISHED", End::finished, "All steps were made.")
        .value("NOT_FINITE", End::not_finite, "A row has an entry that is not finite, or a squared norm that overflows.")
        .value("EXPLODED", End::exploded, "A residual has grown beyond everything that the targets explain.");
    nb::class_<Problem>(m, "Problem", "The step, the largest step * weight * |x|^2 of a row, and |w_0|^2.")
        .def(nb::init<double, double, double>(), nb::kw_only(), "step"_a, "limit"_a, "start_square"_a);
    nb::class_<Place>(m, "Place", "Where a run stands in its block: offset of length steps, in chunks of a degree.")
        .def(nb::init<i64, i64, i64, i64>(), nb::kw_only(), "offset"_a, "length"_a, "chunk"_a, "degree"_a);
    nb::class_<DenseRowsArgs>(m, "DenseRows", "X (n, d), y (n,), weight (n,), and the order of the steps or None.")
        .def(nb::init<In, In, In, MaybeIn>(), nb::kw_only(), "X"_a, "y"_a, "weight"_a, "order"_a = nb::none());
    nb::class_<SparseRowsArgs>(m, "SparseRows", "CSR rows, y (n,), weight (n,), and the order of the steps or None.")
        .def(nb::init<In, In, In, In, In, MaybeIn>(), nb::kw_only(), "data"_a, "indices"_a, "indptr"_a, "y"_a,
             "weight"_a, "order"_a = nb::none());
    nb::class_<DenseSketchArgs>(m, "DenseSketch", "Changing arrays of a dense run of one target that keeps a sketch.")
        .def(nb::init<Out, Out, Out, Out, Out, Out, Out>(), nb::kw_only(), "w"_a, "anchor"_a, "local"_a, "moments"_a,
             "pair_rows"_a, "pair_opened"_a, "tally"_a);
    nb::class_<SparseRunArgs>(m, "SparseRun", "Changing arrays of a run over sparse rows of one target.")
        .def(nb::init<Out, Out, Out, Out, In, double>(), nb::kw_only(), "w"_a, "moments"_a, "product"_a, "tally"_a,
             "centre"_a, "centre_square"_a);
    nb::class_<MiniBatchArgs>(m, "MiniBatch", "An open mini-batch: rows of its size are in gradient (d,).")
        .def(nb::init<i64, i64, Out>(), nb::kw_only(), "size"_a, "rows"_a, "gradient"_a);
    nb::class_<TouchedArgs>(m, "Touched", "Columns that an open mini-batch of sparse rows has touched.")
        .def(nb::init<Out, Out, i64>(), nb::kw_only(), "marked"_a, "listed"_a, "count"_a);
    nb::class_<RowProductsArgs>(m, "RowProducts", "Directions (k, d); products (n, 2 + k) gets 1, y and <x, direction>.")
        .def(nb::init<In, Out>(), nb::kw_only(), "directions"_a, "products"_a);

    const nb::call_guard<nb::gil_scoped_release> no_gil;
    m.def("scatter_steps", &scatter, "order"_a, "steps"_a, "places"_a, "out"_a, no_gil,
          "Fill out (m + k,) with order (m,) and steps (k,), each after the first places (k,) rows of order.");
    m.def("sketch_steps", &sketch_steps, "rows"_a, "problem"_a, "sketch"_a, "blocks"_a, "products"_a.none() = nb::none(),
          no_gil, "Take a step per dense row through blocks (b, 5) and add the increments to the sketch.");
    m.def("close_chunk", &close_chunk, "sketch"_a, "place"_a, "open_pair"_a, no_gil,
          "Add the step of an open pair and the open chunk to the moments, as if the run ended here.");
    m.def("replay_steps", &replay_steps, "rows"_a, "problem"_a, "w"_a, "gains"_a, "tally"_a, no_gil,
          "Take a step per dense row and keep its gain.");
    m.def("sketch_batches", &sketch_batches, "rows"_a, "problem"_a, "batch"_a, "sketch"_a, "place"_a, "gains"_a, no_gil,
          "Take a step per mini-batch of dense rows within one block of a sketch.");
    m.def("close_sketch_batch", &close_sketch_batch, "batch"_a, "sketch"_a, "place"_a, no_gil,
          "Take the step of an open mini-batch of dense rows.");
    m.def("replay_batches", &replay_batches, "rows"_a, "problem"_a, "batch"_a, "w"_a, "gains"_a, "tally"_a, no_gil,
          "Take a step per mini-batch of dense rows and keep the gains.");
    m.def("csr_steps", &csr_steps, "rows"_a, "problem"_a, "run"_a, "place"_a, "gains"_a, no_gil,
          "Take a step per sparse row within one block.");
    m.def("csr_batches", &csr_batches, "rows"_a, "problem"_a, "run"_a, "batch"_a, "touched"_a, "place"_a, "gains"_a,
          no_gil, "Take a step per mini-batch of sparse rows within one block; also returns the columns touched.");
    m.def("close_csr_batch", &close_csr_batch, "run"_a, "batch"_a, "touched"_a, "place"_a, no_gil,
          "Take the step of an open mini-batch of sparse rows.");
}

}  // namespace ridgeway
