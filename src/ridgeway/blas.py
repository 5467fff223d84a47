"""BLAS on one thread: the products here are small, and on a busy machine threads that wait for each other are slow."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _controller() -> Any:
    return ThreadpoolController()


def threads(number: int) -> AbstractContextManager[Any]:
    """Keep BLAS to so many threads within a `with` block."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=number, user_api="blas")
    return limited


def one_thread() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread within a `with` block.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     product = np.eye(3) @ np.ones((3, 2))
    """
    return threads(1)
