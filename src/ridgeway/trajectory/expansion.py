"""Survival functions as Chebyshev series on the blocks of a layout, with the error of the series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.averaging import Geometric, Scheme, Staircase
from ridgeway.averaging.geometric import MIN_LOG_GROWTH, geometric_survival, log_growths
from ridgeway.averaging.scheme import survival_table
from ridgeway.trajectory.time_blocks import Block

SPARE_NODES = 2  # additional nodes, whose coefficients estimate the truncation error


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
    if ridges.any():  # same bits as for each scheme alone
        coefficients[ridges], errors[ridges] = expand_ridges(strengths, blocks, n_steps, steps)
    return coefficients, errors


def expand_values(
    survival: NDArray[np.float64], blocks: tuple[Block, ...], n_steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `expand` returns, from values of survival functions at `places`, (n_schemes, n_places)."""
    cut = _cut(blocks)
    coefficients, errors = np.empty((len(survival), cut.n_columns)), np.zeros(len(survival))
    made = places(blocks)[cut.raw_places] <= n_steps
    coefficients[:, cut.raw_columns] = np.where(made, survival[:, cut.raw_places], 0.0)
    if len(cut.shares):
        nodes, transform = _chebyshev(cut.shares.shape[1] + SPARE_NODES)
        values = survival[:, cut.node_places].reshape(-1, len(nodes))
        with np.errstate(over="ignore", invalid="ignore"):  # a scheme may grow without bound beyond the last step
            series = (values @ transform).reshape(len(survival), len(cut.shares), -1)
        _core.keep_series(
            series=series, shares=cut.shares, first_columns=cut.first_columns, coefficients=coefficients, errors=errors
        )
    return coefficients, errors


def expand_ridges(
    strengths: NDArray[np.float64], blocks: tuple[Block, ...], n_steps: int, steps: Staircase
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `expand` returns for `Geometric` schemes of these strengths, in two thirds of the time.

    Survival on a block is its value at the start times powers of one discount, so blocks of one length on one stair
    share a series. Uniform averages are those of `Uniform`, to the last bit.
    """
    growth, cut = log_growths(strengths, steps), _cut(blocks)
    total = np.ascontiguousarray(steps.sums(growth, np.array([n_steps + 1.0]))[:, 0])
    sums = _core.GrowthSums(
        growth=growth,
        past=steps.sums(growth, cut.marks),
        left=steps.sums_left(growth, cut.marks, n_steps + 1),
        total=total,
    )
    series_blocks = _core.SeriesBlocks(
        raw_columns=cut.raw_columns,
        first_columns=cut.first_columns,
        halves=cut.halves,
        stair=steps.stairs_of(cut.marks[len(cut.raw_columns) :]),
        shares=cut.shares,
    )
    nodes, transform = _chebyshev(cut.shares.shape[1] + SPARE_NODES)
    coefficients, errors = np.empty((len(growth), cut.n_columns)), np.empty(len(growth))
    _core.fill_ridge_series(
        sums,
        series_blocks,
        nodes=nodes,
        transform=transform,
        flat=MIN_LOG_GROWTH,
        coefficients=coefficients,
        errors=errors,
    )
    flat = total < MIN_LOG_GROWTH
    if flat.any():
        survival = geometric_survival(strengths[flat], places(blocks), n_steps, steps)
        coefficients[flat], errors[flat] = expand_values(survival, blocks, n_steps)
    return coefficients, errors


@dataclass(frozen=True, eq=False)
class _Cut:
    """Index tables of survival values on blocks.

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
    """Build the tables for all blocks at once, which is faster than one block at a time."""
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
    """Return shares (n_blocks, m), from which the error within chunks is estimated; raw blocks have none.

    A series with coefficients c has two errors: the coefficients beyond the moments, and the interpolation within
    chunks, which is 0 for single steps. Interpolation at 2 or 3 Chebyshev nodes over h = chunk/length has an error of
    |f''| h^2 / 4 or |f^(3)| h^3 / 24, and the derivatives of T_k on [-1, 1] are largest at 1. So the second error is at
    most the sum of share_k |c_k|.
    """
    smooth = [block for block in blocks if not block.raw]
    if not smooth:
        return np.empty((0, 0))
    k2 = np.arange(smooth[0].moments, dtype=np.float64) ** 2
    slopes = {1: k2 * (k2 - 1) / 12, 2: k2 * (k2 - 1) * (k2 - 4) / 360}
    h = [block.chunk / block.length if block.chunk > 1 else 0.0 for block in smooth]
    return np.array([size ** (block.degree + 1) * slopes[block.degree] for size, block in zip(h, smooth, strict=True)])
