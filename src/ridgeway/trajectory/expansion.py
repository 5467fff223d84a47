"""Survival functions as Chebyshev series on the blocks of a layout, with the error they have there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme, Staircase
from ridgeway.averaging.geometric import FLAT, geometric_survival, log_growths
from ridgeway.averaging.scheme import survival_table
from ridgeway.compiled import compiled
from ridgeway.trajectory.time_blocks import Block

NOTHING_LEFT = 60.0  # the exponential of minus this is nothing beside 1, nor beside the first steps' shares
SPARE_NODES = 2  # nodes beyond the number of moments: their coefficients show what is left out


def expand(
    schemes: Sequence[Scheme], blocks: tuple[Block, ...], n_steps: int, steps: Staircase
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
        return expand_ridges(strengths, blocks, n_steps, steps)
    coefficients, errors = expand_values(survival_table(schemes, places(blocks), n_steps, steps), blocks, n_steps)
    if ridges.any():  # with the bits that they have by themselves
        coefficients[ridges], errors[ridges] = expand_ridges(strengths, blocks, n_steps, steps)
    return coefficients, errors


def expand_values(
    survival: NDArray[np.float64], blocks: tuple[Block, ...], n_steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Do the same from values of survival functions at `places`, (n_schemes, n_places)."""
    cut = _cut(blocks)
    coefficients, errors = np.empty((len(survival), cut.n_columns)), np.zeros(len(survival))
    made = places(blocks)[cut.raw_places] <= n_steps
    coefficients[:, cut.raw_columns] = np.where(made, survival[:, cut.raw_places], 0.0)
    if len(cut.shares):
        nodes, transform = _chebyshev(cut.shares.shape[1] + SPARE_NODES)
        values = survival[:, cut.node_places].reshape(-1, len(nodes))
        with np.errstate(over="ignore", invalid="ignore"):  # a scheme may grow without bound beyond the last step
            series = (values @ transform).reshape(len(survival), len(cut.shares), -1)
        _read_series(series, cut.shares, cut.first_columns, coefficients, errors)
    return coefficients, errors


def expand_ridges(
    strengths: NDArray[np.float64], blocks: tuple[Block, ...], n_steps: int, steps: Staircase
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Do the same for `Geometric` schemes of these strengths, in two thirds of the time.

    Survival on a block is its value at the start times powers of one discount, so blocks of one length on one stair
    share a series. Uniform averages are those of `Uniform`, to the last bit.
    """
    growth, cut = log_growths(strengths, steps), _cut(blocks)
    past = steps.sums(growth, cut.marks)
    left = steps.sums_left(growth, cut.marks, n_steps + 1)
    total = steps.sums(growth, np.array([n_steps + 1.0]))[:, 0]
    coefficients, errors = np.empty((len(growth), cut.n_columns)), np.zeros(len(growth))
    nodes, transform = _chebyshev(cut.shares.shape[1] + SPARE_NODES)
    stair = steps.stairs_of(cut.marks[len(cut.raw_columns) :])
    sums = GrowthSums(growth, past, left, total)
    _fill_ridges(
        sums, cut.raw_columns, cut.first_columns, cut.halves, stair, nodes, transform, cut.shares, coefficients, errors
    )
    flat = total < FLAT
    if flat.any():
        survival = geometric_survival(strengths[flat], places(blocks), n_steps, steps)
        coefficients[flat], errors[flat] = expand_values(survival, blocks, n_steps)
    return coefficients, errors


class GrowthSums(NamedTuple):
    """Minus the logarithms of discounts, of L strengths.

    Attributes
    ----------
    growth : (L, n_stairs), of one step on each stair.
    past : (L, n_marks), of all steps up to a mark.
    left : (L, n_marks), of the steps from there to the end of the run.
    total : (L,), of all steps.
    """

    growth: NDArray[np.float64]
    past: NDArray[np.float64]
    left: NDArray[np.float64]
    total: NDArray[np.float64]


@compiled
def _fill_ridges(
    sums: GrowthSums,
    raw_columns: NDArray[np.int64],
    first_columns: NDArray[np.int64],
    halves: NDArray[np.float64],
    stair: NDArray[np.int64],
    nodes: NDArray[np.float64],
    transform: NDArray[np.float64],
    shares: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> None:
    """Fill coefficients (n_schemes, n_columns) and errors (n_schemes,), which are 0, of geometric averages.

    On a block from step a to a + 2h, S(a + h (1 + x)) is front * f(x) + base, where f(x) is e^(-g h (1 + x)), or less 1
    where the average is nearly uniform and differences of powers would cancel.

    Parameters
    ----------
    sums : at marks, which are the steps of raw blocks, then the first step of each other block.
    raw_columns, first_columns : the column of each step of a raw block, and the first one of each other block.
    halves, stair : h of each other block, and the stair that it is on.
    nodes : (n_nodes,).
    transform : (n_nodes, n_nodes), of values at the nodes to coefficients.
    shares : (n_blocks, m), as `_rounding` gives them.
    """
    n_blocks, m = shares.shape
    n_nodes, n_raw = len(nodes), len(raw_columns)
    series = np.zeros(n_nodes)
    for scheme in range(len(sums.total)):
        total = max(sums.total[scheme], FLAT)
        level = total < 1
        last, whole = math.exp(-total), -math.expm1(-total)
        for i in range(n_raw):
            value, left = math.exp(-sums.past[scheme, i]), sums.left[scheme, i]
            value = -value * math.expm1(-left) if level else value - last
            coefficients[scheme, raw_columns[i]] = value / whole if left > 0 else 0.0
        left_out = 0.0
        for block in range(n_blocks):
            past, column = sums.past[scheme, n_raw + block], first_columns[block]
            if past > NOTHING_LEFT:
                coefficients[scheme, column : column + m] = 0.0
                continue
            g, half = sums.growth[scheme, stair[block]], halves[block]
            if block == 0 or half != halves[block - 1] or stair[block] != stair[block - 1]:
                series[:] = 0.0
                for node in range(n_nodes):
                    power = -g * half * (1 + nodes[node])
                    value = math.expm1(power) if level else math.exp(power)
                    for k in range(n_nodes):
                        series[k] += value * transform[node, k]
                left_out = np.abs(series[m:]).sum()
            front, base = math.exp(-past) / whole, -last / whole
            if level:
                base = last * math.expm1(sums.left[scheme, n_raw + block]) / whole
            error = front * left_out
            for k in range(m):
                value = front * series[k] + (base if k == 0 else 0.0)
                coefficients[scheme, column + k] = value
                error += shares[block, k] * abs(value)
            errors[scheme] = max(errors[scheme], error)


@dataclass(frozen=True, eq=False)
class _Cut:
    """Where the values of survival functions on blocks belong.

    Attributes
    ----------
    n_columns : moments of all blocks together.
    raw_places, raw_columns : of each step of a raw block, its place among `places` and its column.
    node_places : places of the nodes of the other blocks, block by block.
    first_columns : the first column of each other block.
    marks : steps of raw blocks, then the first step of each other block.
    halves : half of the other blocks' last step less their first.
    shares : as `_rounding` gives them.
    """

    n_columns: int
    raw_places: NDArray[np.int64]
    raw_columns: NDArray[np.int64]
    node_places: NDArray[np.int64]
    first_columns: NDArray[np.int64]
    marks: NDArray[np.float64]
    halves: NDArray[np.float64]
    shares: NDArray[np.float64]


@lru_cache(maxsize=64)
def _cut(blocks: tuple[Block, ...]) -> _Cut:
    """All at once: to look up so many blocks takes longer than to find them."""
    raw = np.array([block.raw for block in blocks], bool)
    moments = np.array([block.moments for block in blocks], np.int64)
    n_places = np.where(raw, moments, moments + SPARE_NODES)
    of_place, of_column = np.repeat(raw, n_places), np.repeat(raw, moments)
    smooth = [block for block in blocks if not block.raw]
    raw_places = np.flatnonzero(of_place)
    return _Cut(
        n_columns=int(moments.sum()),
        raw_places=raw_places,
        raw_columns=np.flatnonzero(of_column),
        node_places=np.flatnonzero(~of_place),
        first_columns=(np.cumsum(moments) - moments)[~raw],
        marks=np.concatenate([places(blocks)[raw_places], [block.start + 1.0 for block in smooth]]),
        halves=np.array([(block.length - 1) / 2 for block in smooth]),
        shares=_rounding(blocks),
    )


@compiled
def _read_series(
    series: NDArray[np.float64],
    shares: NDArray[np.float64],
    first_columns: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> None:
    """Fill the columns of blocks in coefficients (n_schemes, n_columns), and the largest errors (n_schemes,) of series.

    Parameters
    ----------
    series : (n_schemes, n_blocks, n_nodes).
    shares : (n_blocks, m), as `_rounding` gives them.
    first_columns : (n_blocks,).
    """
    n_schemes, n_blocks, n_nodes = series.shape
    m = shares.shape[1]
    for scheme in range(n_schemes):
        errors[scheme] = 0.0
        for block in range(n_blocks):
            error = 0.0
            for k in range(m):
                coefficients[scheme, first_columns[block] + k] = series[scheme, block, k]
                error += shares[block, k] * abs(series[scheme, block, k])
            for k in range(m, n_nodes):
                error += abs(series[scheme, block, k])
            if not error <= errors[scheme]:
                errors[scheme] = np.inf if np.isnan(error) else error


@lru_cache(maxsize=64)
def places(blocks: tuple[Block, ...]) -> NDArray[np.float64]:
    """Return the steps at which survival is evaluated, block by block: all of a raw block, the nodes of another one."""
    steps = np.concatenate(
        [
            np.arange(block.start + 1, block.stop + 1, dtype=np.float64)
            if block.raw
            else block.steps(_chebyshev(block.moments + SPARE_NODES)[0])
            for block in blocks
        ]
    )
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
