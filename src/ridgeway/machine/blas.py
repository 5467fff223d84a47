"""BLAS and LAPACK: on one thread, for the products here are small and threads that wait for each other are slow."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController


class _SharedLimit:
    """The number of threads that open blocks allow, in whatever threads of Python these run.

    BLAS has one number for the whole process. Blocks that each brought back what they found would end in another order
    than they began, and leave one thread for good. So the smallest number of all open blocks holds, and the last block
    that ends brings back what was there before the first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[int] = []
        self._before: Any = None
        if hasattr(os, "register_at_fork"):  # a child has no thread that could release the lock for it
            release = self._lock.release
            os.register_at_fork(before=self._lock.acquire, after_in_parent=release, after_in_child=release)

    @contextmanager
    def to(self, number: int) -> Iterator[None]:
        """Open a block."""
        with self._lock:
            if not self._open:
                self._before = _set_threads(number)
            elif number < min(self._open):
                _set_threads(number)
            self._open.append(number)
        try:
            yield
        finally:
            with self._lock:
                self._open.remove(number)
                if not self._open:
                    self._before.restore_original_limits()
                elif number < min(self._open):
                    _set_threads(min(self._open))


@lru_cache(maxsize=1)
def _controller() -> Any:
    return ThreadpoolController()


def _set_threads(number: int) -> Any:
    """Return what brings back the numbers before."""
    return _controller().limit(limits=number, user_api="blas")


_SHARED = _SharedLimit()


def threads(number: int) -> AbstractContextManager[None]:
    """Keep BLAS to so many threads within a `with` block; blocks of several threads of Python may overlap."""
    return _SHARED.to(number)


def one_thread() -> AbstractContextManager[None]:
    """Keep BLAS to one thread within a `with` block.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     product = np.eye(3) @ np.ones((3, 2))
    """
    return threads(1)


def eigh(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues, increasing, and vectors of a symmetric matrix, which is overwritten where its layout allows it.

    evd was the fastest of LAPACK's drivers at 300 and 1,000 rows; older SciPy cannot call it for one.
    """
    driver: Literal["ev", "evd"] = "evd" if len(matrix) > 1 else "ev"
    eigenvalues, vectors = scipy.linalg.eigh(matrix, driver=driver, overwrite_a=True, check_finite=False)
    return eigenvalues, vectors
