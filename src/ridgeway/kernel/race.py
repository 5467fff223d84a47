"""The race of gammas: short runs side by side, which share blocks of distances; the best on held-out rows wins.

Candidates are multiples of the median heuristic, 1 / the median distance between rows. A pilot on a few rows keeps the
most promising ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ridgeway.kernel.attempt import PlainAttempt
from ridgeway.kernel.blocks import BlocksOfDistances, Distances, RowsGram
from ridgeway.kernel.choice import FEW_ROWS, step_for
from ridgeway.kernel.function import Kernel
from ridgeway.kernel.pilot import pilot
from ridgeway.kernel.problem import KernelPlan, Problem
from ridgeway.rows import AnyRows
from ridgeway.selection.folds import Fold

MULTIPLES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)
SAMPLE = 500  # rows whose distances have the median
RUNNERS = 3
PASSES = 8


def median_gamma(kernel: Kernel, rows: AnyRows, rng: np.random.Generator) -> float:
    """1 / the median distance between rows; 1 where most rows are alike."""
    few = rows.take(rng.permutation(rows.shape[0])[:SAMPLE])
    distances = kernel.distances(few, few)
    middle = float(np.median(distances[np.triu_indices(len(distances), 1)])) if len(distances) > 1 else 0.0
    return 1 / middle if middle > 0 else 1.0


def race(
    kernel: Kernel, rows: AnyRows, problem: Problem, folds: Sequence[Fold], plan: KernelPlan, cache_bytes: float
) -> dict[float, float]:
    """Return the gammas that took part with their held-out errors, the best one first.

    Parameters
    ----------
    kernel : an rbf or laplacian kernel.
    rows : as the kernel is to see them.
    problem : whose kernel matrix is not used.
    folds : rows to learn from and to try on.
    plan : how to run.
    cache_bytes : memory for distances.
    """
    centred = problem.y - problem.mean(problem.everything)
    heuristic = median_gamma(kernel, rows, plan.rng)
    seed = int(plan.rng.integers(2**32))
    grams = {heuristic * multiple: RowsGram(kernel.with_gamma(heuristic * multiple), rows) for multiple in MULTIPLES}
    pilots = {gamma: pilot(gram, centred, problem.weight, np.random.default_rng(seed)) for gamma, gram in grams.items()}
    promising = sorted(grams, key=lambda gamma: pilots[gamma].error)
    if len(problem) <= FEW_ROWS:
        return {gamma: pilots[gamma].error * problem.unit for gamma in promising}
    distances = Distances(kernel, rows, problem.blocks.layout, problem.blocks.size, cache_bytes)
    short = replace(plan, passes=PASSES, max_passes=PASSES, settles=False, batch_size=1)
    attempts: dict[float, PlainAttempt] = {}
    for gamma in promising[:RUNNERS]:
        own_problem = replace(problem, blocks=BlocksOfDistances(grams[gamma], distances))
        # The same seed for all: they go through the blocks in the same order, each block while it is at hand.
        own = replace(short, rng=np.random.default_rng(seed))
        step = step_for(own_problem, own, pilots[gamma].alpha)
        attempts[gamma] = PlainAttempt(own_problem, own, folds, step)
    runs = [attempt.block_by_block(PASSES * len(problem)) for attempt in attempts.values()]
    for _ in zip(*runs, strict=True):
        pass
    errors = {gamma: attempt.rough_error() for gamma, attempt in attempts.items()}
    return {gamma: errors[gamma] for gamma in sorted(errors, key=lambda gamma: errors[gamma])}
