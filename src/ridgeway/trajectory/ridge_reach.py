"""The smallest alpha for which the averages of a run are ridge regression; weaker alphas need a longer run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Tail, Uniform

if TYPE_CHECKING:
    from ridgeway.trajectory.trajectory import Trajectory

# alpha * time from which the truncation of a geometric average does not matter: its relative effect on a direction of
# any eigenvalue is at most x exp(-x) / (1 - exp(-x)) at alpha * time = x, 3.4% at 5.
UNTRUNCATED_ALPHA_TIME = 5.0
NOTABLE_DISTANCE = 0.1  # relative distance from ridge from which the user is warned
MAX_EXTRAPOLATED_RATIO = 0.95  # largest ratio of successive changes that is extrapolated
WEAKEST_RELATIVE_ALPHA = (
    1e-5  # alphas of interest, in mean squared norms of a row: about a million steps of the automatic size
)
MIN_STEPS_TO_JUDGE = 256  # in shorter runs, quarters are too short to distinguish a trend from noise
PROBED_TAIL_STARTS = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class RidgeReach:
    """The range of alphas for which the path of a run is ridge regression.

    Attributes
    ----------
    alpha : for this and stronger alphas, geometric averages are ridge within a few percent, for any rows.
    distance : estimated relative distance of the weakest average (alpha = 0) from ridge, |w - ridge| / |ridge|; 0 if
        the run has stopped moving.
    weakest : the weakest alpha of interest, which replaces 0.
    """

    alpha: float
    distance: float
    weakest: float

    def distance_at(self, alpha: float) -> float:
        """Return the approximate distance of the average at an alpha from ridge: the weight of the missing steps."""
        return self.distance * float(np.exp(-max(alpha, self.weakest) * UNTRUNCATED_ALPHA_TIME / self.alpha))

    def is_short_of(self, alpha: float) -> bool:
        """Return whether the average at an alpha is notably far from ridge."""
        return self.distance_at(alpha) >= NOTABLE_DISTANCE


def ridge_reach(trajectory: Trajectory) -> RidgeReach:
    """Estimate the smallest alpha for which the averages of a run are ridge.

    With m_1 .. m_4 the mean iterates of the quarters of the run and g_k = m_{k+1} - m_k, a run that still converges has
    g_1, g_2 and g_3 in about the same direction, each shorter than the one before. A run that has converged and only
    fluctuates has <g_2, g_3> < 0 on average, because both contain m_3. The ratio r = <g_2, g_3> / |g_2|^2 extrapolates
    the remaining distance, g_3 r / (1 - r).

    It assumes that the movement is visible: directions of such small variance that the run has hardly begun to learn
    them do not show, so the distance is underestimated.

    Parameters
    ----------
    trajectory : a finished run that began at 0.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 2)) * [1.0, 0.05]
    >>> short = rw.run_sgd(X, X @ [1.0, 20.0], step=0.1, passes=2)
    >>> reach = ridge_reach(short)
    >>> reach.is_short_of(0.0), reach.is_short_of(reach.alpha), round(reach.alpha, 4)
    (True, False, 0.0125)
    >>> ridge_reach(rw.run_sgd(X, X @ [1.0, 20.0], step=0.1, passes=200)).is_short_of(0.0)
    False
    """
    alpha, weakest = UNTRUNCATED_ALPHA_TIME / trajectory.elapsed, WEAKEST_RELATIVE_ALPHA * trajectory.mean_squared_norm
    means = _means_of_quarters(trajectory)
    largest = 0.0 if means is None else float(np.abs(means).max())
    if means is None or largest == 0:
        return RidgeReach(alpha, 0.0, weakest)
    means = means / largest  # only ratios matter, and squares of very large or small numbers overflow or underflow
    first, second, third = np.diff(means, axis=0)
    on_its_way = min(first @ third, second @ third) > 0 and third @ third < second @ second
    if not on_its_way:
        return RidgeReach(alpha, 0.0, weakest)
    ratio = min(float(second @ third) / float(second @ second), MAX_EXTRAPOLATED_RATIO)
    end = means[-1] + third * ratio / (1 - ratio)
    uniform = trajectory.nearest_average([Uniform()]).astype(np.float64).reshape(-1) / largest
    size = float(np.linalg.norm(end))
    distance = float(np.linalg.norm(end - uniform)) / size if size > 0 else 0.0
    return RidgeReach(alpha, distance, weakest)


def _means_of_quarters(trajectory: Trajectory) -> NDArray[np.float64] | None:
    """Return the mean iterates of four quarters of the time of a run, (4, values); None where it is too short."""
    if trajectory.length < MIN_STEPS_TO_JUDGE:
        return None
    tails = [tail for start in PROBED_TAIL_STARTS if isinstance(tail := trajectory.nearest(Tail(start)), Tail)]
    steps, length = trajectory.steps, trajectory.length
    starts = np.array([0, *(tail.first(length, steps) for tail in tails)], float)
    left = steps.elapsed(length + 1) - steps.elapsed(starts)  # time from each start on
    lengths = -np.diff(left, append=0.0)
    if len(lengths) != 1 + len(PROBED_TAIL_STARTS) or (lengths <= 0).any():
        return None
    try:
        averages = trajectory.nearest_average([Uniform(), *tails]).astype(np.float64).reshape(len(left), -1)
    except (ValueError, OverflowError):  # beyond the precision of the rows; an error is raised when it is requested
        return None
    sums = averages * left[:, None]
    means: NDArray[np.float64] = -np.diff(sums, axis=0, append=0.0) / lengths[:, None]
    return means
