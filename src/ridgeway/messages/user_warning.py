"""Warnings that name the user's file and line, wherever in the library they are raised."""

from __future__ import annotations

import sys
import warnings

# Packages between the user and the place of a warning: ours, and those that call estimators for the user.
PASSED_OVER = ("ridgeway", "sklearn", "joblib", "threadpoolctl", "contextlib", "concurrent", "threading")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn with the file and line of the nearest caller outside of this library and of scikit-learn.

    A pipeline or a grid search calls an estimator from any depth, so the depth is found by walking the stack.

    Parameters
    ----------
    message : what happened, and what to do.
    category : kind of the warning.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_user("too few rows")
    >>> str(caught[0].message)
    'too few rows'
    """
    warnings.warn(message, category, stacklevel=_user_level())


def _user_level() -> int:
    """Return the `stacklevel`, for the caller of this function, of the first frame that is the user's."""
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and _passed_over(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    return level


def _passed_over(module: str) -> bool:
    return module.partition(".")[0] in PASSED_OVER
