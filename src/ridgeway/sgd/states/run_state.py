"""`RunState`: the state that all runs share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.atomic import shallow_copy
from ridgeway.rows import Batch, Float, readonly
from ridgeway.sgd.guard import LARGEST_Q, N_CLIPPED, SUM_Q, SUM_Q2, TALLY_SIZE
from ridgeway.sgd.row_products import RowProducts
from ridgeway.sgd.schedule import Schedule
from ridgeway.storage.state import FLOATS, State, StateError, Stored
from ridgeway.trajectory import RunFacts, Trajectory

End = tuple[_core.End, int]  # how a loop ended, and after how many steps
UNBOUNDED_STEPS = 2**62  # steps


@dataclass(kw_only=True)
class RunState(ABC):
    """A run between two steps.

    w is in float64: rounding errors of w are not in the gains and moments, so over a long run their sums would drift
    away from w. Only in a dense sketch w has the precision of the rows, because its moments include the change of w
    itself. There an increment below 6e-8 of its coefficient is lost, as in any float32 sum.

    Attributes
    ----------
    start : (targets, d), w_0.
    w : (targets, d).
    tally : (targets, TALLY_SIZE), see `ridgeway.sgd.guard`.
    gradient : (targets, d), sum over the rows of the open mini-batch; (targets, 0) if each row makes a step.
    open_rows : rows of the open mini-batch.
    short_batches : step -> rows of its mini-batch, for incomplete mini-batches at the end of a pass.
    split_steps : m -> number of steps that are one of the m steps of a split row.
    clipped : rows that were split into fewer steps than they needed.
    """

    sparse: ClassVar[bool]
    CHANGED_IN_PLACE: ClassVar[tuple[str, ...]] = ("w", "tally", "gradient", "short_batches", "split_steps")

    single_target: bool
    schedule: Schedule
    batch_size: int
    start: Float
    w: Float
    tally: NDArray[np.float64]
    gradient: Float
    n_steps: int = 0
    open_rows: int = 0
    short_batches: dict[int, int] = field(default_factory=dict)
    split_steps: dict[int, int] = field(default_factory=dict)
    clipped: int = 0
    start_square: float = field(init=False)

    def __post_init__(self) -> None:
        self.start_square = float(np.vdot(self.start, self.start))

    @property
    @abstractmethod
    def rows_ahead(self) -> int:
        """Largest number of rows in one call of `take`: until the step changes or a block ends."""

    @abstractmethod
    def take(self, part: Batch, order: NDArray[np.intp] | None, gains: Float, products: RowProducts | None) -> End:
        """Take the steps of some rows, target by target, and fill their gains (targets, n_rows), without counting.

        If it fails, the state is half changed.
        """

    @abstractmethod
    def close_batch(self) -> None:
        """Take the step of an open mini-batch with the rows it has, without counting."""

    @abstractmethod
    def trajectory(self) -> Trajectory:
        """Return the trajectory; no mini-batch may be open."""

    def copy(self) -> Self:
        """Return an independent copy that shares rows, gains and full blocks."""
        new = shallow_copy(self)
        for name in self.CHANGED_IN_PLACE:
            setattr(new, name, getattr(self, name).copy())
        return new

    def after(self, n_rows: int) -> None:
        """Count the steps of rows that were taken."""
        rows = self.open_rows + n_rows
        self.count(rows // self.batch_size, rows % self.batch_size)

    def count(self, n_steps: int, open_rows: int) -> None:
        """Count steps that were made."""
        self.n_steps, self.open_rows = self.n_steps + n_steps, open_rows

    def reached(self, target: int) -> Float:
        """Return w after all steps, (d,)."""
        w: Float = self.w[target]
        return w

    @property
    def limited(self) -> int:
        """Number of rows whose update was clipped."""
        return int(self.tally[0, N_CLIPPED]) + self.clipped

    @property
    def largest_reduction(self) -> float:
        """Largest factor by which the step of a row was clipped; below 1 if no row was."""
        return self.schedule.sizes.largest * float(self.tally[0, LARGEST_Q]) / self.schedule.limit

    @property
    def step_size(self) -> float:
        """Size of the next step."""
        return self.schedule.sizes.size_after(self.n_steps)

    @property
    def steps_of_this_size(self) -> int:
        """Number of next steps that have the size of the next step."""
        edge = self.schedule.sizes.edge_after(self.n_steps)
        return UNBOUNDED_STEPS if edge is None else edge - self.n_steps

    def problem(self) -> _core.Problem:
        """Return the parameters of the steps for the compiled loops."""
        return _core.Problem(step=self.step_size, limit=self.schedule.limit, start_square=self.start_square)

    def mini_batch(self, target: int) -> _core.MiniBatch:
        """Return the mini-batch that is being filled."""
        return _core.MiniBatch(size=self.batch_size, rows=self.open_rows, gradient=self.gradient[target])

    def count_split(self, counts: NDArray[np.int64]) -> None:
        """Count steps of split rows; counts are the numbers of steps of their rows."""
        for m, n_steps in zip(*np.unique(counts, return_counts=True), strict=True):
            self.split_steps[int(m)] = self.split_steps.get(int(m), 0) + int(n_steps)

    @property
    def mean_weight(self) -> float:
        """Mean weight of a step: each of the m steps of a split row counts 1/m. It does not depend on the batches."""
        if not self.split_steps:
            return 1.0
        missing = sum(self.batch_size - rows for rows in self.short_batches.values())
        visits = self.n_steps * self.batch_size - missing + self.open_rows
        lost = sum(n_steps * (m - 1) / m for m, n_steps in sorted(self.split_steps.items()))
        return 1.0 - lost / visits

    @property
    def facts(self) -> RunFacts:
        """The facts about the run for its trajectory."""
        return RunFacts(
            sizes=self.schedule.sizes,
            n_steps=self.n_steps,
            length=self.n_steps,
            limited=self.limited,
            sum_q=float(self.tally[0, SUM_Q]),
            sum_q2=float(self.tally[0, SUM_Q2]),
            split=round(sum(n_steps / m for m, n_steps in sorted(self.split_steps.items()))),
            mean_weight=self.mean_weight,
        )

    def state(self) -> State:
        """Return the stored form."""
        return {
            "sparse": self.sparse,
            "single_target": self.single_target,
            "schedule": self.schedule.state(),
            "start": self.start,
            "w": self.w,
            "tally": self.tally,
            "gradient": self.gradient,
            "n_steps": self.n_steps,
            "open_rows": self.open_rows,
            "short_batches": _table(self.short_batches),
            "split_steps": _table(self.split_steps),
            "clipped": self.clipped,
        }


def common_parts(stored: Stored, batch_size: int, dtype: Any) -> dict[str, Any]:
    """Return what `RunState.state` has stored, checked; w is of this type, or of the type of w_0 where that is None."""
    single_target = stored.flag("single_target")
    start = stored.array("start", (1 if single_target else None, None), FLOATS)
    n_targets, n_columns = start.shape
    kind = start.dtype if dtype is None else dtype
    return {
        "single_target": single_target,
        "schedule": Schedule.from_state(
            stored.part("schedule" if "schedule" in stored else "step")
        ),  # format 1: "step"
        "batch_size": batch_size,
        "start": start,
        "w": stored.array("w", start.shape, kind),
        "tally": stored.array("tally", (n_targets, TALLY_SIZE)),
        "gradient": stored.array("gradient", (n_targets, n_columns if batch_size > 1 else 0), kind),
        "n_steps": stored.integer("n_steps"),
        "open_rows": stored.integer("open_rows", most=batch_size - 1),
        "short_batches": _counts(stored, "short_batches"),
        "split_steps": _counts(stored, "split_steps"),
        "clipped": stored.integer("clipped") if "clipped" in stored else 0,  # format 1: none
    }


def targets_of(part: Batch) -> list[Float]:
    """Return the targets one by one, each contiguous."""
    return [readonly(np.ascontiguousarray(y)) for y in part.y.T]


def _table(counts: dict[int, int]) -> NDArray[np.int64]:
    """Return counts as pairs, (n, 2)."""
    return np.array(sorted(counts.items()), np.int64).reshape(-1, 2)


def _counts(stored: Stored, name: str) -> dict[int, int]:
    """Return counts from pairs of positive numbers; format 1 had none."""
    if name not in stored:
        return {}
    table = stored.array(name, (None, 2), "int64")
    if (table < 0).any():
        raise StateError(f"{name} has negative numbers.")
    return {int(key): int(count) for key, count in table}
