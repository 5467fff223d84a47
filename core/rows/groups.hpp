// Arrays that belong together, as Python hands them over.
#pragma once

#include "array.hpp"

namespace ridgeway {

// CSR rows that a kernel reads: data and indices (entries), indptr (n_rows + 1), int64; indices are unsigned.
struct Csr {
    In data, indices, indptr;
    i64 n_rows() const { return indptr.size() - 1; }
};

// CSR rows that a kernel fills: indptr is known before.
struct NewCsr {
    Out data, indices;
    In indptr;
};

}  // namespace ridgeway
