// Loops over rows, of one level: what each does is said where it is defined.
#pragma once

#include "numbers.hpp"

namespace ridgeway {

template <class T>
struct RowLoops {
    void (*squared_norms)(const T* x, i64 n_rows, i64 n_columns, T* norms);
    void (*squared_norms_of)(const T* x, i64 n_rows, i64 n_columns, const i64* order, i64 n_ordered, T* norms);
    void (*csr_squared_norms)(const T* data, i64 n_entries, const i64* indptr, i64 n_rows, T* norms);
    void (*row_products)(const T* x, i64 n_rows, i64 n_columns, const T* y, const T* directions, i64 n_directions,
                         i64 stride, T* out);
    void (*column_sums)(const T* x, i64 n_rows, i64 n_columns, const double* weight, const T* origin, const T* gauge,
                        T* scratch, double* sums, double* squares);
    void (*weighted_sum)(const T* x, i64 n_rows, i64 n_columns, const double* weight, double* sums);
    bool (*standardize_rows)(const T* x, i64 n_rows, i64 n_columns, const i64* order, i64 n_ordered, const T* offset,
                             const T* offset_rest, const T* inverse, T constant, T* out, i64 n_out);
    void (*standardized_norms)(const T* x, i64 n_rows, i64 n_columns, const T* offset, const T* offset_rest,
                               const T* inverse, T constant, T* scratch, i64 n_out, T* norms);
    bool (*centre_rows)(const T* x, i64 n_columns, const i64* order, i64 n_ordered, const double* offset,
                        const double* inverse, const double* share, const double* root, double* out, double* origin,
                        double* shift, double* largest_entry);
};

}  // namespace ridgeway
