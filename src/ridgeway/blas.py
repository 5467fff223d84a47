"""BLAS and LAPACK: on one thread, for the products here are small and threads that wait for each other are slow."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
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


def eigh(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues, increasing, and vectors of a symmetric matrix, which is overwritten where its layout allows it.

    evd was the fastest of LAPACK's drivers at 300 and 1,000 rows; older SciPy cannot call it for one.
    """
    driver: Literal["ev", "evd"] = "evd" if len(matrix) > 1 else "ev"
    eigenvalues, vectors = scipy.linalg.eigh(matrix, driver=driver, overwrite_a=True, check_finite=False)
    return eigenvalues, vectors
