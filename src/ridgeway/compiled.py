"""The decorator of every kernel: compiled by Numba, cached on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")

# Sums may be reassociated into vector lanes and contracted into fused multiply-adds. "nnan" and "ninf" stay
# out: with them the compiler folds every finiteness test to True and the divergence guard is gone.
FAST_MATH = frozenset({"reassoc", "contract", "nsz", "arcp"})


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a plain function into each of its callers: a call with arrays costs as much as a row of some columns."""
    return cast("Callable[P, R]", numba.njit(inline="always")(function))


def as_written(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of some numbers into its callers; its operations stay in their order, fused where they can be.

    The order decides for which of the numbers a result waits longest. And the last bits: code that several kernels are
    compiled with must have the same in all of them.
    """
    return cast("Callable[P, R]", numba.njit(fastmath={"contract"})(function))


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a plain function over arrays; it releases the GIL and knows nothing of Python objects.

    The machine code is kept in Numba's disk cache, beside the source or in the user's cache folder. Where neither
    can be written (a read-only install), the function is compiled in each process instead.
    """
    return _compiled(function, FAST_MATH)


def compiled_in_order(function: Callable[P, R]) -> Callable[P, R]:
    """Compile as `compiled` does, with every operation as it is written: sums have the same bits on every machine."""
    return _compiled(function, frozenset())


def _compiled(function: Callable[P, R], fast_math: frozenset[str]) -> Callable[P, R]:
    def jit(cache: bool) -> Any:
        return numba.njit(nogil=True, fastmath=set(fast_math), error_model="numpy", cache=cache)(function)

    try:
        kernel = jit(cache=True)
    except RuntimeError:  # Numba found no folder to write its cache to
        kernel = jit(cache=False)
    return cast("Callable[P, R]", kernel)
