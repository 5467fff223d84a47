"""Warnings about strengths: plots and tables evaluate strengths that the user did not ask for, without any."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning


@contextmanager
def no_strength_warnings() -> Iterator[None]:
    """Ignore warnings about strengths that a picture or a table tries by itself.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught, no_strength_warnings():
    ...     warnings.warn("alpha=1e-9 is weaker than what was resolved", ConvergenceWarning, stacklevel=1)
    >>> caught
    []
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
