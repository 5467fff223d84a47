"""Weighted means and centred co-moments: all that ridge regression needs to know of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from ridgeway.rows import AnyRows, DenseRows, Float, SparseRows
from ridgeway.storage.state import State, Stored

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK_ROWS = 8192  # rows turned into float64 at a time

_EPS = float(np.finfo(np.float64).eps)
# A dense column whose standard deviation is within a few roundings of its mean holds one number.
_DENSE_CONSTANT = (4 * _EPS) ** 2
# Sparse rows are centred after the fact, E[x^2] - E[x]^2: below this share of E[x]^2 it is cancellation.
_SPARSE_CONSTANT = 1e-12
# Squares and products below this have lost digits, or are 0, because float64 has no smaller numbers.
_SMALLEST_SQUARE = float(np.finfo(np.float64).tiny) / _EPS
TOO_SMALL = (
    "squares and products of X, y and sample_weight fall below float64: scale the columns, the targets or the weights "
    "up."
)


@dataclass(frozen=True, eq=False)
class CoMoments:
    """Weighted means and centred co-moments of the rows seen so far.

    ``xx = sum_i c_i (x_i - mean_x)(x_i - mean_x)'`` and ``xy = sum_i c_i (x_i - mean_x)(y_i - mean_y)'``, in
    float64. The means are kept relative to an origin among the data, so that columns far from 0 keep all
    digits of their deviations and the deviations of a constant dense column are exactly 0.

    Attributes
    ----------
    weight : sum of the weights.
    origin_x, origin_y : (d,) and (targets,), the first row seen (0 for the x of sparse rows).
    shift_x, shift_y : (d,) and (targets,), the means minus the origin.
    xx, xy : (d, d) and (d, targets).
    unresolved : (d,), diagonal entries of xx up to this size are rounding: the column is constant.
    """

    weight: float
    origin_x: NDArray[np.float64]
    origin_y: NDArray[np.float64]
    shift_x: NDArray[np.float64]
    shift_y: NDArray[np.float64]
    xx: NDArray[np.float64]
    xy: NDArray[np.float64]
    unresolved: NDArray[np.float64]

    @classmethod
    def of(cls, rows: AnyRows, y: Float, weight: Float, kept: NDArray[np.intp] | None = None) -> CoMoments:
        """Co-moments of rows, read in blocks of `BLOCK_ROWS`.

        Parameters
        ----------
        rows : the features, finite.
        y : (n, targets).
        weight : (n,), all positive, n at least 1.
        kept : (n,), the numbers of the rows that y and weight belong to; None when they are all rows.
        """
        total: CoMoments | None = None
        for start in range(0, len(weight), BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, len(weight))
            part = rows.between(start, stop) if kept is None else rows.take(kept[start:stop])
            if isinstance(part, DenseRows):
                block = _dense_block(part, y[start:stop], weight[start:stop])
            else:
                block = _sparse_block(part, y[start:stop], weight[start:stop])
            total = block if total is None else total.merged(block)
        assert total is not None
        return total

    def state(self) -> State:
        """Return the moments."""
        return asdict(self)

    @classmethod
    def from_state(cls, stored: Stored) -> CoMoments:
        """Return the moments of a state."""
        xy = stored.array("xy", (None, None))
        d, targets = xy.shape
        x_names, y_names = ("origin_x", "shift_x", "unresolved"), ("origin_y", "shift_y")
        return cls(
            weight=stored.positive("weight"),
            xx=stored.array("xx", (d, d)),
            xy=xy,
            **{name: stored.array(name, (d,)) for name in x_names},
            **{name: stored.array(name, (targets,)) for name in y_names},
        )

    @property
    def mean_x(self) -> NDArray[np.float64]:
        """Weighted means of the columns, (d,)."""
        return self.origin_x + self.shift_x

    @property
    def mean_y(self) -> NDArray[np.float64]:
        """Weighted means of the targets, (targets,)."""
        return self.origin_y + self.shift_y

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Which columns hold one number only, (d,)."""
        return self.xx.diagonal() <= self.unresolved

    @property
    def finite(self) -> bool:
        """False when a sum overflowed."""
        parts = (np.array(self.weight), self.xx.diagonal(), self.xy, self.mean_x, self.mean_y)
        return all(bool(np.isfinite(part).all()) for part in parts)

    @property
    def vanishing(self) -> bool:
        """True when a mean square of a column that is not constant falls below what float64 resolves."""
        return bool((self.xx.diagonal()[~self.constant] / self.weight < _SMALLEST_SQUARE).any())

    @classmethod
    def pooled(cls, parts: Sequence[CoMoments]) -> CoMoments:
        """Co-moments of the rows of several parts together; none of these is changed.

        ``xx = sum_p xx_p + sum_p W_p (mean_p - mean)(mean_p - mean)'``: nothing is subtracted, so no digits are lost.
        """
        first = parts[0]
        if len(parts) == 1:
            return first
        weights = np.array([part.weight for part in parts])
        share = weights / weights.sum()
        apart_x = np.array([(part.origin_x - first.origin_x) + part.shift_x for part in parts])
        apart_y = np.array([(part.origin_y - first.origin_y) + part.shift_y for part in parts])
        shift_x, shift_y = share @ apart_x, share @ apart_y
        root = np.sqrt(weights)[:, None]
        apart_x, apart_y = root * (apart_x - shift_x), root * (apart_y - shift_y)
        xx, xy = apart_x.T @ apart_x, apart_x.T @ apart_y
        for part in parts:
            xx += part.xx
            xy += part.xy
        unresolved = np.sum([part.unresolved for part in parts], axis=0)
        total = float(weights.sum())
        return cls(total, first.origin_x, first.origin_y, shift_x, shift_y, xx, xy, unresolved)

    def merged(self, other: CoMoments) -> CoMoments:
        """Co-moments of the rows of both (Chan's update); neither is changed."""
        weight = self.weight + other.weight
        share = other.weight / weight
        step_x = (other.origin_x - self.origin_x) + (other.shift_x - self.shift_x)  # difference of the means
        step_y = (other.origin_y - self.origin_y) + (other.shift_y - self.shift_y)
        root = np.sqrt(self.weight * share)
        xx = np.outer(root * step_x, root * step_x)
        xx += self.xx
        xx += other.xx
        xy = np.outer(root * step_x, root * step_y)
        xy += self.xy
        xy += other.xy
        return CoMoments(
            weight,
            self.origin_x,
            self.origin_y,
            self.shift_x + share * step_x,
            self.shift_y + share * step_y,
            xx,
            xy,
            self.unresolved + other.unresolved,
        )


def _dense_block(rows: DenseRows, y: Float, weight: Float) -> CoMoments:
    origin_x, origin_y = rows.array[0].astype(np.float64), y[0].astype(np.float64)
    weight = weight.astype(np.float64, copy=False)
    total = float(weight.sum())
    share = weight / total
    Z = np.subtract(rows.array, origin_x, dtype=np.float64)
    V = np.subtract(y, origin_y, dtype=np.float64)
    shift_x, shift_y = share @ Z, share @ V
    Z -= shift_x
    V -= shift_y
    if not (weight == 1).all():
        root = np.sqrt(weight)[:, None]
        Z *= root
        V *= root
    xx = Z.T @ Z  # NumPy sends it to BLAS syrk: half the work of a general product
    small = xx.diagonal() < _SMALLEST_SQUARE
    _require_products(xx.diagonal(), bool(Z[:, small].any()), V)
    unresolved = total * _DENSE_CONSTANT * (origin_x + shift_x) ** 2
    return CoMoments(total, origin_x, origin_y, shift_x, shift_y, xx, Z.T @ V, unresolved)


def _sparse_block(rows: SparseRows, y: Float, weight: Float) -> CoMoments:
    origin_y = y[0].astype(np.float64)
    weight = weight.astype(np.float64, copy=False)
    total = float(weight.sum())
    share, root = weight / total, np.sqrt(weight)
    V = np.subtract(y, origin_y, dtype=np.float64)
    shift_y = share @ V
    V -= shift_y
    V *= root[:, None]
    first, last = rows.indptr[0], rows.indptr[-1]
    indices = rows.indices[first:last].view(f"i{rows.indices.itemsize}")
    data = rows.data[first:last] * np.repeat(root, np.diff(rows.indptr))
    Z = scipy.sparse.csr_array((data, indices, rows.indptr - first), shape=rows.shape)
    Zt = Z.T.tocsr()
    mean = Zt @ (root / total)
    xx: NDArray[np.float64] = (Zt @ Z).toarray()
    small = xx.diagonal() < _SMALLEST_SQUARE
    _require_products(xx.diagonal(), bool(data[small[indices]].any()), V)
    scaled_mean = np.sqrt(total) * mean
    xx -= np.outer(scaled_mean, scaled_mean)
    unresolved = total * _SPARSE_CONSTANT * mean**2
    xy = Zt @ V - np.outer(mean, root @ V)  # root @ V is 0 but for rounding, which a large mean would amplify
    return CoMoments(total, np.zeros(rows.shape[1]), origin_y, mean, shift_y, xx, xy, unresolved)


def _require_products(squares: NDArray[np.float64], vanish: bool, V: NDArray[np.float64]) -> None:
    """Refuse columns and targets whose products fall below float64: they would count as constant.

    Parameters
    ----------
    squares : (d,), sums of squares of the columns.
    vanish : whether a column has entries that are not 0, and hardly any squares.
    V : (n, targets).
    """
    size, target_size = np.sqrt(squares), np.abs(V).max(axis=0)
    products = np.outer(size[size > 0], target_size[target_size > 0])
    if vanish or (products < _SMALLEST_SQUARE).any():
        raise ValueError(TOO_SMALL)
