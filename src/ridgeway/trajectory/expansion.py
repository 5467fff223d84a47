"""Survival functions as Chebyshev series on the blocks of a layout, with the error they have there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.averaging.scheme import survival_table
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
    with np.errstate(over="ignore", invalid="ignore"):  # a scheme may grow without bound beyond the last step
        series = survival[:, n_raw:].reshape(n_schemes, len(smooth), len(nodes)) @ transform
        errors = _errors(np.abs(series), smooth)
    errors[np.isnan(errors)] = np.inf
    coefficients = np.concatenate([survival[:, :n_raw], series[:, :, :m].reshape(n_schemes, -1)], axis=1)
    return coefficients, errors.max(axis=1)


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


def _errors(size: NDArray[np.float64], blocks: Sequence[Block]) -> NDArray[np.float64]:
    """Estimate errors on blocks, (n_schemes, n_blocks), from sizes of series, (n_schemes, n_blocks, n_nodes).

    One part are the coefficients beyond the moments. The other are the polynomials within chunks, none for single
    steps: interpolation at 2 or 3 Chebyshev nodes over h = chunk/length errs by |f''| h^2 / 4 or |f^(3)| h^3 / 24, and
    the largest derivatives of T_k on [-1, 1] are those at 1.
    """
    m, degree = blocks[0].moments, blocks[0].degree
    k2 = np.arange(size.shape[2], dtype=np.float64) ** 2
    within = k2 * (k2 - 1) / 12 if degree == 1 else k2 * (k2 - 1) * (k2 - 4) / 360
    beyond = (np.arange(len(k2)) >= m).astype(np.float64)
    h = np.array([block.chunk / block.length if block.chunk > 1 else 0.0 for block in blocks])
    parts = size @ np.stack([beyond, np.where(beyond, 0.0, within)], axis=1)
    errors: NDArray[np.float64] = parts[:, :, 0] + parts[:, :, 1] * h ** (degree + 1)
    return errors
