"""`SparseParts`: the additional state of a run over sparse rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows import Batch, Float, SparseRows, readonly
from ridgeway.sgd.states.run_state import End, RunState, targets_of
from ridgeway.storage.state import State, StateError, Stored


@dataclass(frozen=True)
class SparseParts:
    """The centre of the rows, and the columns that the open mini-batch has touched.

    Attributes
    ----------
    centre : (d,), the implicit centre of the rows, or empty; see `SparseRows.centre`.
    products : (targets, 1), <w, centre> for the stored coordinates w; changed with w.
    marked : (targets, d), columns that the open mini-batch touched; (targets, 0) where each row makes a step.
    listed : of the same shape, these columns one by one.
    n_listed : their number.
    """

    centre: NDArray[np.float64]
    products: NDArray[np.float64]
    marked: NDArray[np.bool_]
    listed: NDArray[np.int64]
    n_listed: int = 0

    @classmethod
    def begin(cls, rows: SparseRows, w: NDArray[np.float64], batch_size: int) -> Self:
        """Return the parts of a run that begins at w (targets, d)."""
        shape = (len(w), w.shape[1] if batch_size > 1 else 0)
        products = w @ rows.centre[:, None] if len(rows.centre) else np.zeros((len(w), 1))
        return cls(rows.centre, products, np.zeros(shape, np.bool_), np.zeros(shape, np.int64))

    def copy(self) -> Self:
        """Return an independent copy."""
        return replace(self, products=self.products.copy(), marked=self.marked.copy(), listed=self.listed.copy())

    def with_listed(self, n_listed: int) -> Self:
        """Return the same arrays with another number of listed columns."""
        return replace(self, n_listed=n_listed)

    def take(
        self,
        run: RunState,
        moments: NDArray[np.float64],
        place: _core.Place,
        part: Batch,
        order: NDArray[np.intp] | None,
        gains: Float,
    ) -> tuple[End, Self]:
        """Take the steps of some rows, target by target; moments are (targets, d, m). Returns the parts after them."""
        assert isinstance(part.rows, SparseRows)
        ended: End = (_core.End.FINISHED, 0)
        n_listed = self.n_listed
        for target, y in enumerate(targets_of(part)):
            data, indices, indptr = part.rows.data, part.rows.indices, part.rows.indptr
            rows = _core.SparseRows(data=data, indices=indices, indptr=indptr, y=y, weight=part.weight, order=order)
            arrays = self._arrays(run, target, moments)
            if run.batch_size == 1:
                ended = _core.csr_steps(rows, run.problem(), arrays, place, gains[target])
            else:
                batch, touched = run.mini_batch(target), self._touched(target)
                end, row, n_listed = _core.csr_batches(
                    rows, run.problem(), arrays, batch, touched, place, gains[target]
                )
                ended = (end, row)
            if ended[0] != _core.End.FINISHED:
                break
        return ended, self.with_listed(n_listed)

    def close_batch(self, run: RunState, moments: NDArray[np.float64], place: _core.Place) -> Self:
        """Take the step of an open mini-batch, and return the parts after it."""
        for target in range(len(run.w)):
            arrays = self._arrays(run, target, moments)
            _core.close_csr_batch(arrays, run.mini_batch(target), self._touched(target), place)
        return self.with_listed(0)

    def state(self) -> State:
        """Return the stored form."""
        listed = self.listed.copy()
        listed[:, self.n_listed :] = 0  # these entries were never written
        return {
            "centre": self.centre,
            "products": self.products,
            "marked": self.marked,
            "listed": listed,
            "n_listed": self.n_listed,
        }

    @classmethod
    def from_state(cls, stored: Stored, batch_size: int, n_targets: int, n_columns: int) -> Self:
        """Return the parts of a stored form. All column numbers are checked, because the loops do not check bounds."""
        centre = stored.array("centre", (None,))
        if len(centre) not in (0, n_columns):
            raise StateError(f"centre has {len(centre)} numbers: expected one per column of sparse rows, or none.")
        shape = (n_targets, n_columns if batch_size > 1 else 0)
        listed, marked = stored.array("listed", shape, "int64"), stored.array("marked", shape, "bool")
        n_listed = stored.integer("n_listed", most=shape[1])
        expected = np.zeros_like(marked)
        if n_listed:
            columns = listed[:, :n_listed]
            beyond = columns[(columns < 0) | (columns >= n_columns)]
            if len(beyond):
                raise StateError(f"'listed' holds column {beyond[0]}: expected 0 to {n_columns - 1}.")
            np.put_along_axis(expected, columns, True, axis=1)
        if (marked != expected).any() or (expected.sum(axis=1) != n_listed).any():
            raise StateError("'marked' and 'listed' have different columns of the open mini-batch: expected the same.")
        return cls(readonly(centre), stored.array("products", (n_targets, 1)), marked, listed, n_listed)

    def _arrays(self, run: RunState, target: int, moments: NDArray[np.float64]) -> _core.SparseRun:
        with np.errstate(over="ignore"):  # such large rows are refused by their norms
            square = float(self.centre @ self.centre)
        return _core.SparseRun(
            w=run.w[target],
            moments=moments[target],
            product=self.products[target],
            tally=run.tally[target],
            centre=self.centre,
            centre_square=square,
        )

    def _touched(self, target: int) -> _core.Touched:
        return _core.Touched(marked=self.marked[target], listed=self.listed[target], count=self.n_listed)
