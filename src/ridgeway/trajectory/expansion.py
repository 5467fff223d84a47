"""Survival functions as Chebyshev series on the blocks of a layout, with the error they have there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.averaging.geometric import FLAT, geometric_survival, log_growths
from ridgeway.averaging.scheme import survival_table
from ridgeway.compiled import compiled
from ridgeway.trajectory.layout import Block

NOTHING_LEFT = 60.0  # the exponential of minus this is nothing beside 1, nor beside the first steps' shares
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
    ridges = np.array([isinstance(scheme, Geometric) for scheme in schemes])
    strengths = np.array([scheme.alpha for scheme in schemes if isinstance(scheme, Geometric)])
    if ridges.all():
        return expand_ridges(strengths, blocks, n_steps, step)
    coefficients, errors = expand_values(survival_table(schemes, places(blocks), n_steps, step), blocks, n_steps)
    if ridges.any():  # with the bits that they have by themselves
        coefficients[ridges], errors[ridges] = expand_ridges(strengths, blocks, n_steps, step)
    return coefficients, errors


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


def expand_ridges(
    strengths: NDArray[np.float64], blocks: tuple[Block, ...], n_steps: int, step: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Do the same for `Geometric` schemes of these strengths, in two thirds of the time.

    A power rho^j is one of rho at the start of a block times one that depends on the length of the block alone, so
    blocks of one length share a series. Uniform averages are those of `Uniform`, to the last bit.
    """
    growth = log_growths(strengths, step)
    n_raw, spans, shares = _spans(blocks)
    coefficients, errors = np.empty((len(growth), n_raw + shares.size)), np.zeros(len(growth))
    nodes, transform = _chebyshev(shares.shape[1] + SPARE_NODES)
    _fill_ridges(growth, n_steps, n_raw, spans, nodes, transform, shares, coefficients, errors)
    flat = growth * (n_steps + 1.0) < FLAT
    if flat.any():
        survival = geometric_survival(strengths[flat], places(blocks), n_steps, step)
        coefficients[flat], errors[flat] = expand_values(survival, blocks, n_steps)
    return coefficients, errors


@compiled
def _fill_ridges(
    growth: NDArray[np.float64],
    n_steps: int,
    n_raw: int,
    spans: NDArray[np.float64],
    nodes: NDArray[np.float64],
    transform: NDArray[np.float64],
    shares: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> None:
    """Fill coefficients (n_schemes, n_raw + n_blocks * m) and errors (n_schemes,), which are 0, of discounts e^-growth.

    On a block from step a to a + 2h, S(a + h (1 + x)) is front * f(x) + base, where f(x) is e^(-g h (1 + x)), or less 1
    where the average is nearly uniform and differences of powers would cancel.

    Parameters
    ----------
    spans : (n_blocks, 2), a and h of each block, as `_spans` gives them.
    nodes : (n_nodes,).
    transform : (n_nodes, n_nodes), of values at the nodes to coefficients.
    shares : (n_blocks, m), as `_rounding` gives them.
    """
    n_blocks, m = shares.shape
    n_nodes, length = len(nodes), n_steps + 1.0
    series = np.zeros(n_nodes)
    for scheme in range(len(growth)):
        g = max(growth[scheme], FLAT / length)
        level = g * length < 1
        last, whole = math.exp(-g * length), -math.expm1(-g * length)
        for i in range(n_raw):
            value, left = math.exp(-g * (i + 1)), length - (i + 1)
            value = -value * math.expm1(-g * left) if level else value - last
            coefficients[scheme, i] = value / whole if left > 0 else 0.0
        left_out = 0.0
        for block in range(n_blocks):
            start, half = spans[block]
            if g * start > NOTHING_LEFT:
                coefficients[scheme, n_raw + block * m :] = 0.0
                break
            if block == 0 or half != spans[block - 1, 1]:
                series[:] = 0.0
                for node in range(n_nodes):
                    power = -g * half * (1 + nodes[node])
                    value = math.expm1(power) if level else math.exp(power)
                    for k in range(n_nodes):
                        series[k] += value * transform[node, k]
                left_out = np.abs(series[m:]).sum()
            front, base = math.exp(-g * start) / whole, -last / whole
            if level:
                base = last * math.expm1(g * (length - start)) / whole
            error = front * left_out
            for k in range(m):
                value = front * series[k] + (base if k == 0 else 0.0)
                coefficients[scheme, n_raw + block * m + k] = value
                error += shares[block, k] * abs(value)
            errors[scheme] = max(errors[scheme], error)


@lru_cache(maxsize=64)
def _spans(blocks: tuple[Block, ...]) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Return the steps of raw blocks; of the others the first step and half the length, (n_blocks, 2); `_rounding`.

    All at once: to look up so many blocks takes longer than to find them.
    """
    n_raw = sum(block.length for block in blocks if block.raw)
    spans = [(block.start + 1, (block.length - 1) / 2) for block in blocks if not block.raw]
    return n_raw, np.array(spans, np.float64).reshape(-1, 2), _rounding(blocks)


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
    if not smooth:
        return np.empty((0, 0))
    k2 = np.arange(smooth[0].moments, dtype=np.float64) ** 2
    slopes = {1: k2 * (k2 - 1) / 12, 2: k2 * (k2 - 1) * (k2 - 4) / 360}
    h = [block.chunk / block.length if block.chunk > 1 else 0.0 for block in smooth]
    return np.array([size ** (block.degree + 1) * slopes[block.degree] for size, block in zip(h, smooth, strict=True)])
