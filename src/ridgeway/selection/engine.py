"""The engine protocol: the methods that a choice of the average calls on the runs it compares.

An engine holds runs over the same rows: for each step size one run per fold, and one final run. The final run learns
from every row in a choice by folds; in a choice by hold-out it is also the run that is scored, and learns from the
held-out rows at the end. `ridgeway.selection.choice` uses engines only through this protocol.

An implementation is one class: `MemoryEngine` reads rows in memory, `KernelEngine` in `ridgeway.kernel.sgd_engine` a
kernel matrix, `PartitionEngine` in `ridgeway.dask.cluster_engine` partitions on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ridgeway.averaging import Scheme
    from ridgeway.selection.contest import Contest, Rated
    from ridgeway.selection.held_out import HeldOut
    from ridgeway.sgd import GrowingStep, LimitedStep, SGDRun
    from ridgeway.trajectory import Trajectory


class Advancing(Protocol):
    """Runs that read the rows together, pass by pass."""

    @property
    def n_rows(self) -> int:
        """Rows of one pass."""

    @property
    def rows_done(self) -> int:
        """Rows read so far, over all passes."""

    @property
    def begun(self) -> bool:
        """Whether every run has learned from some row."""

    def advance(self, n_rows: int) -> None:
        """Read the next n_rows rows."""


class Engine(Advancing, Protocol):
    """Runs, and the rows that are held out from them.

    Runs of several step sizes are told apart by `step_index`, the index of their step size in `steps`.
    """

    @property
    def steps(self) -> Sequence[LimitedStep | GrowingStep]:
        """The step sizes that compete."""

    @property
    def unit(self) -> float:
        """A squared error of 1 in standardized targets, in the user's units."""

    @property
    def n_held_out(self) -> int:
        """Number of rows that are held out from some run."""

    @property
    def passes(self) -> float:
        """Passes over the rows so far."""

    def trajectory(self, step_index: int = 0) -> Trajectory:
        """Return the trajectory of the final run of a step."""

    def run(self, step_index: int = 0) -> SGDRun | None:
        """Return the final run of a step, which can be continued; None if it consists of several chains."""

    def trials(self, step_index: int, rough: bool) -> Sequence[Rated]:
        """Return trials that rate candidates on the held-out rows, for the current state of the runs of a step.

        `rough` allows fewer groups of rows: standard errors are not needed.
        """

    def scored(self, score: Callable[[], Contest]) -> Contest:
        """Return score(), or the recorded result if a resumed fit has already passed this point."""

    def held_out(self, step_index: int, scheme: Scheme) -> HeldOut:
        """Return predictions of held-out rows by an average within the span of the last trials of this step."""

    def finish(self) -> None:
        """End the last pass. In a choice by hold-out, the final run learns from the held-out rows first."""
