"""A run over kernel functions, stored as what each step added to the coefficients of the rows.

The function after step t is sum_i a_i k(x_i, .), and a step adds a gain to the coefficient of each of its rows. An
average of these functions has the coefficients

    a_i = sum over the steps j that row i took part in of S(j) gain_ij ,

one number per row, whatever the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Last, Scheme
from ridgeway.averaging.scheme import survival_table
from ridgeway.rows import Float
from ridgeway.storage.state import FLOATS, State, StateError, Stored
from ridgeway.trajectory import Layout, RunFacts, Trajectory
from ridgeway.trajectory.expansion import expand

BLOCK_LAYOUT = Layout(4, 13)  # on its blocks the geometric family is a polynomial to rounding error
MAX_SURVIVAL_ERROR = 1e-13  # up to this error a survival value counts as exact
MAX_HELD_SURVIVALS = 2**19  # survival values that are held at once


class Coordinates(Trajectory):
    """A run as gains of rows.

    Parameters
    ----------
    facts : how the run went.
    orders : of each pass the rows in the order of the steps.
    gains : (rows of all passes, targets), in the same order.
    n_rows : number of coefficients.
    single_target : True when y was 1-D.
    rows_per_step : (n_steps,), or None when every row made a step.
    """

    def __init__(
        self,
        facts: RunFacts,
        orders: Sequence[NDArray[np.int64]],
        gains: Float,
        n_rows: int,
        single_target: bool,
        rows_per_step: NDArray[np.int64] | None = None,
    ) -> None:
        super().__init__(facts)
        self._orders, self._gains, self._n_rows = list(orders), gains, n_rows
        self._single_target = single_target
        self._rows_per_step = rows_per_step

    def __repr__(self) -> str:
        return f"Coordinates(n_steps={self.n_steps}, step={self.step:.6g}, shape={self.shape}, dtype={self.dtype})"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the coefficients: (n_rows,), or (targets, n_rows) when y was 2-D."""
        return (self._n_rows,) if self._single_target else (self._gains.shape[1], self._n_rows)

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the kernel matrix, and of the answers."""
        return self._gains.dtype

    @property
    def tolerance(self) -> float:
        """Largest error of a survival value."""
        return 4 * float(np.finfo(self.dtype).eps)

    @property
    def nbytes(self) -> int:
        """Memory of the gains and of the orders."""
        return self._gains.nbytes + sum(order.nbytes for order in self._orders)

    def iterate(self, k: int) -> Float:
        """Return the coefficients after step k."""
        self._require_iterate(k)
        iterate: Float = self._sums([Last()], int(k))[0]
        return iterate

    def state(self) -> State:
        """Return the gains and whose they are."""
        return {
            "kind": "coordinates",
            "facts": self._facts.state(),
            "order": np.concatenate(self._orders).astype(np.int64),
            "pass_sizes": np.array([len(order) for order in self._orders], np.int64),
            "gains": self._gains,
            "n_rows": self._n_rows,
            "single_target": self._single_target,
            "rows_per_step": self._rows_per_step,
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Coordinates:
        """Return the run of a state."""
        facts = RunFacts.from_state(stored.part("facts"))
        n_rows, single_target = stored.integer("n_rows", 1), stored.flag("single_target")
        gains = stored.array("gains", (None, 1 if single_target else None), FLOATS)
        order = stored.array("order", (len(gains),), "int64")
        sizes = stored.array("pass_sizes", (None,), "int64")
        if gains.shape[1] == 0 or (len(order) and not 0 <= order.min() <= order.max() < n_rows):
            raise StateError(f"rows of gains are out of range, or there is no target: expected 0 to {n_rows - 1}.")
        if (sizes < 0).any() or sizes.sum() != len(order):
            raise StateError(f"the passes have {sizes.sum()} rows in all: expected {len(order)}.")
        orders = np.split(order, np.cumsum(sizes)[:-1])
        if any(len(np.unique(part)) != len(part) for part in orders):
            raise StateError("a row occurs twice in a pass: expected each row once.")
        rows_per_step = None
        if "rows_per_step" in stored:
            rows_per_step = stored.array("rows_per_step", (facts.n_steps,), "int64")
        counted = len(order) if rows_per_step is None else facts.n_steps
        total = len(order) if rows_per_step is None else int(rows_per_step.sum())
        if counted != facts.n_steps or total != len(order) or (rows_per_step is not None and (rows_per_step < 1).any()):
            raise StateError(f"{len(order)} gains do not make {facts.n_steps} steps.")
        return cls(facts, orders, gains, n_rows, single_target, rows_per_step)

    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        return self._sums(schemes, self.n_steps)

    def _sums(self, schemes: Sequence[Scheme], n_steps: int) -> Float:
        """Sum of S(j) gain_j over the first n_steps steps, shaped for the user."""
        n_targets = self._gains.shape[1]
        sums = np.zeros((n_targets, self._n_rows, len(schemes)))
        rows_before = np.concatenate([[0], np.cumsum(() if self._rows_per_step is None else self._rows_per_step)])
        for first_step, of_steps in self._survival(schemes, n_steps):
            last_step = first_step + len(of_steps)
            first, last, survival = first_step, last_step, of_steps
            if self._rows_per_step is not None:
                first, last = int(rows_before[first_step]), int(rows_before[last_step])
                survival = np.repeat(of_steps, self._rows_per_step[first_step:last_step], axis=0)
            for rows, part in self._parts(first, last):
                for target in range(n_targets):
                    gains = self._gains[part, target].astype(np.float64)
                    sums[target][rows] += survival[part.start - first : part.stop - first] * gains[:, None]
        with np.errstate(over="ignore"):
            answer: Float = sums.transpose(2, 0, 1).astype(self.dtype)
        if not np.isfinite(answer).all():
            raise ValueError(f"coefficients exceed {self.dtype}: scale y down, or pass X as float64.")
        return answer[:, 0] if self._single_target else answer

    def _parts(self, first: int, last: int) -> Iterator[tuple[NDArray[np.int64], slice]]:
        """Yield the rows that came first-th to (last-1)-th, pass by pass, with their places."""
        before = 0
        for order in self._orders:
            start, stop = max(first, before), min(last, before + len(order))
            if start < stop:
                yield order[start - before : stop - before], slice(start, stop)
            before += len(order)

    def _survival(self, schemes: Sequence[Scheme], n_steps: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield pieces of the steps: how many come before, and S (steps, schemes).

        On later blocks smooth survival functions are polynomials, a product for many steps and schemes at once.
        """
        blocks = BLOCK_LAYOUT.blocks(n_steps)
        raw = min(n_steps, max((block.stop for block in blocks if block.raw), default=0))
        if raw:
            yield 0, survival_table(schemes, np.arange(1, raw + 1), self.length, self.steps).T
        at_once = max(1, MAX_HELD_SURVIVALS // len(schemes))
        for block in blocks:
            if block.raw:
                continue
            series, errors = expand(schemes, (replace(block, chunk=1),), self.length, self.steps)
            smooth = errors <= MAX_SURVIVAL_ERROR
            others = [scheme for scheme, is_smooth in zip(schemes, smooth, strict=True) if not is_smooth]
            for first in range(block.start, min(block.stop, n_steps), at_once):
                steps = np.arange(first + 1, min(first + at_once, block.stop, n_steps) + 1)
                place = 2 * (steps - 1 - block.start) / (block.length - 1) - 1
                survival = np.empty((len(steps), len(schemes)))
                survival[:, smooth] = np.polynomial.chebyshev.chebvander(place, block.moments - 1) @ series[smooth].T
                if others:
                    survival[:, ~smooth] = survival_table(others, steps, self.length, self.steps).T
                yield first, survival
