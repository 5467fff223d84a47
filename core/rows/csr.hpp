// Loops over the entries of CSR rows: row i has data[indptr[i]..indptr[i + 1]) in the columns indices[...]. They jump
// about in memory and gain nothing from lanes, so they are compiled once.
#pragma once

#include "numbers.hpp"

namespace ridgeway {
namespace {

enum CsrFault { SOUND = 0, UNSORTED = 1, OUTSIDE = 2 };

// Whether all indices (n_indices) and indptr (n_rows + 1), not yet validated, stay within n_entries numbers and
// n_columns columns, and whether the columns of each row increase. Reads nothing beyond the arrays, whatever they hold.
template <class Index, class Pointer>
CsrFault csr_fault(const Index* indices, i64 n_indices, const Pointer* indptr, i64 n_rows, i64 n_entries,
                   i64 n_columns) {
    if (n_rows < 0 || indptr[0] != 0 || indptr[n_rows] > n_entries || indptr[n_rows] > n_indices) return OUTSIDE;
    for (i64 i = 0; i < n_rows; ++i) {
        if (indptr[i] > indptr[i + 1]) return OUTSIDE;
    }
    CsrFault fault = SOUND;
    for (i64 i = 0; i < n_rows; ++i) {
        i64 previous = -1;
        for (i64 e = indptr[i]; e < indptr[i + 1]; ++e) {
            const i64 column = indices[e];
            if (column < 0 || column >= n_columns) return OUTSIDE;
            if (column <= previous) fault = UNSORTED;
            previous = column;
        }
    }
    return fault;
}

// Copies the rows order (n_ordered) one after the other to new_data and new_indices; new_indptr (n_ordered + 1) says
// where each begins.
template <class T, class Index>
void gather_csr(const T* data, const Index* indices, const i64* indptr, const i64* order, i64 n_ordered,
                const i64* new_indptr, T* __restrict new_data, Index* __restrict new_indices) {
    for (i64 i = 0; i < n_ordered; ++i) {
        const i64 start = indptr[order[i]], count = new_indptr[i + 1] - new_indptr[i], to = new_indptr[i];
        for (i64 e = 0; e < count; ++e) new_data[to + e] = data[start + e];
        for (i64 e = 0; e < count; ++e) new_indices[to + e] = indices[start + e];
    }
}

// Does the same with each entry times inverse (n_columns) of its column, and with an entry `constant` in column
// n_columns at the end of each row, unless it is 0; new_indptr counts it.
template <class T, class Index>
void standardize_csr(const T* data, const Index* indices, const i64* indptr, const i64* order, i64 n_ordered,
                     const double* inverse, i64 n_columns, double constant, const i64* new_indptr,
                     T* __restrict new_data, Index* __restrict new_indices) {
    for (i64 i = 0; i < n_ordered; ++i) {
        i64 to = new_indptr[i];
        for (i64 e = indptr[order[i]]; e < indptr[order[i] + 1]; ++e, ++to) {
            new_data[to] = static_cast<T>(data[e] * inverse[indices[e]]);
            new_indices[to] = indices[e];
        }
        if (constant != 0) {
            new_data[to] = static_cast<T>(constant);
            new_indices[to] = static_cast<Index>(n_columns);
        }
    }
}

// Adds weight_i x_i to sums (n_columns), row after row, in double: splitting the rows otherwise gives the same bits.
template <class T, class Index>
void csr_weighted_sum(const T* data, const Index* indices, const i64* indptr, i64 n_rows, const double* weight,
                      double* sums) {
    for (i64 i = 0; i < n_rows; ++i) {
        for (i64 e = indptr[i]; e < indptr[i + 1]; ++e) sums[indices[e]] += weight[i] * data[e];
    }
}

// Does the same, and raises most (n_columns) to the largest |entry| of each column.
template <class T, class Index>
void csr_column_sums(const T* data, const Index* indices, const i64* indptr, i64 n_rows, const double* weight,
                     double* sums, double* most) {
    for (i64 i = 0; i < n_rows; ++i) {
        for (i64 e = indptr[i]; e < indptr[i + 1]; ++e) {
            const double value = data[e];
            sums[indices[e]] += weight[i] * value;
            most[indices[e]] = largest(most[indices[e]], absolute(value));
        }
    }
}

}  // namespace
}  // namespace ridgeway
