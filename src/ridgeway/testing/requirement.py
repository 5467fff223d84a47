"""How a check fails: with what was found and what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def require(holds: object, message: str) -> None:
    """Raise AssertionError with a message unless a condition holds; `python -O` does not switch it off."""
    if not holds:
        raise AssertionError(message)


def require_close(what: str, got: ArrayLike, expected: ArrayLike, rtol: float, atol: float = 0.0) -> None:
    """Raise AssertionError unless two arrays agree: |got - expected| <= atol + rtol |expected|."""
    found, wanted = np.asarray(got), np.asarray(expected)
    require(found.shape == wanted.shape, f"{what}: got shape {found.shape}, expected {wanted.shape}.")
    apart = np.abs(found - wanted) - (atol + rtol * np.abs(wanted))
    if not np.all(apart <= 0):  # also true of NaN
        place = np.unravel_index(np.argmax(np.where(np.isnan(apart), np.inf, apart)), found.shape)
        index = f" at {tuple(map(int, place))}" if found.ndim else ""
        raise AssertionError(
            f"{what}{index}: got {found[place]!r}, expected {wanted[place]!r} (rtol={rtol:g}, atol={atol:g})."
        )
