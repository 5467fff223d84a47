"""Drift: warn if the end of a file differs from its beginning and its rows cannot be shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data import EncodedBatch
from ridgeway.messages.user_warning import warn_user

MIN_END_ROWS = 500  # means of fewer rows differ by chance
MAX_SHIFT_DEVIATIONS = 0.5  # largest accepted difference of the means, in standard deviations within the ends


def warn_of_drift(first: EncodedBatch, last: EncodedBatch, names: Sequence[str], source_name: str) -> None:
    """Warn if the means of the target or of a feature differ much between the two ends of a file.

    Parameters
    ----------
    first, last : rows of the ends.
    names : names of the features.
    source_name : name of the file in messages.
    """
    if min(len(first.y), len(last.y)) < MIN_END_ROWS:
        return
    shifts = np.append(_shifts(first.X, last.X), _shifts(first.y[:, None], last.y[:, None]))
    most = int(np.argmax(shifts))
    if shifts[most] <= MAX_SHIFT_DEVIATIONS:
        return
    what = "the target" if most == len(names) else f"{names[most]!r}"
    warn_user(
        f"{source_name} is sorted: the mean of {what} changes by {shifts[most]:.1f} standard deviations from its "
        "beginning to its end. The file can only be read from start to end (it is compressed, a stream, or has "
        "quotation marks within fields), and the memory limit holds too few of its rows to shuffle them. So the model "
        "is biased towards the last rows. Unpack the file or convert it to Parquet, which is read in random order; or "
        "shuffle its rows; or allow more memory (--memory).",
    )


def _shifts(one: Any, other: Any) -> NDArray[np.float64]:
    """Return the difference of the means of each column, in standard deviations pooled over both ends; (columns,)."""
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
