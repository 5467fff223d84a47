"""Survival functions as Chebyshev series on the blocks of a layout, with the error they have there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.averaging.scheme import survival_table
from ridgeway.compiled import compiled
from ridgeway.trajectory.layout import Block

SPARE_NODES = 2  # nodes beyond the number of moments: their coefficients show what is left out


def expand(
    schemes: Sequence[Scheme], blocks: tuple[Block, ...], n_steps: int, step: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Expand survival functions, continued smoothly beyond the last step, on blocks of one layout.

    Returns
    -------
    coefficients : (n_schemes, moments of all blocks together)
        S(j) ~ sum_k c_k T_k(u_j) on each block; S(j) itself on a raw block.
    errors : (n_schemes,)
        Estimated largest error of a survival value on any of the blocks.
    """
    return expand_values(survival_table(schemes, places(blocks), n_steps, step), blocks, n_steps)


def expand_values(
    survival: NDArray[np.float64], blocks: tuple[Block, ...], n_steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Do the same from values of survival functions at `places`, (n_schemes, n_places), which are changed in place."""
    raw = [block for block in blocks if block.raw]
    smooth = [block for block in blocks if not block.raw]
    everywhere, n_schemes = places(blocks), len(survival)
    n_raw = sum(block.length for block in raw)
    survival[:, np.searchsorted(everywhere[:n_raw], n_steps, side="right") : n_raw] = 0.0  # steps not made yet
    if not smooth:
        return survival, np.zeros(n_schemes)
    m = smooth[0].moments
    nodes, transform = _chebyshev(m + SPARE_NODES)
    coefficients = np.empty((n_schemes, n_raw + m * len(smooth)))
    coefficients[:, :n_raw] = survival[:, :n_raw]
    errors = np.empty(n_schemes)
    with np.errstate(over="ignore", invalid="ignore"):  # a scheme may grow without bound beyond the last step
        series = (survival[:, n_raw:].reshape(-1, len(nodes)) @ transform).reshape(n_schemes, len(smooth), -1)
    _read_series(series, _rounding(blocks), coefficients[:, n_raw:], errors)
    return coefficients, errors


@compiled
def _read_series(
    series: NDArray[np.float64],
    shares: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> None:
    """Fill coefficients (n_schemes, n_blocks * m) and the largest errors (n_schemes,) of series.

    Parameters
    ----------
    series : (n_schemes, n_blocks, n_nodes).
    shares : (n_blocks, m), as `_rounding` gives them.
    """
    n_schemes, n_blocks, n_nodes = series.shape
    m = shares.shape[1]
    for scheme in range(n_schemes):
        errors[scheme] = 0.0
        for block in range(n_blocks):
            error = 0.0
            for k in range(m):
                coefficients[scheme, block * m + k] = series[scheme, block, k]
                error += shares[block, k] * abs(series[scheme, block, k])
            for k in range(m, n_nodes):
                error += abs(series[scheme, block, k])
            if not error <= errors[scheme]:
                errors[scheme] = np.inf if np.isnan(error) else error


@lru_cache(maxsize=64)
def places(blocks: tuple[Block, ...]) -> NDArray[np.float64]:
    """Return the steps at which survival is looked at: those of raw blocks, then the nodes of the others."""
    raw = [np.arange(block.start + 1, block.stop + 1, dtype=np.float64) for block in blocks if block.raw]
    smooth = [block for block in blocks if not block.raw]
    nodes = [block.steps(_chebyshev(block.moments + SPARE_NODES)[0]) for block in smooth]
    steps = np.concatenate([*raw, *nodes])
    steps.flags.writeable = False
    return steps


@lru_cache(maxsize=64)
def _chebyshev(n_nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Chebyshev nodes (n,) and the matrix (n, n) that turns values at them into coefficients."""
    angle = np.pi * (np.arange(n_nodes) + 0.5) / n_nodes
    transform = 2 / n_nodes * np.cos(np.outer(angle, np.arange(n_nodes)))
    transform[:, 0] /= 2
    return np.cos(angle), transform


@lru_cache(maxsize=64)
def _rounding(blocks: tuple[Block, ...]) -> NDArray[np.float64]:
    """Return shares (n_blocks, m) of the blocks that are not raw, for errors of series on them.

    A series of coefficients c errs by the sum of those beyond the moments, and by the polynomials within chunks, none
    for single steps: interpolation at 2 or 3 Chebyshev nodes over h = chunk/length errs by |f''| h^2 / 4 or
    |f^(3)| h^3 / 24, and the largest derivatives of T_k on [-1, 1] are those at 1. The latter is at most the sum of
    share_k |c_k|.
    """
    smooth = [block for block in blocks if not block.raw]
    k2 = np.arange(smooth[0].moments, dtype=np.float64) ** 2
    slopes = {1: k2 * (k2 - 1) / 12, 2: k2 * (k2 - 1) * (k2 - 4) / 360}
    h = [block.chunk / block.length if block.chunk > 1 else 0.0 for block in smooth]
    return np.array([size ** (block.degree + 1) * slopes[block.degree] for size, block in zip(h, smooth, strict=True)])
