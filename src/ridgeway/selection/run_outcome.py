"""`Outcome`: a finished run and the average that was selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ridgeway.averaging import Scheme
from ridgeway.selection.candidate_table import Selection
from ridgeway.sgd import SGDRun
from ridgeway.trajectory import Trajectory

if TYPE_CHECKING:
    from ridgeway.selection.held_out import HeldOut


@dataclass(frozen=True)
class RidgeRun:
    """A run, and its trajectory.

    Attributes
    ----------
    trajectory : of the run over all rows.
    run : the run itself, which can be continued; None if there were several chains.
    """

    trajectory: Trajectory
    run: SGDRun | None


@dataclass(frozen=True)
class Outcome:
    """A finished run and the average that was selected.

    Attributes
    ----------
    trajectory : of the run over all rows.
    scheme : the average.
    selection : how it was chosen; None when it was given.
    run : the run itself, which can be continued; None if there were several chains.
    passes : number of passes that were made.
    falling : whether the held-out error was still falling at the end.
    held_out : predictions of held-out rows; None if there were none.
    ridge : the run with the growing step, whose averages are ridge, if a run with a constant step was selected;
        otherwise None.
    """

    trajectory: Trajectory
    scheme: Scheme
    selection: Selection | None
    run: SGDRun | None
    passes: float
    falling: bool = False
    held_out: HeldOut | None = None
    ridge: RidgeRun | None = None
