"""What a user should know of a kernel fit that ended early, and of strengths that it has not resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ridgeway.averaging import Geometric
from ridgeway.exact.krylov import RESOLVED
from ridgeway.messages.user_warning import warn_user
from ridgeway.trajectory import Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.averaging import Scheme
    from ridgeway.trajectory import Trajectory


def warn_of_short_fit(solver: str, passes: float, scheme: Scheme | None) -> None:
    """Warn that the held-out error still changed at the end or, for a given scheme, that it was not solved.

    Parameters
    ----------
    solver : "krylov" or "sgd".
    passes : products with the kernel matrix, or passes of SGD.
    scheme : the average, where it was given.
    """
    if solver == "sgd":
        said = (
            f"the held-out error was still falling after {passes:.0f} passes: set passes to more, or solver='krylov'."
        )
    elif scheme is not None:
        asked = f"alpha={scheme.alpha:g}" if isinstance(scheme, Geometric) else str(scheme)
        said = (
            f"{asked} was not solved to rounding by {passes:.0f} products with the kernel matrix: set a larger alpha."
        )
    else:
        said = (
            f"the held-out error still changed after {passes:.0f} products with the kernel matrix: the target has "
            "little noise for this kernel. Set a smaller gamma, gamma='auto', or an alpha."
        )
    warn_user(said, ConvergenceWarning)


def warn_of_weak_strengths(trajectory: Trajectory, alphas: NDArray[np.float64]) -> None:
    """Warn of ridge strengths whose residual |b - (A + alpha) w| is above a thousandth of |b|.

    Parameters
    ----------
    trajectory : what the fit left.
    alphas : (L,), the strengths that were asked for.
    """
    if not isinstance(trajectory, Spectrum) or trajectory.complete:
        return
    left = trajectory.relative_residuals(alphas)
    weak = alphas[left > RESOLVED]
    if len(weak):
        worst = float(left.max())
        named = f"alpha={weak[0]:.3g} is" if len(weak) == 1 else f"{len(weak)} alphas up to {weak.max():.3g} are"
        warn_user(
            f"{named} weaker than what this fit has resolved (its equations are off by {worst:.1%}): predictions are "
            "smoother than those of kernel ridge there. Fit with that alpha to solve it.",
            ConvergenceWarning,
        )
