"""One pass over rows in their order: test error of each learner over that of RidgeCV, which reads them all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter

from benchmarks.peers.one_pass_learners import LEARNERS
from benchmarks.peers.reference import geometric_mean, ratio, reach, ridge_error, rmse
from benchmarks.peers.sets import Split, real_sets, wine_reviews
from benchmarks.peers.text import tuned_ridge
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

SPLITS = 3
N_QUICK_SETS = 3  # sets in a quick run


def cases(quick: bool = False) -> Iterator[Case]:
    """Go through the sets, then through wine reviews where there are any."""
    sets = list(real_sets())
    for table in sets[:N_QUICK_SETS] if quick else sets:
        splits = [table.split(seed) for seed in range(1 if quick else SPLITS)]
        far = geometric_mean(reach(split) for split in splits)
        yield _case(table.name, splits, [ridge_error(split) for split in splits], far)
    reviews = [split for seed in range(SPLITS) if (split := wine_reviews(seed)) is not None]
    if reviews and not quick:
        tuned = tuned_ridge("sparse_cg")
        yield _case("wine_reviews", reviews, [rmse(tuned(split), split.test_y) for split in reviews], 1.0)


def _case(name: str, splits: Sequence[Split], ridge: Sequence[float], far: float) -> Case:
    """Measure all learners.

    Parameters
    ----------
    name : of the set.
    splits : of its rows.
    ridge : test error of ridge for each.
    far : how far from ridge gradient steps end, as `reach` tells; taken for 1 where rows are sparse.
    """
    results, timings = [], {}
    for label, learner in LEARNERS.items():
        errors, seconds = [], []
        for split in splits:
            start = perf_counter()
            predicted = learner(split)
            seconds.append(perf_counter() - start)
            errors.append(rmse(predicted, split.test_y))
        found = geometric_mean(ratio(error, of_ridge) for error, of_ridge in zip(errors, ridge, strict=True))
        results.append(Result(label, found))
        timings[label] = Timing(tuple(seconds))
    results.append(Result("gradient steps without noise", far))
    results += [Result("rows", len(splits[0].y)), Result("columns", splits[0].X.shape[1])]
    return Case(name, results, timings)
