"""`Replay`: a run stored as one scalar per row, with references to the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.averaging import Last, Scheme
from ridgeway.rows import AnyRows, DenseRows, Float
from ridgeway.storage.state import State
from ridgeway.trajectory.expansion import expand
from ridgeway.trajectory.layout import Layout, require_even_edges
from ridgeway.trajectory.sketch import Sketch
from ridgeway.trajectory.time_blocks import Block
from ridgeway.trajectory.trajectory import RunFacts, Trajectory

MAX_HELD_NUMBERS = 2**19  # survival values, or Chebyshev polynomials, in memory at once


@dataclass(frozen=True, eq=False)
class Segment:
    """Consecutive rows of a run: `rows` in their own order, or in the order `order`."""

    rows: AnyRows
    order: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return self.rows.shape[0] if self.order is None else len(self.order)

    def between(self, start: int, stop: int) -> AnyRows:
        """Return rows number start to stop - 1, in the order of the run."""
        return self.rows.between(start, stop) if self.order is None else self.rows.take(self.order[start:stop])


class Replay(Trajectory):
    """A run as gains and rows: increment j is the sum of gains_i x_i over the rows i of step j.

    The average for a survival function S is one weighted sum of rows,

        average = w_0 + sum_i S(j_i) gains_i x_i ,

    so the average of any scheme is exact up to rounding, and needs one more reading of the rows. Many smooth schemes at
    once are expanded in Chebyshev polynomials over blocks of steps, to the precision of the rows: then each row is
    multiplied by a few moments, not by every scheme.

    The rows are not copied, unless they had to be converted or some had weight 0. They must not be changed while the
    trajectory is in use.

    Parameters
    ----------
    facts : how the run went.
    segments : the rows in the order of the run.
    gains : (rows in all, targets).
    start : w_0, (targets, d).
    single_target : True when y was 1-D.
    rows_per_step : (n_steps,), or None when every row made a step.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 3))
    >>> y = X @ [1.0, -2.0, 0.5] + rng.standard_normal(2000)
    >>> t = rw.run_sgd(X, y, store="replay")
    >>> t.coef(rw.Tail(0.5)).round(1)
    array([ 1. , -2. ,  0.5])
    >>> bool(np.allclose(t.iterate(t.n_steps), t.coef(rw.Last())))
    True
    """

    def __init__(
        self,
        facts: RunFacts,
        segments: Sequence[Segment],
        gains: Float,
        start: Float,
        single_target: bool,
        rows_per_step: NDArray[np.int64] | None = None,
    ) -> None:
        super().__init__(facts)
        self._segments = tuple(segments)
        self._segment_ends = np.cumsum([len(segment) for segment in self._segments])
        self._gains = gains
        self._start = start
        self._single_target = single_target
        # rows_before[j] rows belong to the first j steps
        self._rows_before = None if rows_per_step is None else np.concatenate([[0], np.cumsum(rows_per_step)])

    def __repr__(self) -> str:
        return f"Replay(n_steps={self.n_steps}, step={self.step:.6g}, shape={self.shape}, dtype={self.dtype})"

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the rows and of the averages."""
        return self._start.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a coefficient: (d,), or (targets, d) when y was 2-D."""
        return self._start.shape[1:] if self._single_target else self._start.shape

    @property
    def tolerance(self) -> float:
        """Largest error of a survival value: a few units of rounding in the rows' dtype."""
        return 4 * float(np.finfo(self.dtype).eps)

    @property
    def nbytes(self) -> int:
        """Memory of the gains and of the orders of shuffled passes; the rows are not counted."""
        return self._gains.nbytes + sum(s.order.nbytes for s in self._segments if s.order is not None)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The rows in the order of the run, as references."""
        return self._segments

    @property
    def gains(self) -> Float:
        """The factor by which each row was multiplied, in the order of the run: (rows in all, targets)."""
        return self._gains

    def iterate(self, k: int) -> Float:
        """Return the iterate w_k: (d,), or (targets, d) when y was 2-D."""
        self._require_iterate(k)
        iterate: Float = self._sums([Last()], int(k))[0]
        return iterate

    def sketch(self, layout: Layout | None = None) -> Sketch:
        """Return the moments of the increments, from one reading of the rows, which are not needed afterwards.

        Examples
        --------
        >>> import numpy as np, ridgeway as rw
        >>> X, y = np.eye(3).repeat(50, axis=0), np.arange(150.0)
        >>> t = rw.run_sgd(X, y, step=0.1, store="replay")
        >>> bool(np.allclose(t.sketch().path([0.0, 0.1]), t.path([0.0, 0.1]), rtol=1e-9))
        True
        """
        require_even_edges(self.sizes)
        layout = Layout.choose(self.dtype, self._start.size, steps=self.sizes) if layout is None else layout
        n_targets, n_columns = self._start.shape
        dense, moments = isinstance(self._segments[0].rows, DenseRows), []
        for block in layout.blocks(self.n_steps, self.sizes):
            sums = _Sums(block.moments, n_targets, n_columns, dense, np.dtype(np.float64))
            for rows, first, last in self._pieces(block.start, min(block.stop, self.n_steps), block.moments):
                sums.add(rows, self._gains[first:last], self._basis(block, first, last))
            moments.append(sums.schemes_first())
        return Sketch(self._facts, layout, moments, self._start, self._single_target)

    def state(self) -> State:
        """Return the state of the sketch, because a replay does not store rows."""
        return self.sketch().state()

    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        return self._sums(schemes, self.n_steps)

    def _sums(self, schemes: Sequence[Scheme], n_steps: int) -> Float:
        """w_0 + sum_j S(j) Delta_j over the first n_steps increments, shaped for the user."""
        dense = isinstance(self._segments[0].rows, DenseRows)
        # Dense sums stay in the cache, so float64 is cheap; sparse sums are scattered over d columns.
        n_targets, n_columns = self._start.shape
        sums = _Sums(len(schemes), n_targets, n_columns, dense, np.dtype(np.float64) if dense else self.dtype)
        for block in self._layout.blocks(n_steps, self.sizes):
            stop = min(block.stop, n_steps)
            smooth = np.zeros(len(schemes), bool)
            if not block.raw and len(schemes) > 1:
                # Steps are added one by one here, without chunks: chunk=1 in the error estimate.
                coefficients, errors = expand(schemes, (replace(block, chunk=1),), self.n_steps, self.steps)
                smooth = errors <= self.tolerance
                self._add_smooth(sums, block, stop, coefficients[smooth], np.flatnonzero(smooth))
            self._add_any(sums, block.start, stop, schemes, np.flatnonzero(~smooth))
        return self._finished(sums.schemes_first(), self._start, self._single_target)

    @property
    def _layout(self) -> Layout:
        """Return blocks on which geometric survival functions are polynomials, to the precision of the rows."""
        return Layout(4, 13) if self.dtype == np.float64 else Layout(2, 6)

    def _add_any(self, sums: _Sums, start: int, stop: int, schemes: Sequence[Scheme], which: NDArray[np.intp]) -> None:
        """Add S(j) Delta_j of the steps start+1..stop for the schemes in `which`, survival computed for each row."""
        if len(which) == 0:
            return
        part = sums.zeros(len(which))
        for rows, first, last in self._pieces(start, stop, len(which)):
            steps = self._steps_of_rows(first, last)
            factors = np.stack([schemes[s].survival(steps, self.n_steps, self.steps) for s in which], axis=1)
            part.add(rows, self._gains[first:last], factors)
        sums.add_schemes(which, part)

    def _add_smooth(
        self, sums: _Sums, block: Block, stop: int, coefficients: NDArray[np.float64], which: NDArray[np.intp]
    ) -> None:
        """Add the block for schemes whose survival function is a polynomial on it, with these Chebyshev coefficients.

        Many schemes share the Chebyshev moments of the increments and are computed from them at the end. For few
        schemes, or blocks of few rows, separate sums are cheaper.
        """
        if len(which) == 0:
            return
        by_moments = self._worth_moments(block, len(which))
        part = sums.zeros(block.moments if by_moments else len(which))
        for rows, first, last in self._pieces(block.start, stop, block.moments):
            factors = self._basis(block, first, last)
            if not by_moments:
                factors = _product(factors, coefficients.T)
            part.add(rows, self._gains[first:last], factors)
        sums.add_schemes(which, part, coefficients if by_moments else None)

    def _basis(self, block: Block, first: int, last: int) -> NDArray[np.float64]:
        """Return the factors of the rows first..last-1 in each moment of their block: (rows, moments)."""
        place = self._steps_of_rows(first, last) - 1 - block.start
        if block.raw:
            return np.equal.outer(place, np.arange(block.moments)).astype(np.float64)
        return np.polynomial.chebyshev.chebvander(2 * place / (block.length - 1) - 1, block.moments - 1).astype(float)

    def _worth_moments(self, block: Block, n_schemes: int) -> bool:
        """Return whether moments per entry and one mixing per column cost less than a product per entry and scheme.

        Mixing runs along the memory: about eight of its products cost as much as one scattered product.
        """
        rows = self._segments[0].rows
        per_row = rows.shape[1] if isinstance(rows, DenseRows) else len(rows.data) / rows.shape[0]
        entries = per_row * (self._row(block.stop) - self._row(block.start))
        return entries * (n_schemes - block.moments) > rows.shape[1] * block.moments * n_schemes / 8

    def _row(self, step: int) -> int:
        """Count the rows of the first `step` steps."""
        if self._rows_before is None:
            return step
        return int(self._rows_before[min(step, self.n_steps)])

    def _steps_of_rows(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the step number (from 1) that each of the rows first..last-1 belongs to."""
        rows = np.arange(first, last)
        if self._rows_before is None:
            return rows + 1
        return np.searchsorted(self._rows_before, rows, side="right")

    def _pieces(self, start: int, stop: int, numbers: int) -> Iterator[tuple[AnyRows, int, int]]:
        """Yield the rows of the steps start+1..stop in pieces, with the number of the first row and of the next.

        `numbers` is the count of numbers that the caller stores per row; it limits the size of a piece.
        """
        first, last = self._row(start), self._row(stop)
        at_once = max(1, MAX_HELD_NUMBERS // numbers)
        for i in range(int(np.searchsorted(self._segment_ends, first, side="right")), len(self._segments)):
            segment, end = self._segments[i], int(self._segment_ends[i])
            before = end - len(segment)
            for piece in range(max(first, before), min(last, end), at_once):
                next_piece = min(piece + at_once, last, end)
                yield segment.between(piece - before, next_piece - before), piece, next_piece
            if end >= last:
                return


class _Sums:
    """Weighted sums of rows: (m, k, d) for dense rows, (d, k, m) for sparse ones."""

    def __init__(self, m: int, n_targets: int, n_columns: int, dense: bool, dtype: np.dtype[np.floating[Any]]) -> None:
        self._dense = dense
        self.array: Float = np.zeros((m, n_targets, n_columns) if dense else (n_columns, n_targets, m), dtype)

    def zeros(self, m: int) -> _Sums:
        """Empty sums over the same columns."""
        shape = self.array.shape if self._dense else self.array.shape[::-1]
        return _Sums(m, shape[1], shape[2], self._dense, self.array.dtype)

    def add(self, rows: AnyRows, gains: Float, factors: NDArray[np.float64]) -> None:
        """Add factors[i, s] gains[i, q] x_i of each row."""
        factors = np.ascontiguousarray(factors)
        if isinstance(rows, DenseRows):
            _core.add_dense_rows(X=rows.array, gains=gains, factors=factors, sums=self.array)
        else:
            _core.add_csr_rows(
                data=rows.data,
                indices=rows.indices,
                indptr=rows.indptr,
                gains=gains,
                factors=factors,
                sums=self.array,
            )

    def add_schemes(self, which: NDArray[np.intp], part: _Sums, mix: NDArray[np.float64] | None = None) -> None:
        """Add `part` to the sums in `which`: as it is, or mixed by the matrix mix (len(which), sums of part)."""
        everything = len(which) == self.array.shape[0 if self._dense else 2]
        if self._dense:
            self.array[which] += part.array if mix is None else np.tensordot(mix, part.array, axes=1)
        elif mix is None and everything:
            self.array += part.array
        elif mix is None:
            self.array[:, :, which] += part.array
        else:
            whole_mix = np.zeros((part.array.shape[2], self.array.shape[2]), self.array.dtype)
            whole_mix[:, which] = mix.T
            _core.add_mixed(part=_as_table(part.array), mix=whole_mix, sums=_as_table(self.array))

    def schemes_first(self) -> NDArray[Any]:
        """Return the sums as (m, k, d)."""
        return self.array if self._dense else self.array.transpose(2, 1, 0)


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Left @ right, row by row: a BLAS product may depend on how many rows it gets at once."""
    product = np.zeros((left.shape[0], right.shape[1]))
    _core.add_mixed(part=np.ascontiguousarray(left), mix=np.ascontiguousarray(right), sums=product)
    return product


def _as_table(sums: Float) -> Float:
    """View (d, k, m) as (d * k, m)."""
    return sums.reshape(-1, sums.shape[2])
