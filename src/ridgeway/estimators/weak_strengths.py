"""Ridge strengths that a Krylov fit has not resolved: they are answered with a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.exceptions import ConvergenceWarning

from ridgeway.exact.krylov import CANDIDATE_RESIDUAL
from ridgeway.messages.user_warning import warn_user
from ridgeway.trajectory import Spectrum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ridgeway.trajectory import Trajectory


def warn_of_weak_strengths(trajectory: Trajectory, alphas: NDArray[np.float64], effect: str) -> None:
    """Warn of ridge strengths whose residual |b - (A + alpha) w| is above a thousandth of |b|.

    Parameters
    ----------
    trajectory : what the fit left.
    alphas : (L,), the strengths that were asked for.
    effect : what it means for the answer, and the remedy.
    """
    if not isinstance(trajectory, Spectrum) or trajectory.complete:
        return
    left = trajectory.relative_residuals(alphas)
    weak = alphas[left > CANDIDATE_RESIDUAL]
    if len(weak):
        worst = float(left.max())
        most = "" if len(weak) == 1 else "up to "
        named = f"alpha={weak[0]:.3g} is" if len(weak) == 1 else f"{len(weak)} alphas up to {weak.max():.3g} are"
        warn_user(
            f"{named} weaker than the strengths that this fit solved (relative residual {most}{worst:.1%}): {effect}",
            ConvergenceWarning,
        )
