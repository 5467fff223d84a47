"""One pass over rows in their order: test error of each learner over that of RidgeCV, which reads them all at once."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from benchmarks.peers.one_pass_learners import LEARNERS
from benchmarks.peers.reference import geometric_mean, ratio, reach, ridge_error, rmse
from benchmarks.peers.sets import real_sets
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

SPLITS = 5
FEW = 3  # sets in a quick run


def cases(quick: bool = False) -> Iterator[Case]:
    """Go through the sets."""
    sets = list(real_sets())
    for table in sets[:FEW] if quick else sets:
        splits = [table.split(seed) for seed in range(1 if quick else SPLITS)]
        ridge = [ridge_error(split) for split in splits]
        results, timings = [], {}
        for name, learner in LEARNERS.items():
            errors, seconds = [], []
            for split in splits:
                start = perf_counter()
                predicted = learner(split)
                seconds.append(perf_counter() - start)
                errors.append(rmse(predicted, split.test_y))
            found = geometric_mean(ratio(error, of_ridge) for error, of_ridge in zip(errors, ridge, strict=True))
            results.append(Result(name, found))
            timings[name] = Timing(tuple(seconds))
        results.append(Result("gradient steps without noise", geometric_mean(reach(split) for split in splits)))
        results += [Result("rows", len(splits[0].y)), Result("columns", splits[0].X.shape[1])]
        yield Case(table.name, results, timings)
