"""Moments of rows: means and spreads of columns and targets, which add up over any parts of the data."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows.batch import Batch
from ridgeway.rows.check import require_finite_rows
from ridgeway.rows.forms import DenseRows, SparseRows, readonly
from ridgeway.rows.kernels import csr_sums, dense_sums, target_moments
from ridgeway.state import FLOATS, State, Stored

SAMPLE = 1024  # rows whose mean is the origin of the sums


@dataclass(frozen=True, eq=False)
class RowMoments:
    """What offsets and scales are made of, over some rows; ``a + b`` are the moments of both.

    Attributes
    ----------
    n_rows : number of rows.
    weight : sum of their weights.
    mean, spread : (d,), weighted mean of each column, and sum of weight * (x - mean)^2.
    largest : (d,), largest absolute entry of sparse columns; 1 for dense ones.
    target_mean, target_spread : (targets,).
    sparse, single_target : form of the rows and of y.
    dtype : precision of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.rows import check_batch
    >>> X, y = np.array([[1.0], [2.0], [6.0]]), np.array([0.0, 1.0, 2.0])
    >>> halves = RowMoments.of(check_batch(X[:1], y[:1])) + RowMoments.of(check_batch(X[1:], y[1:]))
    >>> halves.mean, halves.spread
    (array([3.]), array([14.]))
    """

    n_rows: int
    weight: float
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    largest: NDArray[np.float64]
    target_mean: NDArray[np.float64]
    target_spread: NDArray[np.float64]
    sparse: bool
    single_target: bool
    dtype: str

    @classmethod
    def of(cls, batch: Batch) -> RowMoments:
        """Return the moments of a batch; an entry that is not finite raises an error that names it."""
        total = float(batch.weight.sum(dtype=np.float64))
        mean, variance, largest = column_moments(batch, np.asarray(batch.weight, np.float64) / total)
        return cls(
            len(batch),
            total,
            mean,
            variance * total,
            largest,
            *spread_of_targets(batch, total),
            not isinstance(batch.rows, DenseRows),
            batch.single_target,
            str(batch.rows.dtype),
        )

    def __add__(self, other: RowMoments) -> RowMoments:
        weight = self.weight + other.weight
        share = other.weight / weight
        apart, apart_y = other.mean - self.mean, other.target_mean - self.target_mean
        return RowMoments(
            self.n_rows + other.n_rows,
            weight,
            self.mean + share * apart,
            self.spread + other.spread + self.weight * share * apart**2,
            np.maximum(self.largest, other.largest),
            self.target_mean + share * apart_y,
            self.target_spread + other.target_spread + self.weight * share * apart_y**2,
            self.sparse,
            self.single_target,
            self.dtype,
        )

    def state(self) -> State:
        """Return the moments as plain values and arrays."""
        return asdict(self)

    @classmethod
    def from_state(cls, stored: Stored) -> RowMoments:
        """Return the moments of a state."""
        mean, target_mean = stored.array("mean", (None,)), stored.array("target_mean", (None,))
        return cls(
            stored.integer("n_rows", 1),
            stored.positive("weight"),
            mean,
            stored.array("spread", mean.shape),
            stored.array("largest", mean.shape),
            target_mean,
            stored.array("target_spread", target_mean.shape),
            stored.flag("sparse"),
            stored.flag("single_target"),
            stored.text("dtype", FLOATS),
        )


def spread_of_targets(batch: Batch, total: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weighted means of the targets, and sums of weight * (y - mean)^2, (targets,); the weights sum to `total`."""
    mean, spread = np.empty(batch.y.shape[1]), np.empty(batch.y.shape[1])
    target_moments(batch.y, batch.weight, total, mean, spread)
    return mean, spread


def column_moments(
    batch: Batch, share: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean, variance and largest |entry| (1 for dense rows) of the columns, (d,), for shares (n,) of sum 1."""
    rows = batch.rows
    n_columns = rows.shape[1]
    sums, squares = np.zeros(n_columns), np.zeros(n_columns)
    with np.errstate(over="ignore", invalid="ignore"):  # found below
        if isinstance(rows, DenseRows):
            sample = rows.array[:: max(1, len(batch) // SAMPLE)].astype(np.float64)
            origin = sample.mean(axis=0).astype(rows.dtype)
            size = np.abs(sample - origin).max(axis=0)
            gauge = np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 1.0)
            gauge = np.clip(gauge, *(np.finfo(rows.dtype).tiny, np.finfo(rows.dtype).max / 4)).astype(rows.dtype)
            # Weights of mean 1 keep the sums within float32.
            dense_sums(rows.array, share * len(batch), origin, gauge, sums, squares)
            sums, squares = sums / len(batch), squares / len(batch)
            mean = origin + sums / gauge
            variance = np.maximum(squares - sums**2, 0.0) / gauge.astype(np.float64) ** 2
            largest = np.ones(n_columns)
        else:
            largest = np.zeros(n_columns)
            csr_sums(rows.data, rows.indices, rows.indptr, share, sums, largest)
            mean, variance = sums, np.zeros(n_columns)
            squared = SparseRows(readonly(np.square(rows.data, dtype=np.float64)), rows.indices, rows.indptr, n_columns)
            csr_sums(squared.data, squared.indices, squared.indptr, share, variance, np.zeros(n_columns))
            variance = np.maximum(variance - mean**2, 0.0)
    if not np.isfinite(mean + variance).all():
        _refuse(batch)
    return mean, variance, largest


def _refuse(batch: Batch) -> None:
    """Raise the error of rows whose sums are not finite."""
    rows = batch.rows
    if isinstance(rows, DenseRows):
        entries = np.isfinite(rows.array).all(axis=1)
    else:
        entries = np.isfinite(np.add.reduceat(np.append(rows.data, 0.0), rows.indptr[:-1]))
    require_finite_rows(rows, np.where(entries, 0.0, np.inf), batch.numbers)
    raise ValueError(
        f"the squares of X exceed {rows.dtype} (largest entry {rows.largest_entry():g}): scale the columns down."
    )
