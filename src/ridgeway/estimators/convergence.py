"""Warnings at the end of a fit whose run was too short."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from ridgeway.averaging import Geometric, Scheme
from ridgeway.messages.user_warning import warn_user
from ridgeway.trajectory import Trajectory
from ridgeway.trajectory.ridge_reach import RidgeReach, ridge_reach

FEW_COLUMNS = 1000  # for which the exact path is cheap


def warn_of_short_run(
    trajectory: Trajectory, *, family: str | None, scheme: Scheme, falling: bool, passes: float, n_columns: int
) -> None:
    """Warn when the held-out error was still falling, or when weak geometric averages have not reached ridge.

    Parameters
    ----------
    trajectory : the run.
    family : what competed, "auto", "geometric" or "tail"; None where the average was given.
    scheme : the selected average.
    falling : whether the held-out error was still falling.
    passes : passes over the rows that were made.
    n_columns : features.
    """
    reach = ridge_reach(trajectory)
    asked = scheme.alpha if isinstance(scheme, Geometric) else 0.0
    concerned = family in ("auto", "geometric") or (family is None and isinstance(scheme, Geometric))
    short = concerned and reach.is_short_of(asked if family is None else 0.0)
    if not falling and not short:
        return
    said = [f"the held-out error was still falling after {trajectory.n_steps:,} steps"] if falling else []
    said += [_of_reach(reach, trajectory)] if short else []
    exact = ", or use ExactRidgePath, which is exact and cheap for so few columns" if n_columns <= FEW_COLUMNS else ""
    warn_user(f"{'; '.join(said)}: set passes to more than {max(1, round(passes))}{exact}.", ConvergenceWarning)


def _of_reach(reach: RidgeReach, trajectory: Trajectory) -> str:
    return (
        f"averages of alpha below {reach.alpha:.2g} have not reached ridge regression after {trajectory.n_steps:,} "
        f"steps (about {reach.distance_at(0.0):.0%} away at alpha=0; within a few percent from "
        f"alpha={reach.alpha:.2g} on)"
    )
