"""Weighted means and centred co-moments: the sufficient statistics of ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse

from ridgeway import _core
from ridgeway.rows import AnyRows, DenseRows, Float, SparseRows
from ridgeway.storage.state import State, Stored

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMOMENT_BLOCK_ROWS = 8192  # rows turned into float64 at a time
DENSE_BLOCK_ROWS = 4096  # rows that are centred and multiplied at a time

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
        """Co-moments of rows, read in blocks.

        Parameters
        ----------
        rows : the features, finite.
        y : (n, targets).
        weight : (n,), all positive, n at least 1.
        kept : (n,), the numbers of the rows that y and weight belong to; None when they are all rows.
        """
        if isinstance(rows, DenseRows):
            d = rows.shape[1]
            return cls.of_dense(rows, kept, y, weight, np.zeros(d), np.ones(d))
        total: CoMoments | None = None
        for start in range(0, len(weight), COMOMENT_BLOCK_ROWS):
            stop = min(start + COMOMENT_BLOCK_ROWS, len(weight))
            part = rows.between(start, stop) if kept is None else rows.take(kept[start:stop])
            block = _sparse_block(part, y[start:stop], weight[start:stop])
            total = block if total is None else cls.pooled([total, block])
        assert total is not None
        return total

    @classmethod
    def of_dense(
        cls,
        rows: DenseRows,
        kept: NDArray[np.intp] | None,
        y: Float,
        weight: Float,
        offset: NDArray[np.float64],
        inverse: NDArray[np.float64],
    ) -> CoMoments:
        """Co-moments of (x - offset) * inverse; where an entry is not finite, neither are the means.

        Each block of rows is gathered, scaled and centred in one copy, which BLAS then multiplies with itself. The
        step between the means of the blocks is one more row of it (Chan's update).

        Parameters
        ----------
        rows : the features.
        y, weight, kept : as in `of`.
        offset, inverse : (d,).
        """
        n, d, targets = len(weight), rows.shape[1], y.shape[1]
        size = min(n, DENSE_BLOCK_ROWS)
        Z, V = np.empty((size + 1, d)), np.empty((size + 1, targets))
        origin_x, shift_x, largest_x = np.empty(d), np.empty(d), np.zeros(d)
        largest_y = np.zeros(targets)
        xx, xy, unresolved = np.zeros((d, d)), np.zeros((d, targets)), np.zeros(d)
        means: _Means | None = None
        with np.errstate(over="ignore", invalid="ignore"):  # where an entry is not finite, neither are the means
            for start in range(0, n, size):
                stop = min(start + size, n)
                m = stop - start
                part = weight[start:stop].astype(np.float64, copy=False)
                total = float(part.sum())
                share, root = part / total, np.sqrt(part)
                numbers = np.arange(start, stop) if kept is None else kept[start:stop]
                _core.centre_rows(
                    rows.array, numbers, offset, inverse, share, root, Z[:m], origin_x, shift_x, largest_x
                )
                origin_y = y[start].astype(np.float64)
                block_y = np.subtract(y[start:stop], origin_y, dtype=np.float64)
                shift_y = share @ block_y
                np.multiply(root[:, None], block_y - shift_y, out=V[:m])
                np.maximum(largest_y, np.abs(V[:m]).max(axis=0), out=largest_y)
                unresolved += total * _DENSE_CONSTANT * (origin_x + shift_x) ** 2
                if means is None:
                    means = _Means(total, origin_x.copy(), origin_y, shift_x.copy(), shift_y)
                else:
                    means, Z[m], V[m] = means.moved(total, origin_x, origin_y, shift_x, shift_y)
                    m += 1
                xx += Z[:m].T @ Z[:m]  # NumPy sends it to BLAS syrk: half the work of a general product
                xy += Z[:m].T @ V[:m]
        assert means is not None
        _require_products(xx.diagonal(), largest_x, largest_y)
        return cls(*means, xx, xy, unresolved)

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


class _Means(NamedTuple):
    """Weight and means of the rows so far, the latter relative to an origin."""

    weight: float
    origin_x: NDArray[np.float64]
    origin_y: NDArray[np.float64]
    shift_x: NDArray[np.float64]
    shift_y: NDArray[np.float64]

    def moved(
        self,
        weight: float,
        origin_x: NDArray[np.float64],
        origin_y: NDArray[np.float64],
        shift_x: NDArray[np.float64],
        shift_y: NDArray[np.float64],
    ) -> tuple[_Means, NDArray[np.float64], NDArray[np.float64]]:
        """Return the means with a block, and the row (d,) and (targets,) that its step adds to the co-moments."""
        total = self.weight + weight
        share = weight / total
        step_x = (origin_x - self.origin_x) + (shift_x - self.shift_x)
        step_y = (origin_y - self.origin_y) + (shift_y - self.shift_y)
        root = np.sqrt(self.weight * share)
        means = self._replace(
            weight=total, shift_x=self.shift_x + share * step_x, shift_y=self.shift_y + share * step_y
        )
        return means, root * step_x, root * step_y


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
    largest = np.zeros(rows.shape[1])
    small = xx.diagonal() < _SMALLEST_SQUARE
    np.maximum.at(largest, indices[small[indices]], np.abs(data[small[indices]]))
    _require_products(xx.diagonal(), largest, np.abs(V).max(axis=0))
    scaled_mean = np.sqrt(total) * mean
    xx -= np.outer(scaled_mean, scaled_mean)
    unresolved = total * _SPARSE_CONSTANT * mean**2
    xy = Zt @ V - np.outer(mean, root @ V)  # root @ V is 0 but for rounding, which a large mean would amplify
    return CoMoments(total, np.zeros(rows.shape[1]), origin_y, mean, shift_y, xx, xy, unresolved)


def _require_products(
    squares: NDArray[np.float64], largest_x: NDArray[np.float64], largest_y: NDArray[np.float64]
) -> None:
    """Refuse columns and targets whose products fall below float64: they would count as constant.

    Parameters
    ----------
    squares : (d,), sums of squares of the columns.
    largest_x, largest_y : (d,) and (targets,), largest absolute entries.
    """
    size = np.sqrt(squares)
    products = np.outer(size[size > 0], largest_y[largest_y > 0])
    vanish = largest_x[squares < _SMALLEST_SQUARE].any()
    if vanish or (products < _SMALLEST_SQUARE).any():
        raise ValueError(TOO_SMALL)
