"""The step sizes of a fit: given, or from the norms of rows in memory or of the first batch of a stream."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ridgeway.rows.feed import Feed
from ridgeway.selection import AutomaticSteps
from ridgeway.sgd import GrowingStep, LimitedStep
from ridgeway.sgd.step_size import auto_step, check_step, final_step, sample_of, sampled_step, step_from
from ridgeway.trajectory import Layout

STREAM_CLIMB = 50_000  # steps over which the step of a stream grows
MAX_UNSAMPLED_BYTES = 2**25  # the norms of larger rows are sampled


def constant_step(step: Any, feed: Feed) -> LimitedStep:
    """Return a constant step: given, or from the squared norms of the standardized rows.

    The norms of large data are sampled; where a sample is not reliable, all of them are read.
    """
    given = check_step(step)
    if given is not None:
        return given
    sample = sample_of(len(feed)) if feed.source.rows.nbytes > MAX_UNSAMPLED_BYTES else None
    if sample is not None:
        batch = feed.take(sample)
        guessed = sampled_step(batch.rows.squared_norms(), batch.weight)
        if guessed is not None:
            return guessed
    if feed.kept is not None:
        return auto_step(feed.kept)
    parts = [(piece.batch.rows.squared_norms(), piece.batch.weight) for piece in feed.pieces(range(len(feed)))]
    return step_from(*map(np.concatenate, zip(*parts, strict=True)))


class StreamSteps(NamedTuple):
    """The constant step that a stream begins with, and the growing one that takes over; see `Stream`."""

    constant: LimitedStep
    growing: GrowingStep | None


def stream_steps(step: Any, feed: Feed, store: str | Layout) -> StreamSteps:
    """Return the steps of a stream from its first batch.

    A step given as a number has no growing step beside it. Neither has a replay: it stores its rows and would store
    split rows twice.
    """
    if isinstance(step, GrowingStep):
        step.staircase()  # refuses one that needs the length of the run
        return StreamSteps(constant_step("auto", feed), step)
    if check_step(step) is not None or store == "replay":
        return StreamSteps(constant_step(step, feed), None)
    return StreamSteps(constant_step(step, feed), GrowingStep(final_step(feed.weighted_norms()), climb=STREAM_CLIMB))


def automatic_steps(feed: Feed) -> AutomaticSteps:
    """Return the steps that suit the norms of the standardized rows."""
    q = feed.weighted_norms()
    return AutomaticSteps(final_step(q), step_from(q, np.ones_like(q)))
