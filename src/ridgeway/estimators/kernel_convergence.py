"""Warnings at the end of a kernel fit that ended early."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.exceptions import ConvergenceWarning

from ridgeway.averaging import Geometric
from ridgeway.messages.user_warning import warn_user

if TYPE_CHECKING:
    from ridgeway.averaging import Scheme

WEAK_KERNEL_STRENGTHS = "predictions there are smoother than those of kernel ridge. Fit with that alpha to solve it."


def warn_of_short_fit(solver: str, passes: float, scheme: Scheme | None) -> None:
    """Warn that the held-out error still changed at the end or, for a given scheme, that it was not solved.

    Parameters
    ----------
    solver : "krylov" or "sgd".
    passes : over the kernel matrix: passes of SGD, or products of the Krylov engine.
    scheme : the average, where it was given.
    """
    if solver == "sgd":
        said = (
            f"the held-out error was still falling after {passes:.0f} passes: increase passes, or set solver='krylov'."
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
