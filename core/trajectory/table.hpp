// The arrays that a run adds increments to, and the table of loops compiled for one instruction set.
#pragma once

#include "lanes.hpp"

namespace ridgeway {

// Where a run stands in its block: `offset` of `length` steps are done, in chunks of `chunk` steps, a power of two.
struct Place {
    i64 offset, length, chunk, degree;
};

// The open chunk of a dense run of one target, each array of n columns: w itself; anchor, w at the start of the chunk;
// total, the sum of w after each step since it was last added to excess; excess, the sum of w - anchor over the steps
// before; second, T_2 of the increments.
template <class T>
struct Chunk {
    T* w;
    T* anchor;
    T* total;
    T* excess;
    T* second;
};

constexpr i64 ROWS_AT_ONCE = 8;  // rows that add_dense_rows adds to a sum while it is in registers

// Minus the logarithms of discounts, of n_averages strengths. Marks are the steps of raw blocks, then the first step of
// each other block.
struct GrowthSums {
    i64 n_averages, n_stairs, n_marks;
    const double* growth;  // (n_averages, n_stairs), of one step on each stair
    const double* past;    // (n_averages, n_marks), of all steps up to a mark
    const double* left;    // (n_averages, n_marks), of the steps from there to the end of the run
    const double* total;   // (n_averages), of all steps
};

// Where series on blocks belong. There are n_marks - n_blocks raw steps, whose survival is kept as it is.
struct SeriesBlocks {
    i64 n_blocks, n_moments;
    const i64* raw_columns;    // the column of each raw step
    const i64* first_columns;  // (n_blocks), the first column of each block
    const double* halves;      // (n_blocks), half of a block's last step less its first
    const i64* stair;          // (n_blocks), the stair that a block is on
    const double* shares;      // (n_blocks, padded(n_moments)), what coefficients add to the error; 0 beyond n_moments
};

// Chebyshev nodes (n_nodes), and the matrix (n_nodes, padded(n_nodes)), 0 beyond n_nodes, from values to coefficients.
struct ChebyshevNodes {
    i64 n_nodes;
    const double *nodes, *transform;
};

namespace {
inline i64 padded(i64 n) { return (n + lane_count<double> - 1) / lane_count<double> * lane_count<double>; }
}  // namespace

// CSR rows whose column numbers have 32 or 64 bits, with sums of the rows' precision or in double.
template <class T, class Index, class Sum>
using AddCsrRows = void (*)(const T* data, const Index* indices, const i64* indptr, i64 n_rows, const T* gains,
                            i64 n_targets, const double* factors, i64 n_sums, Sum* scratch, Sum* sums);

template <class T>
struct TrajectoryLoops {
    void (*add_dense_rows)(const T* x, i64 n_rows, i64 n_columns, const T* gains, i64 n_targets, const double* factors,
                           i64 n_sums, double* scratch, double* sums);
    AddCsrRows<T, std::uint32_t, T> add_csr_rows_32;
    AddCsrRows<T, std::uint64_t, T> add_csr_rows_64;
    AddCsrRows<T, std::uint32_t, double> add_csr_rows_32_wide;
    AddCsrRows<T, std::uint64_t, double> add_csr_rows_64_wide;
    void (*add_mixed)(const T* part, const T* mix, i64 n_rows, i64 n_parts, i64 n_sums, T* sums);
};

// Loops over series, in double.
struct SeriesLoops {
    void (*fill_ridge_series)(const GrowthSums& sums, const SeriesBlocks& blocks, const ChebyshevNodes& chebyshev,
                              double flat, i64 n_columns, double* scratch, double* coefficients, double* errors);
};

}  // namespace ridgeway
