// What the loops of SGD are told about rows, problem and state, and the loops of one level.
#pragma once

#include "numbers.hpp"
#include "trajectory/table.hpp"

namespace ridgeway {

// The step of a run, and what its guard needs: the largest step * weight * |x|^2 that a row may have before its own step
// is clipped, and |w_0|^2.
struct Problem {
    double step, limit, start_square;
};

// How a loop ended, and after how many steps.
enum class End : int { finished = 0, not_finite = 1, exploded = 2 };
struct Ended {
    End end;
    i64 n_steps;
};

// Rows of an array x (n_rows, n_columns), gone through in `order` (n_steps), or as they lie where that is null; their
// targets y and weights, (n_rows) each.
template <class T>
struct DenseRows {
    const T* x;
    i64 n_rows, n_columns;
    const i64* order;
    i64 n_steps;
    const T* y;
    const T* weight;

    i64 number(i64 step) const { return order == nullptr ? step : order[step]; }
};

// CSR rows: row i has data[indptr[i] .. indptr[i + 1]] in the columns `indices`.
template <class T, class Index>
struct SparseRows {
    const T* data;
    const Index* indices;
    const i64* indptr;
    const i64* order;
    i64 n_steps;
    const T* y;
    const T* weight;

    i64 number(i64 step) const { return order == nullptr ? step : order[step]; }
};

// Products of dense rows with some directions, taken while a step waits: products (n_rows, 2 + n_directions) is filled
// with 1, y and <x, directions[k]>. directions (n_directions, stride) are 0 from n_columns to stride, whole lanes.
template <class T>
struct RowProducts {
    const T* directions;
    i64 n_directions, stride;
    T* products;
};

// The state of a dense run of one target that keeps a sketch. moments holds the blocks behind each other, each
// (moments of the block, n_columns). The first row of a pair whose second one has not come yet waits in pair_rows
// (2, n_columns), its rate and its residual in pair_opened (2).
template <class T>
struct DenseSketch {
    Chunk<T> chunk;
    double* moments;
    T* pair_rows;
    T* pair_opened;
    double* tally;
};

// One block that the steps of a call fall into.
struct BlockPlace {
    i64 offset, length, chunk, degree, n_moments;
};

// The open mini-batch: `rows` of its `size` rows are in gradient (n_columns), the sum of gains times x.
template <class W>
struct OpenBatch {
    i64 size, rows;
    W* gradient;
};

// Columns that the open mini-batch of sparse rows has touched: flagged in marked, listed in listed.
struct Touched {
    bool* marked;
    i64* listed;
    i64 count;
};

// What sparse rows are centred at without storing it: mean (n_columns) or null, |mean|^2, and <w, mean>, which changes
// with w.
struct Centre {
    const double* mean;
    double square;
    double* product;
};

template <class T>
struct SgdLoops {
    // Steps over dense rows that add their increments to a sketch. Two rows at a time; see paired_steps.hpp.
    Ended (*sketch_steps)(const DenseRows<T>&, const Problem&, const DenseSketch<T>&, const BlockPlace* blocks,
                          i64 n_blocks, const RowProducts<T>* products, T* scratch);
    // Adds the step of an open pair, if there is one, and the open chunk to the moments of a state that ends here.
    void (*close_chunk)(const DenseSketch<T>&, i64 n_columns, Place, i64 n_moments, bool open_pair);
    // Steps over dense rows that keep one gain per step; w (n_columns) in double.
    Ended (*replay_steps)(const DenseRows<T>&, const Problem&, double* w, T* gains, double* tally, double* scratch);
    // Mini-batch steps over dense rows with a sketch, w in the precision of the rows, or without one, w in double.
    Ended (*sketch_batches)(const DenseRows<T>&, const Problem&, OpenBatch<T>, const Chunk<T>&, double* moments,
                            i64 n_moments, Place, T* gains, double* tally);
    Ended (*replay_batches)(const DenseRows<T>&, const Problem&, OpenBatch<double>, double* w, T* gains, double* tally);
    void (*close_sketch_batch)(OpenBatch<T>, i64 n_columns, const Chunk<T>&, double* moments, i64 n_moments, Place);
    // Steps over sparse rows; moments (n_columns, n_moments), n_moments = 0 keeps none. basis (n_moments) is scratch.
    Ended (*csr_steps_32)(const SparseRows<T, std::uint32_t>&, const Problem&, double* w, i64 n_columns, Centre,
                          double* moments, i64 n_moments, Place, T* gains, double* tally, double* basis);
    Ended (*csr_steps_64)(const SparseRows<T, std::uint64_t>&, const Problem&, double* w, i64 n_columns, Centre,
                          double* moments, i64 n_moments, Place, T* gains, double* tally, double* basis);
    Ended (*csr_batches_32)(const SparseRows<T, std::uint32_t>&, const Problem&, double* w, i64 n_columns, Centre,
                            OpenBatch<double>, Touched*, double* moments, i64 n_moments, Place, T* gains, double* tally,
                            double* basis);
    Ended (*csr_batches_64)(const SparseRows<T, std::uint64_t>&, const Problem&, double* w, i64 n_columns, Centre,
                            OpenBatch<double>, Touched*, double* moments, i64 n_moments, Place, T* gains, double* tally,
                            double* basis);
    void (*close_csr_batch)(double* w, Centre, OpenBatch<double>, Touched*, double* moments, i64 n_moments, Place,
                            double* basis);
};

}  // namespace ridgeway
