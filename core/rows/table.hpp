// Loops over rows, of one level: what each does is said where it is defined.
#pragma once

#include "numbers.hpp"

namespace ridgeway {

template <class T>
struct RowLoops {
    void (*squared_norms)(const T* x, i64 n_rows, i64 n_columns, T* norms);
    void (*squared_norms_of)(const T* x, i64 n_rows, i64 n_columns, const i64* order, i64 n_ordered, T* norms);
};

}  // namespace ridgeway
