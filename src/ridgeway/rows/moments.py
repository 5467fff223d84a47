"""Moments of rows: means and spreads of columns and targets, which add up over any parts of the data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows.batch import Batch
from ridgeway.rows.check import require_finite_entries
from ridgeway.rows.exponent import SMALLEST_NORMAL, far_exponent, scaled
from ridgeway.rows.forms import AnyRows, DenseRows, SparseRows, readonly
from ridgeway.rows.row_lengths import UNEQUAL_LENGTHS, RowLengths
from ridgeway.rows.types import Float
from ridgeway.storage.state import FLOATS, State, Stored

ORIGIN_ROWS = 1024  # their mean is the origin of the sums


class Shares(NamedTuple):
    """Scaled weights of rows: weight_i = `weight[i]` * 2^exponent, and `total` is the sum of `weight`.

    The unscaled weights may be so large or small that their sum, or their products with squares, overflow or underflow.
    """

    weight: Float
    total: float
    exponent: int

    @classmethod
    def of(cls, batch: Batch) -> Shares:
        """Return the weights of a batch, scaled only if they are far from 1."""
        exponent = far_exponent(batch.weight)
        weight: Float = readonly(scaled(batch.weight, exponent))
        return cls(weight, float(weight.sum(dtype=np.float64)), exponent)


@dataclass(frozen=True, eq=False)
class RowMoments:
    """Moments of some rows, from which offsets and scales are computed; ``a + b`` are the moments of both.

    Attributes
    ----------
    n_rows : number of rows.
    weight : sum of their weights.
    mean, spread : (d,), weighted mean of each column, and sum of weight * (x - mean)^2.
    largest : (d,), largest absolute entry of sparse columns; 1 for dense ones.
    target_mean, target_spread : (targets,).
    sparse, single_target : form of the rows and of y.
    dtype : precision of the rows.
    lengths : Euclidean lengths of sparse rows; unequal if they are not known.
    filled : (d,), number of rows whose entry is not 0, for sparse columns; None if it is not known or rows are dense.

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
    lengths: RowLengths = UNEQUAL_LENGTHS
    filled: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, batch: Batch) -> RowMoments:
        """Return the moments of a batch; an entry that is not finite raises an error that names it."""
        shares = Shares.of(batch)
        total = math.ldexp(shares.total, shares.exponent)
        mean, deviation, largest = column_moments(batch, shares)
        target_mean, target_deviation = moments_of_targets(batch, shares)
        with np.errstate(over="ignore", under="ignore"):  # checked below
            spread, target_spread = deviation**2 * total, target_deviation**2 * total
        for name, sizes, squares in (("X", deviation, spread), ("y", target_deviation, target_spread)):
            if not (np.isfinite(squares).all() and ((squares >= SMALLEST_NORMAL) | (sizes == 0)).all()):
                raise ValueError(
                    f"{name} and the weights are too large or too small for float64: their products overflow or vanish "
                    f"(standard deviations from {sizes.min():g} to {sizes.max():g}): scale {name} or the weights."
                )
        return cls(
            len(batch),
            total,
            mean,
            spread,
            largest,
            target_mean,
            target_spread,
            not isinstance(batch.rows, DenseRows),
            batch.single_target,
            str(batch.rows.dtype),
            RowLengths.of(batch.rows),
            filled_rows(batch.rows),
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
            self.lengths + other.lengths,
            None if self.filled is None or other.filled is None else self.filled + other.filled,
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
            stored.read("lengths", RowLengths.from_state) or UNEQUAL_LENGTHS,  # older files have none
            stored_filled(stored, mean.shape),
        )


def filled_rows(rows: AnyRows) -> NDArray[np.float64] | None:
    """Return for each sparse column the number of rows whose entry is not 0, (d,); None for dense rows."""
    if isinstance(rows, DenseRows):
        return None
    used = slice(rows.indptr[0], rows.indptr[-1])
    columns = rows.indices[used][rows.data[used] != 0].astype(np.intp)
    return np.bincount(columns, minlength=rows.n_columns).astype(np.float64)


def stored_filled(stored: Stored, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """Return the `filled` of a state; older files have none."""
    return stored.array("filled", shape) if "filled" in stored and stored.raw("filled") is not None else None


def moments_of_targets(batch: Batch, shares: Shares) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weighted means and standard deviations of the targets, (targets,) each."""
    mean, spread = np.empty(batch.y.shape[1]), np.empty(batch.y.shape[1])
    exponent = far_exponent(batch.y)
    _core.target_moments(scaled(batch.y, exponent), shares.weight, shares.total, mean, spread)
    return np.ldexp(mean, exponent), np.ldexp(np.sqrt(spread / shares.total), exponent)


def column_moments(
    batch: Batch, shares: Shares
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean, standard deviation and largest |entry| (1 for dense rows) of the columns, (d,)."""
    rows, share = batch.rows, np.asarray(shares.weight, np.float64) / shares.total
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        if isinstance(rows, DenseRows):
            mean, deviation = _dense_moments(rows, share)
            largest = np.ones_like(mean)
        else:
            mean, deviation, largest = _sparse_moments(rows, share)
        sound = bool(np.isfinite(mean + deviation).all())
    if not sound:
        _refuse(batch)
    return mean, deviation, largest


def _dense_moments(rows: DenseRows, share: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of the columns, (d,), for shares (n,) of sum 1."""
    n_rows, n_columns = rows.shape
    sums, squares = np.zeros(n_columns), np.zeros(n_columns)
    sample = rows.array[:: max(1, n_rows // ORIGIN_ROWS)].astype(np.float64)
    origin = (sample / len(sample)).sum(axis=0).astype(rows.dtype)
    exponent = np.frexp(np.abs(sample - origin).max(axis=0))[1]
    limits = np.finfo(rows.dtype)
    gauge = np.ldexp(1.0, np.clip(-exponent, limits.minexp, limits.maxexp - 2))
    # Weights of mean 1 keep the sums within float32.
    _core.column_sums(rows.array, share * n_rows, origin, gauge.astype(rows.dtype), sums, squares)
    sums, squares = sums / n_rows, squares / n_rows
    return origin + sums / gauge, np.sqrt(np.maximum(squares - sums**2, 0.0)) / gauge


def _sparse_moments(
    rows: SparseRows, share: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean, standard deviation and largest |entry| of the columns, (d,), for shares (n,) of sum 1."""
    mean, largest, squares = np.zeros((3, rows.n_columns))
    _core.csr_column_sums(rows.arrays, share, mean, largest)
    exponent = np.frexp(largest)[1]
    near = np.ldexp(rows.data.astype(np.float64), -exponent[rows.indices.astype(np.intp)])
    _core.csr_weighted_sum(_core.Csr(near * near, rows.indices, rows.indptr), share, squares)
    variance = np.maximum(squares - np.ldexp(mean, -exponent) ** 2, 0.0)
    return mean, np.ldexp(np.sqrt(variance), exponent), largest


def _refuse(batch: Batch) -> None:
    """Raise the error for rows whose sums are not finite."""
    rows = batch.rows
    require_finite_entries(rows, batch.numbers)
    raise ValueError(
        f"the squares of X exceed {rows.dtype} (largest entry {rows.largest_entry():g}): scale the columns down."
    )
