"""Probing: plots and tables evaluate strengths that the user did not ask for, without warnings about these."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning


@contextmanager
def probing() -> Iterator[None]:
    """Ignore warnings about strengths that a picture or a table tries by itself.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught, probing():
    ...     warnings.warn("alpha=1e-9 is weaker than what was resolved", ConvergenceWarning, stacklevel=1)
    >>> caught
    []
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
