"""The contract of a trajectory: what an engine leaves behind, and how it answers for any scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Geometric, Last, Uniform
from ridgeway.testing.requirement import require, require_close

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ridgeway.trajectory import Trajectory

TRAJECTORY_ALPHAS = (0.0, 1e-3, 0.1, 10.0)
TRAJECTORY_SCHEMES = (Geometric(0.1), Uniform(), Last())
HUGE_ALPHA = 1e12  # its average does not leave the start
ROUNDINGS = 64  # of the trajectory's precision, between two ways to the same sum


def check_trajectory_shapes(trajectory: Trajectory) -> None:
    """Check shapes, precision and finiteness of `coef`, `average` and `path`."""
    shape, dtype = trajectory.shape, trajectory.dtype
    answers = {
        "coef(Uniform())": (trajectory.coef(Uniform()), shape),
        "average(3 schemes)": (trajectory.average(TRAJECTORY_SCHEMES), (len(TRAJECTORY_SCHEMES), *shape)),
        "path(4 alphas)": (trajectory.path(TRAJECTORY_ALPHAS), (len(TRAJECTORY_ALPHAS), *shape)),
    }
    for what, (answer, expected) in answers.items():
        require(answer.shape == expected, f"{what}: got shape {answer.shape}, expected {expected}.")
        require(answer.dtype == dtype, f"{what}: got {answer.dtype}, expected {dtype}.")
        require(np.isfinite(answer).all(), f"{what} is not finite.")


def check_answers_agree(trajectory: Trajectory) -> None:
    """Check that `path` is the geometric averages, and `average` the coefficients of each scheme."""
    rounding = ROUNDINGS * float(np.finfo(trajectory.dtype).eps)
    path = trajectory.path(TRAJECTORY_ALPHAS)
    for alpha, coef in zip(TRAJECTORY_ALPHAS, path, strict=True):
        scale = rounding * float(np.abs(coef).max(initial=0.0))
        require_close(f"path at alpha={alpha:g}", coef, trajectory.coef(Geometric(alpha)), rtol=0.0, atol=scale)
    for scheme, coef in zip(TRAJECTORY_SCHEMES, trajectory.average(TRAJECTORY_SCHEMES), strict=True):
        scale = rounding * float(np.abs(coef).max(initial=0.0))
        require_close(f"average by {scheme}", coef, trajectory.coef(scheme), rtol=0.0, atol=scale)


def check_start(trajectory: Trajectory, start: ArrayLike = 0.0) -> None:
    """Check that an infinitely strong alpha leaves the coefficients at the start of the run, w_0."""
    begun = np.broadcast_to(np.asarray(start, dtype=trajectory.dtype), trajectory.shape)
    scale = float(np.abs(trajectory.coef(Geometric(0.1)) - begun).max(initial=0.0))
    strong = trajectory.coef(Geometric(HUGE_ALPHA))
    require_close(f"coefficients at alpha={HUGE_ALPHA:g}", strong, begun, rtol=0.0, atol=1e-6 * scale)


def check_trajectory(trajectory: Trajectory, start: ArrayLike = 0.0) -> None:
    """Check every law of a trajectory.

    Parameters
    ----------
    trajectory : of a finished run with at least one step.
    start : w_0, where the run began.

    Raises
    ------
    AssertionError
        At the first law that fails, with what was found and what was expected.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> from ridgeway.testing import check_trajectory
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> check_trajectory(rw.run_sgd(X, X[:, 0], step=0.05))
    """
    check_trajectory_shapes(trajectory)
    check_answers_agree(trajectory)
    check_start(trajectory, start)
