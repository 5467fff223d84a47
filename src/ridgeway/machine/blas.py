"""BLAS and LAPACK on one thread: most products here are small, and threads would wait for each other."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any, Literal
from weakref import WeakSet

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from threadpoolctl import OpenBLASController, ThreadpoolController


class _Block:
    """An open block and its number of threads."""

    def __init__(self, number: int) -> None:
        self.number = number


class _SharedLimit:
    """The number of BLAS threads that all open blocks allow, in any threads of Python.

    Most BLAS libraries have one number of threads for the whole process. Blocks of several threads of Python may end in
    another order than they began. If each block restored the number that it found, the process could be left with one
    thread. So the smallest number of all open blocks is used, and the last block that ends restores the number from
    before the first. OpenBLAS on OpenMP has a number for each thread of Python; there each block restores its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: WeakSet[_Block] = WeakSet()  # an interrupt may end a block without a word: it is then collected
        self._limited = False
        self._before: list[int] = []  # threads of each library before the first block
        if hasattr(os, "register_at_fork"):  # a child has no thread that could release the lock for it
            release = self._lock.release
            os.register_at_fork(before=self._lock.acquire, after_in_parent=release, after_in_child=release)

    @contextmanager
    def to(self, number: int) -> Iterator[None]:
        """Open a block. If a block was interrupted, the next one repairs the number of threads."""
        block = _Block(number)
        found = _thread_counts()
        try:
            with self._lock:
                found = _thread_counts()  # a block of another thread may have ended since
                if not self._limited:
                    self._before = found
                self._limited = True
                self._open.add(block)
                _change_threads(found, [self._smallest()] * len(found))
            yield
        finally:
            with self._lock:
                # An interrupt may have come before the block was open.
                now = [self._smallest()] * len(found) if self._open else _thread_counts()
                self._open.discard(block)
                left = [self._smallest()] * len(found) if self._open else self._before
                each = zip(_libraries(), found, left, strict=True)
                _change_threads(now, [own if _is_set_by_thread(library) else others for library, own, others in each])
                self._limited = len(self._open) > 0

    def _smallest(self) -> int:
        return min(block.number for block in self._open)


@lru_cache(maxsize=1)
def _libraries() -> list[Any]:
    """Return the BLAS libraries that were loaded at the first call."""
    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


def _thread_counts() -> list[int]:
    return [library.num_threads for library in _libraries()]


def _is_set_by_thread(library: Any) -> bool:
    return bool(library.internal_api == "openblas" and library.threading_layer == "openmp")


def _change_threads(now: list[int], numbers: list[int]) -> None:
    """Set the number of threads of each library, whichever thread of Python set it last, unless they are so now.

    From version 3.8 on threadpoolctl lets one thread of Python set numbers, and silently ignores the others.
    """
    if now == numbers:
        return
    _let_any_thread_set()
    for library, number in zip(_libraries(), numbers, strict=True):
        library.set_num_threads(number)
    _let_any_thread_set()


def _let_any_thread_set() -> None:
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


_SHARED = _SharedLimit()


def threads(number: int) -> AbstractContextManager[None]:
    """Limit BLAS to this many threads within a `with` block; blocks of several threads of Python may overlap."""
    return _SHARED.to(number)


def blas_threads() -> int:
    """Return the number of threads that BLAS takes now: all cores, unless the environment or `threads` sets fewer."""
    return max((library.num_threads for library in _libraries()), default=1)


def one_thread() -> AbstractContextManager[None]:
    """Limit BLAS to one thread within a `with` block.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     product = np.eye(3) @ np.ones((3, 2))
    """
    return threads(1)


def eigh(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues, increasing, and eigenvectors of a symmetric matrix, which may be overwritten.

    evd was the fastest of LAPACK's drivers at 300 and 1,000 rows; older SciPy cannot call it for a single row.
    """
    driver: Literal["ev", "evd"] = "evd" if len(matrix) > 1 else "ev"
    eigenvalues, vectors = scipy.linalg.eigh(matrix, driver=driver, overwrite_a=True, check_finite=False)
    return eigenvalues, vectors
