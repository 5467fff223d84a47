"""Drift: whether the end of a file differs from its beginning, where its order cannot be changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data import EncodedBatch
from ridgeway.user_warning import warn_user

MIN_END_ROWS = 500  # at each end: means of fewer differ by chance
MAX_SHIFT_DEVIATIONS = 0.5  # standard deviations within the ends, up to which their means may differ


def warn_of_drift(first: EncodedBatch, last: EncodedBatch, names: Sequence[str], place: str) -> None:
    """Warn when the means of the target or of a feature differ much between two ends of a file.

    Parameters
    ----------
    first, last : rows of the ends.
    names : of the features.
    place : what messages call the file.
    """
    if min(len(first.y), len(last.y)) < MIN_END_ROWS:
        return
    shifts = np.append(_shifts(first.X, last.X), _shifts(first.y[:, None], last.y[:, None]))
    most = int(np.argmax(shifts))
    if shifts[most] <= MAX_SHIFT_DEVIATIONS:
        return
    what = "the target" if most == len(names) else f"{names[most]!r}"
    warn_user(
        f"{place} is sorted: from its beginning to its end the mean of {what} moves by {shifts[most]:.1f} standard "
        "deviations. It can be read from its beginning only (it is compressed, a stream, or has quotation marks within "
        "fields), and the memory allowed holds too few of its rows to mix them: the model leans towards the last ones. "
        "Unpack the file or convert it to Parquet, which is read in random order; or shuffle its rows; or allow more "
        "memory (--memory).",
    )


def _shifts(one: Any, other: Any) -> NDArray[np.float64]:
    """Return how far the means of each column are apart, in standard deviations within the two; (columns,)."""
    (mean, variance), (other_mean, other_variance) = _moments(one), _moments(other)
    apart = np.abs(mean - other_mean)
    scale = np.sqrt((variance + other_variance) / 2)
    small = 1e-9 * (np.abs(mean) + np.abs(other_mean))
    shifts = np.divide(apart, scale, out=np.where(apart > small, np.inf, 0.0), where=scale > small)
    return np.asarray(shifts)


def _moments(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means and variances of the columns of dense or sparse rows."""
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    square = X.multiply(X) if not isinstance(X, np.ndarray) else np.square(X, dtype=np.float64)
    variance = np.asarray(square.mean(axis=0, dtype=np.float64)).ravel() - mean**2
    return mean, np.maximum(variance, 0.0)
