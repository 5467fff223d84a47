"""Timing with a time limit: tasks take turns, and those that exceed the limit stop."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter

from benchmarks.timing import Timing

TIME_LIMIT_SECONDS = 5.0  # seconds that all repeats of a task may take; the first is always made


def take_turns(
    tasks: Mapping[str, Callable[[], object]], repeats: int, patience: float = TIME_LIMIT_SECONDS
) -> dict[str, Timing]:
    """Time the tasks in turn, `repeats` times over, each round in the opposite order of the one before.

    Parameters
    ----------
    tasks : functions without arguments, by name.
    repeats : most rounds.
    patience : seconds; a task is left out of further rounds that would exceed them.
    """
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(repeats):
        for name in list(tasks)[:: 1 if turn % 2 == 0 else -1]:
            if samples[name] and sum(samples[name]) + samples[name][-1] > patience:
                continue
            gc.collect()
            start = perf_counter()
            tasks[name]()
            samples[name].append(perf_counter() - start)
    return {name: Timing(tuple(seconds)) for name, seconds in samples.items()}
