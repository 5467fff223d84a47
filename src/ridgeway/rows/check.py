"""Checks: whatever the user hands over becomes a batch, or an error that says got, expected and remedy.

Input that already has the right form is viewed, anything else copied once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from ridgeway.rows.batch import Batch
from ridgeway.rows.forms import AnyRows, DenseRows, SparseRows, readonly
from ridgeway.rows.kernels import csr_fault
from ridgeway.rows.types import Float


def check_rows(X: Any, *, dtype: np.dtype[np.floating[Any]] | None = None) -> AnyRows:
    """Bring X into a form the kernels read, without looking at the values of a dense X.

    Parameters
    ----------
    X : array, data frame or scipy sparse matrix of shape (n_rows, n_columns).
    dtype : the precision to convert to; by default float32 stays and everything else becomes float64.
    """
    rows = _sparse_rows(X, dtype) if scipy.sparse.issparse(X) else _dense_rows(X, dtype)
    n_rows, n_columns = rows.shape
    if n_rows == 0:
        raise ValueError("X has no rows: expected at least one; skip empty batches.")
    if n_columns == 0:
        raise ValueError(f"X has shape ({n_rows}, 0): expected at least one column.")
    return rows


def check_batch(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, dtype: np.dtype[np.floating[Any]] | None = None
) -> Batch:
    """Check X, y and the weights against each other; the values of a dense X are left to the reader.

    Parameters
    ----------
    X : array, data frame or scipy sparse matrix of shape (n_rows, n_columns).
    y : (n_rows,) or (n_rows, n_targets).
    sample_weight : (n_rows,), each 0 or more; None means 1 for every row.
    dtype : the precision to convert to; by default float32 stays and everything else becomes float64.
    """
    rows = check_rows(X, dtype=dtype)
    n_rows = rows.shape[0]
    targets = _numeric("y", y, rows.dtype)
    if targets.ndim not in (1, 2) or targets.shape[0] != n_rows or targets.size == 0:
        raise ValueError(
            f"y has shape {targets.shape} but X has {n_rows} rows: expected ({n_rows},) or ({n_rows}, targets)."
        )
    _require_finite("y", targets)
    if sample_weight is None:
        weight: Float = np.ones(n_rows, rows.dtype)
    else:
        weight = _numeric("sample_weight", sample_weight, rows.dtype)
        if weight.shape != (n_rows,):
            raise ValueError(
                f"sample_weight has shape {weight.shape} but X has {n_rows} rows: expected ({n_rows},), one per row."
            )
        _require_finite("sample_weight", weight)
        if (weight < 0).any():
            row = int(np.argmax(weight < 0))
            raise ValueError(
                f"sample_weight[{row}] = {weight[row]} is negative: weights must be 0 or more; 0 leaves a row out."
            )
    batch = Batch(rows, readonly(targets.reshape(n_rows, -1)), readonly(weight), targets.ndim == 1)
    if sample_weight is not None and not weight.all():
        return batch.take(np.flatnonzero(weight))
    return batch


def require_finite_rows(rows: AnyRows, squared_norms: Float) -> None:
    """Raise an error that names the first bad entry when some squared norm is not finite."""
    if np.isfinite(squared_norms.sum(dtype=np.float64)):
        return
    row = int(np.argmin(np.isfinite(squared_norms)))
    if isinstance(rows, DenseRows):
        values, columns = rows.array[row], np.arange(rows.shape[1])
    else:
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        values, columns = rows.data[part], rows.indices[part].astype(np.intp)
    finite = np.isfinite(values)
    if finite.all():
        raise ValueError(
            f"row {row} of X has a squared norm beyond {rows.dtype} (largest entry {np.abs(values).max():g}): "
            "scale the columns or pass float64."
        )
    place = int(np.argmin(finite))
    raise ValueError(
        f"X[{row}, {columns[place]}] is {values[place]}: expected finite numbers; drop or impute missing values first."
    )


def _dense_rows(X: Any, dtype: np.dtype[np.floating[Any]] | None) -> DenseRows:
    array = _numeric("X", X, dtype)
    if array.ndim != 2:
        hint = " Reshape a single row with X.reshape(1, -1)." if array.ndim == 1 else ""
        raise ValueError(f"X has {array.ndim} dimension(s), shape {array.shape}: expected (rows, columns).{hint}")
    return DenseRows(readonly(array))


def _sparse_rows(X: Any, dtype: np.dtype[np.floating[Any]] | None) -> SparseRows:
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}: expected (rows, columns).")
    csr = X.tocsr()
    fault = csr_fault(csr.indices, csr.indptr, len(csr.data), csr.shape[1])
    if fault > 1:
        raise ValueError("X is a damaged CSR matrix: its indices or indptr point outside the matrix; build it anew.")
    if fault == 1:  # unsorted or repeated columns within a row
        csr = csr.copy()
        csr.sum_duplicates()
    unsigned = csr.indices.view(f"u{csr.indices.itemsize}")
    return SparseRows(
        readonly(_numeric("X", csr.data, dtype)),
        readonly(unsigned),
        readonly(csr.indptr.astype(np.int64, copy=False)),
        csr.shape[1],
    )


def _numeric(name: str, values: Any, dtype: np.dtype[np.floating[Any]] | None) -> Float:
    """Convert to an aligned, row-major array of float32 or float64."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        try:
            if array.dtype.kind != "O":
                raise TypeError
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(
                f"{name} holds values of type {array.dtype}, which are not real numbers: "
                "encode categories, text and dates as numbers first."
            ) from None
    if dtype is None:
        dtype = np.dtype(np.float32 if array.dtype in (np.float32, np.float16) else np.float64)
    with np.errstate(over="ignore"):  # what overflows float32 is reported as not finite
        return np.require(array, dtype, ["C", "A"])


def _require_finite(name: str, values: Float) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        index = ", ".join(map(str, place))
        raise ValueError(f"{name}[{index}] is {values[place]}: expected finite numbers; drop such rows first.")
