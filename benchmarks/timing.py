"""Interleaved timing: candidates and yardsticks take turns, so that noise of the machine meets all of them."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from threadpoolctl import threadpool_limits

REPEATS = 15
QUICK_REPEATS = 5


@dataclass(frozen=True)
class Timing:
    """Seconds that a task took, one number per repeat."""

    samples: tuple[float, ...]

    @property
    def best(self) -> float:
        """The smallest: what the task costs when nothing else disturbs it."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """The middle one: far above `best` on a disturbed machine."""
        return statistics.median(self.samples)

    def over(self, yardstick: Timing) -> float:
        """Ratio of this task to a yardstick, best to best."""
        return self.best / yardstick.best

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers for JSON."""
        return {"best": self.best, "median": self.median, "repeats": len(self.samples)}


def interleave(
    tasks: Mapping[str, Callable[[], object]], repeats: int, slow: Mapping[str, int] | None = None, threads: int = 1
) -> dict[str, Timing]:
    """Time all tasks in turn, `repeats` times over, each round in the opposite order of the one before.

    BLAS and OpenMP keep to so many threads, and the garbage collector rests.

    Parameters
    ----------
    tasks : functions without arguments, by name.
    repeats : rounds.
    slow : number of repeats of the tasks that take long, by name; they run in the first rounds only.
    threads : of BLAS and OpenMP.
    """
    slow = slow or {}
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    gc.collect()
    gc.disable()
    try:
        with threadpool_limits(limits=threads):
            for turn in range(repeats):
                for name in list(tasks)[:: 1 if turn % 2 == 0 else -1]:
                    if turn >= slow.get(name, repeats):
                        continue
                    start = perf_counter()
                    answer = tasks[name]()
                    samples[name].append(perf_counter() - start)
                    del answer  # freed before the next task begins
    finally:
        gc.enable()
    return {name: Timing(tuple(seconds)) for name, seconds in samples.items()}
