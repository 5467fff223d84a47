"""Timing with a time limit: tasks take turns, and those that exceed the limit stop."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import TypeVar

from benchmarks.timing import Timing

TIME_LIMIT_SECONDS = 5.0  # seconds that all runs of a task may take; the first is always made
Answer = TypeVar("Answer")


def take_turns(
    tasks: Mapping[str, Callable[[], Answer]], repeats: int, patience: float = TIME_LIMIT_SECONDS
) -> tuple[dict[str, Answer], dict[str, Timing]]:
    """Run the tasks in turn, each round in the opposite order of the one before; return first answers and timings.

    The first run of a task meets cold caches. It counts only where there is time for no other.

    Parameters
    ----------
    tasks : functions without arguments, by name.
    repeats : most rounds after the first.
    patience : seconds; a task is left out of further rounds that would exceed them.
    """
    answers: dict[str, Answer] = {}
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(1 + repeats):
        for name in list(tasks)[:: 1 if turn % 2 == 0 else -1]:
            if samples[name] and sum(samples[name]) + samples[name][-1] > patience:
                continue
            gc.collect()
            start = perf_counter()
            answer = tasks[name]()
            samples[name].append(perf_counter() - start)
            answers.setdefault(name, answer)
    return answers, {name: Timing(tuple(seconds[1:] or seconds)) for name, seconds in samples.items()}
