"""Validate X, y and weights: return a batch, or raise an error that says what was found, expected, and the remedy.

Input in the right form is not copied, other input is copied once. Some messages contain words that scikit-learn's
estimator checks expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ridgeway import _core
from ridgeway.rows.batch import Batch
from ridgeway.rows.forms import AnyRows, DenseRows, SparseRows, readonly
from ridgeway.rows.types import Float
from ridgeway.rows.weights import ones

MAX_SHOWN_LENGTH = 40  # characters of a refused text


class Labels(NamedTuple):
    """Targets (n_rows, n_targets) and weights (n_rows,) of rows; single_target is True when y was 1-D."""

    y: Float
    weight: Float
    single_target: bool


def check_rows(X: Any, *, dtype: np.dtype[np.floating[Any]] | None = None) -> AnyRows:
    """Convert X to a form that the compiled loops read, without checking the values of a dense X.

    Parameters
    ----------
    X : array, data frame or scipy sparse matrix of shape (n_rows, n_columns).
    dtype : the precision to convert to; by default float32 stays and everything else becomes float64.
    """
    rows = _sparse_rows(X, dtype) if scipy.sparse.issparse(X) else _dense_rows(X, dtype)
    n_rows, n_columns = rows.shape
    if n_rows == 0:
        raise ValueError(f"X has no rows (shape=(0, {n_columns})): expected at least one; skip empty batches.")
    if n_columns == 0:
        raise ValueError(f"X has 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.")
    return rows


def check_batch(
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    dtype: np.dtype[np.floating[Any]] | None = None,
    target_dtype: np.dtype[np.floating[Any]] | None = None,
) -> Batch:
    """Check X, y and the weights against each other; the values of a dense X are checked when they are read.

    Parameters
    ----------
    X : array, data frame or scipy sparse matrix of shape (n_rows, n_columns).
    y : (n_rows,) or (n_rows, n_targets).
    sample_weight : (n_rows,), each 0 or more; None means 1 for every row. Rows of weight 0 are left out, whatever
        they hold.
    dtype : the precision to convert to; by default float32 stays and everything else becomes float64.
    target_dtype : the precision of y and the weights; by default that of the rows.
    """
    rows = check_rows(X, dtype=dtype)
    n_rows = rows.shape[0]
    labels = check_labels(n_rows, y, sample_weight, rows.dtype if target_dtype is None else target_dtype)
    batch = Batch(rows, labels.y, labels.weight, labels.single_target, range(n_rows))
    if sample_weight is not None and not labels.weight.all():
        return batch.take(np.flatnonzero(labels.weight))
    return batch


def check_labels(
    n_rows: int, y: ArrayLike, sample_weight: ArrayLike | None, dtype: np.dtype[np.floating[Any]]
) -> Labels:
    """Check y and the weights; X is checked elsewhere.

    Parameters
    ----------
    n_rows : number of rows of X.
    y, sample_weight : as in `check_batch`; rows of weight 0 stay, and may hold anything.
    dtype : the precision to convert to.
    """
    if y is None:
        raise ValueError("the run requires y to be passed, but the target y is None: expected one number per row.")
    targets = _numeric("y", y, dtype)
    if targets.ndim not in (1, 2) or targets.shape[0] != n_rows or targets.size == 0:
        raise ValueError(
            f"y has shape {targets.shape} but X has {n_rows} rows: expected ({n_rows},) or ({n_rows}, targets)."
        )
    weight = ones(n_rows, dtype) if sample_weight is None else _weights(sample_weight, n_rows, dtype)
    if not _surely_finite(targets):
        allowed = np.isfinite(targets.reshape(n_rows, -1)).all(axis=1) | (weight == 0)
        if not allowed.all():
            row = int(np.argmin(allowed))
            _refuse_value("y", row, targets[row], np.asarray(y)[row])
    return Labels(readonly(targets.reshape(n_rows, -1)), readonly(weight), targets.ndim == 1)


def require_finite_rows(
    rows: AnyRows, squared_norms: Float, numbers: Sequence[int] | NDArray[np.intp] | None = None
) -> None:
    """Raise an error that names the first bad entry if some squared norm is not finite.

    `numbers` gives the number of each row in the user's X, if it differs from its place.
    """
    if _surely_finite(squared_norms) or (sound := np.isfinite(squared_norms)).all():
        return
    row = int(np.argmin(sound))
    if isinstance(rows, DenseRows):
        values, columns = rows.array[row], np.arange(rows.shape[1])
    else:
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        values, columns = rows.data[part], rows.indices[part].astype(np.intp)
    number = row if numbers is None else int(numbers[row])
    finite = np.isfinite(values)
    if finite.all():
        largest = float(np.abs(values).max(initial=0.0))
        remedy = "scale the columns or pass float64" if rows.dtype == np.float32 else "scale the columns down"
        raise ValueError(
            f"row {number} of X has a squared norm beyond {rows.dtype} (largest entry {largest:g}): {remedy}."
        )
    place = int(np.argmin(finite))
    raise ValueError(
        f"X[{number}, {columns[place]}] is {_named(values[place])}: expected finite numbers; "
        "drop or impute missing values first, or learn from the table by ridgeway.tables.fit_table, which takes them."
    )


def require_finite_entries(rows: AnyRows, numbers: Sequence[int] | NDArray[np.intp] | None = None) -> None:
    """Raise an error that names the first entry which is not finite; squared norms may overflow."""
    norms = rows.squared_norms()
    if _surely_finite(norms):
        return
    if isinstance(rows, DenseRows):
        finite = np.isfinite(rows.array).all(axis=1)
    else:
        first, last = rows.indptr[0], rows.indptr[-1]
        bad = first + np.flatnonzero(~np.isfinite(rows.data[first:last]))
        finite = np.ones(rows.shape[0], bool)
        finite[np.searchsorted(rows.indptr, bad, "right") - 1] = False
    require_finite_rows(rows, np.where(finite, 0.0, np.inf), numbers)


def largest_norm(batch: Batch) -> float:
    """Largest weight * |x|^2 of the rows, or an error that names an entry which is not finite."""
    norms = batch.rows.squared_norms()
    require_finite_rows(batch.rows, norms, batch.numbers)
    return float((norms.astype(np.float64) * batch.weight).max())


def _dense_rows(X: Any, dtype: np.dtype[np.floating[Any]] | None) -> DenseRows:
    array = _numeric("X", X, dtype)
    if array.ndim != 2:
        hint = (
            " Reshape your data: X.reshape(1, -1) is one row, X.reshape(-1, 1) one column." if array.ndim == 1 else ""
        )
        raise ValueError(f"X has {array.ndim} dimension(s), shape {array.shape}: expected (rows, columns).{hint}")
    return DenseRows(readonly(array))


def _sparse_rows(X: Any, dtype: np.dtype[np.floating[Any]] | None) -> SparseRows:
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}: expected (rows, columns).")
    csr = X.tocsr()
    fault = _core.csr_fault(_signed(csr.indices), _signed(csr.indptr), len(csr.data), csr.shape[1])
    if fault > 1:
        raise ValueError("X is a damaged CSR matrix: its indices or indptr point outside the matrix; build it again.")
    if fault == 1:  # columns within a row are unsorted or repeated
        csr = csr.copy()
        csr.sum_duplicates()
    indices = _signed(csr.indices)
    return SparseRows(
        readonly(_numeric("X", csr.data, dtype)),
        readonly(indices.view(f"u{indices.itemsize}")),
        readonly(np.require(csr.indptr, np.int64, ["C", "A"])),
        csr.shape[1],
    )


def _signed(numbers: Any) -> NDArray[np.signedinteger[Any]]:
    """Return column numbers or pointers of a CSR matrix in int32 or int64, aligned; copied only if necessary."""
    small = isinstance(numbers, np.ndarray) and numbers.dtype == np.int32
    return np.require(numbers, np.int32 if small else np.int64, ["C", "A"])


def _weights(sample_weight: ArrayLike, n_rows: int, dtype: np.dtype[np.floating[Any]]) -> Float:
    weight = _numeric("sample_weight", sample_weight, dtype)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weight.shape} but X has {n_rows} rows: expected ({n_rows},), one per row."
        )
    if not np.isfinite(weight).all():
        row = int(np.argmin(np.isfinite(weight)))
        _refuse_value("sample_weight", row, weight[row], np.asarray(sample_weight)[row])
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(
            f"sample_weight[{row}] = {weight[row]} is negative: weights must be 0 or more; 0 leaves a row out."
        )
    return weight


def _surely_finite(values: Float) -> bool:
    """Return whether the sum of the values is finite; if not, the sum may have overflowed and proves nothing."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()))


def _numeric(name: str, values: Any, dtype: np.dtype[np.floating[Any]] | None) -> Float:
    """Convert to an aligned, row-major array of float32 or float64."""
    if scipy.sparse.issparse(values):
        raise TypeError(f"{name} is a sparse matrix: expected a dense array; pass {name}.toarray().")
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: fill or drop the masked entries first.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is a list of unequal parts: expected rows of the same length.") from None
    if array.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {name} has type {array.dtype}; pass real and imaginary parts separately."
        )
    if array.dtype.kind == "O":
        array = _from_objects(name, array, getattr(values, "columns", ()))
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} holds values of type {array.dtype}, which are not real numbers: {_conversion(name)}.")
    if dtype is None:
        dtype = np.dtype(np.float32 if array.dtype in (np.float32, np.float16) else np.float64)
    with np.errstate(over="ignore"):  # values that overflow float32 are reported as not finite
        return np.require(array, dtype, ["C", "A"])


def _from_objects(name: str, array: NDArray[Any], columns: Sequence[Any]) -> NDArray[np.float64]:
    """Convert an array of Python objects, all of them numbers; a data frame has names of its columns."""
    for place, value in enumerate(array.ravel()):
        if isinstance(value, str | bytes):
            where = name
            if array.ndim == 2:
                column = place % array.shape[1]
                where = f"column {columns[column] if len(columns) else column!r} of {name}"
            shown = value if len(value) <= MAX_SHOWN_LENGTH else value[:MAX_SHOWN_LENGTH]
            raise TypeError(
                f"{where} holds the text {shown!r}{'' if shown is value else '...'}: every argument must be a number, "
                f"not a string; {_conversion(name)}."
            )
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        kinds = sorted({type(value).__name__ for value in array.ravel() if not isinstance(value, int | float)})
        raise TypeError(
            f"{name} holds objects that are not numbers ({', '.join(kinds)}): argument must be a number, not a string; "
            f"{_conversion(name)}; fill or drop missing values."
        ) from None


def _conversion(name: str) -> str:
    """Return the remedy for values that are not numbers: columns of X can be encoded."""
    if name != "X":
        return "convert them to numbers"
    return (
        "convert them to numbers, or encode the columns with ridgeway.TableEncoder, as ridgeway.tables.fit_table and "
        "the command `ridgeway fit` do"
    )


def _refuse_value(name: str, row: int, converted: Any, given: Any) -> None:
    """Raise the error of a row of y or of the weights that is not finite."""
    place = "" if np.ndim(converted) == 0 else f", {int(np.argmin(np.isfinite(converted)))}"
    column = () if np.ndim(converted) == 0 else int(np.argmin(np.isfinite(converted)))
    value, original = np.asarray(converted)[column], np.asarray(given)[column]
    if isinstance(original, np.floating | np.integer) and np.isfinite(original):
        raise ValueError(
            f"{name}[{row}{place}] = {original:g} is beyond the range of {value.dtype}: scale it down, or pass X as "
            "float64."
        )
    raise ValueError(f"{name}[{row}{place}] is {_named(value)}: expected finite numbers; drop such rows first.")


def _named(value: Any) -> str:
    return "NaN" if np.isnan(value) else str(value)
