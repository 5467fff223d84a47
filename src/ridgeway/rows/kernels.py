"""Loops over the rows themselves: norms, products, sums, gathering, standardizing, the soundness of a CSR matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled, compiled_in_order
from ridgeway.prefetch import ROWS_AHEAD, fetch_row
from ridgeway.rows.types import Float, Scalar


@compiled
def dense_squared_norms(X: Float, norms: Float) -> None:
    """Fill norms (n,) with the squared norms of the rows of X (n, d)."""
    for i in range(X.shape[0]):
        total = X.dtype.type(0)
        for c in range(X.shape[1]):
            total += X[i, c] * X[i, c]
        norms[i] = total


@compiled
def some_squared_norms(X: Float, order: NDArray[np.intp], norms: Float) -> None:
    """Fill norms (len(order),) with the squared norms of some rows of X (n, d)."""
    for i in range(len(order)):
        fetch_row(X, order[min(i + ROWS_AHEAD, len(order) - 1)])
        row, total = order[i], X.dtype.type(0)
        for c in range(X.shape[1]):
            total += X[row, c] * X[row, c]
        norms[i] = total


@compiled
def one_target_six_products(X: Float, y: Float, coefs: Float, out: Float) -> None:
    """Fill out (n, 8) with 1, y (n, 1) and X (n, d) times the rows of coefs (6, d).

    BLAS would read the rows twice as slowly for so few columns: it packs them first.
    """
    zero = X.dtype.type(0)
    for i in range(X.shape[0]):
        s0, s1, s2, s3, s4, s5 = zero, zero, zero, zero, zero, zero
        for c in range(X.shape[1]):
            value = X[i, c]
            s0 += value * coefs[0, c]
            s1 += value * coefs[1, c]
            s2 += value * coefs[2, c]
            s3 += value * coefs[3, c]
            s4 += value * coefs[4, c]
            s5 += value * coefs[5, c]
        out[i, 0], out[i, 1] = 1, y[i, 0]
        out[i, 2], out[i, 3], out[i, 4], out[i, 5], out[i, 6], out[i, 7] = s0, s1, s2, s3, s4, s5


@compiled
def csr_squared_norms(data: Float, indptr: NDArray[np.int64], norms: Float) -> None:
    """Fill norms (n,) with the squared norms of the CSR rows."""
    for i in range(len(indptr) - 1):
        total = data.dtype.type(0)
        for e in range(indptr[i], indptr[i + 1]):
            total += data[e] * data[e]
        norms[i] = total


@compiled
def csr_fault(
    indices: NDArray[np.integer[Any]], indptr: NDArray[np.integer[Any]], n_entries: int, n_columns: int
) -> int:
    """0: sound; 1: unsorted or repeated columns in a row; 2: something points outside."""
    fault = 0
    if indptr[0] != 0 or indptr[-1] > n_entries or indptr[-1] > len(indices):
        return 2
    for i in range(len(indptr) - 1):
        if indptr[i] > indptr[i + 1]:
            return 2
        previous = -1
        for e in range(indptr[i], indptr[i + 1]):
            column = indices[e]
            if column < 0 or column >= n_columns:
                return 2
            if column <= previous:
                fault = 1
            previous = column
    return fault


@compiled
def gather_csr(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    order: NDArray[np.intp],
    new_indptr: NDArray[np.int64],
    new_data: Float,
    new_indices: NDArray[np.unsignedinteger[Any]],
) -> None:
    """Copy the rows of `order` behind each other into new_data and new_indices."""
    for i in range(len(order)):
        start = indptr[order[i]]
        for e in range(new_indptr[i + 1] - new_indptr[i]):
            new_data[new_indptr[i] + e] = data[start + e]
            new_indices[new_indptr[i] + e] = indices[start + e]


@compiled
def dense_sums(
    X: Float,
    weight: NDArray[np.float64],
    origin: Float,
    gauge: Float,
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
) -> None:
    """Add sum_i weight_i u_i and sum_i weight_i u_i^2 to sums and squares (d,), for u_i = (x_i - origin) * gauge.

    Groups of 32 rows are summed in the precision of X, which keeps to the speed of memory; the gauge keeps the squares
    within it.
    """
    n_rows, n_columns = X.shape
    zero = X.dtype.type(0)
    part, part2 = np.zeros(n_columns, X.dtype), np.zeros(n_columns, X.dtype)
    for first in range(0, n_rows, 32):
        for i in range(first, min(first + 32, n_rows)):
            c_i = X.dtype.type(weight[i])
            for c in range(n_columns):
                deviation = (X[i, c] - origin[c]) * gauge[c]
                part[c] += c_i * deviation
                part2[c] += c_i * deviation * deviation
        for c in range(n_columns):
            sums[c] += part[c]
            squares[c] += part2[c]
            part[c] = zero
            part2[c] = zero


@compiled_in_order
def dense_weighted_sum(X: Float, weight: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """Add weight_i x_i to sums (d,), row after row, in float64: the rows in other pieces come to the same bits.

    Four rows at a time, so that the sums are read and written a quarter as often.
    """
    n_rows, n_columns = X.shape
    whole = n_rows - n_rows % 4
    for i in range(0, whole, 4):
        a, b, c, d = weight[i], weight[i + 1], weight[i + 2], weight[i + 3]
        for j in range(n_columns):
            sums[j] = (((sums[j] + a * X[i, j]) + b * X[i + 1, j]) + c * X[i + 2, j]) + d * X[i + 3, j]
    for i in range(whole, n_rows):
        for j in range(n_columns):
            sums[j] += weight[i] * X[i, j]


@compiled_in_order
def csr_weighted_sum(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    weight: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Add weight_i x_i of CSR rows to sums (d,), row after row, in float64."""
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            sums[indices[e]] += weight[i] * data[e]


@compiled
def target_moments(
    y: Float, weight: Float, total: float, mean: NDArray[np.float64], spread: NDArray[np.float64]
) -> None:
    """Fill mean and spread (targets,) with sum_i weight_i y_i / total and sum_i weight_i (y_i - mean)^2.

    Summed about the first target, so that the mean of targets which are all alike is exactly that.
    """
    for q in range(y.shape[1]):
        first, second = 0.0, 0.0
        for i in range(y.shape[0]):
            first += weight[i] * (y[i, q] - y[0, q])
        mean[q] = y[0, q] + first / total
        for i in range(y.shape[0]):
            deviation = y[i, q] - mean[q]
            second += weight[i] * deviation * deviation
        spread[q] = second


@compiled
def standardize_targets(y: Float, offset: NDArray[np.float64], scale: NDArray[np.float64], out: Float) -> float:
    """Fill out (n, targets) with (y - offset) / scale, and return the sum of their squares."""
    squares = 0.0
    for q in range(y.shape[1]):
        inverse = 1.0 / scale[q]  # once: the compiler might divide by it here and multiply there
        for i in range(y.shape[0]):
            value = (y[i, q] - offset[q]) * inverse
            out[i, q] = value
            squares += value * value
    return squares


@compiled
def csr_sums(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    weight: NDArray[np.float64],
    sums: NDArray[np.float64],
    largest: NDArray[np.float64],
) -> None:
    """Add sum_i weight_i x_i to sums (d,), and raise largest (d,) to the largest |entry| of each column."""
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            value = np.float64(data[e])
            sums[indices[e]] += weight[i] * value
            largest[indices[e]] = max(largest[indices[e]], abs(value))


@compiled
def standardize_dense(
    X: Float, order: NDArray[np.intp], offset: Float, rest: Float, inverse: Float, constant: float, out: Float
) -> Scalar:
    """Fill out (len(order), d or d + 1) with (x - offset - rest) * inverse, and constant in a last column.

    Returns 0, or NaN when an entry is not finite. Rows are asked for ahead: from a random order of 64 MB, rows of 100
    columns then take 50 ns instead of 87.
    """
    n_columns = X.shape[1]
    zero = out.dtype.type(0)
    nothing = zero
    for i in range(len(order)):
        row = order[i]
        fetch_row(X, order[min(i + ROWS_AHEAD, len(order) - 1)])
        for c in range(n_columns):
            value = (X[row, c] - offset[c] - rest[c]) * inverse[c]
            out[i, c] = value
            nothing += zero * value
        for c in range(n_columns, out.shape[1]):
            out[i, c] = constant
    return nothing


@compiled
def standardize_csr(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    order: NDArray[np.intp],
    inverse: NDArray[np.float64],
    constant: float,
    new_indptr: NDArray[np.int64],
    new_data: Float,
    new_indices: NDArray[np.unsignedinteger[Any]],
) -> None:
    """Copy the rows of `order` with each entry times inverse of its column, and constant in a last column if not 0."""
    for i in range(len(order)):
        e = new_indptr[i]
        for old in range(indptr[order[i]], indptr[order[i] + 1]):
            new_data[e] = data[old] * inverse[indices[old]]
            new_indices[e] = indices[old]
            e += 1
        if constant != 0:
            new_data[e] = constant
            new_indices[e] = len(inverse)
