"""The window in which steps of a stream's outlying rows wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.rows import Batch, check_batch
from ridgeway.rows.standardization import Standardization
from ridgeway.sgd.stream_splitting import (
    FIRST_SPARE_STEPS,
    MAX_STEPS_OF_STREAMED_ROW,
    WINDOW_ROWS,
    WINDOW_ROWS_PER_STEP,
    SplitWindow,
)
from ridgeway.storage.state import StateError, Stored

N = 25_000


def stream(sparse: bool = False) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3))
    X[rng.random(N) < 0.01] *= 6.0
    X[[100, 3000, 4000]] *= 1000.0
    return scipy.sparse.csr_array(X) if sparse else X, np.arange(float(N))


def through(cuts: Sequence[int], sparse: bool, store: bool = False) -> tuple[list[Batch], list[Any], SplitWindow]:
    X, y = stream(sparse)
    window, batches, counts = SplitWindow(0.15), [], []
    for first, last in zip([0, *cuts], [*cuts, N], strict=True):
        steps, of_row = window.through(check_batch(X[first:last], y[first:last]))
        batches.append(steps)
        counts.append(np.empty(0, np.int64) if of_row is None else of_row)
        if store:
            standardization = Standardization.of(check_batch(X, y), False, False)
            window = SplitWindow.from_state(Stored(window.state()), standardization, sparse)
    return batches, counts, window


def steps_of(batches: Sequence[Batch]) -> list[np.ndarray]:
    rows = [np.asarray(batch.rows.times(np.eye(3))) for batch in batches]
    return [np.concatenate(part) for part in (rows, [b.y for b in batches], [b.weight for b in batches])]


# Law: the steps do not depend on how the stream is cut, stored and loaded in between or not.
@settings(max_examples=8)
@given(st.lists(st.integers(1, N - 1), max_size=12, unique=True).map(sorted), st.booleans(), st.booleans())
def test_cuts_do_not_matter(cuts: list[int], sparse: bool, store: bool) -> None:
    whole, counts, window = through([], sparse)
    parts, other_counts, other = through(cuts, sparse, store)
    for got, expected in zip(steps_of(parts), steps_of(whole), strict=True):
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.concatenate(other_counts), np.concatenate(counts))
    assert (other.split, other.clipped, other.rows_seen) == (window.split, window.clipped, N)


def steps_that_rows_may_take(needed: np.ndarray) -> np.ndarray:
    """Count row by row: all steps beyond the first of a row are at most 10,000 and the number of rows before."""
    taken, spare = np.empty(len(needed), np.int64), FIRST_SPARE_STEPS
    for i, steps in enumerate(needed.astype(int)):
        taken[i] = min(steps, MAX_STEPS_OF_STREAMED_ROW, 1 + spare)
        spare += 2 - taken[i]
    return taken


# Law: each step of a row comes within the window after it, as many of them as the row may take, and none is unsafe.
def test_waiting_times() -> None:
    X, _ = stream()
    (steps,), (counts,), window = through([], False)
    q = (np.asarray(steps.rows.times(np.eye(3))) ** 2).sum(axis=1) * steps.weight
    assert (0.15 * q <= 1 + 1e-9).all()
    needed = np.maximum(1, np.ceil(0.15 * (X**2).sum(axis=1)))
    taken = steps_that_rows_may_take(needed)
    assert (taken[[100, 3000, 4000]] == MAX_STEPS_OF_STREAMED_ROW).all()
    assert window.clipped == (taken < needed).sum() == 3
    numbers = steps.y[:, 0].astype(int)  # the target is the number of the row
    split = steps.weight < 1  # all weights are 1
    assert len(counts) == split.sum()
    place = np.maximum.accumulate(np.where(split, 0, numbers))
    delays, windows = (place - numbers)[split], np.maximum(WINDOW_ROWS, WINDOW_ROWS_PER_STEP * counts)
    assert delays.min() >= -1
    assert (delays < windows).all()
    ended = (numbers + np.maximum(WINDOW_ROWS, WINDOW_ROWS_PER_STEP * taken[numbers]) < N)[split]
    assert np.median((delays / windows)[ended]) == pytest.approx(0.5, abs=0.1)
    made = np.bincount(numbers, minlength=N)
    whole = np.arange(N) + np.maximum(WINDOW_ROWS, WINDOW_ROWS_PER_STEP * taken) < N
    np.testing.assert_array_equal(made[whole], taken[whole])
    assert (made <= taken).all()


# Law: a stream whose rows suddenly grow takes at most 10,000 steps more than two for each row, in any batches.
@pytest.mark.parametrize("size", [1000, 777])
def test_growing_rows(size: int) -> None:
    X, y = stream()
    X[10_000:] *= 30.0
    window, cuts = SplitWindow(0.15), range(0, N, size)
    for first in cuts:
        window.through(check_batch(X[first : first + size], y[first : first + size]))
    needed = np.maximum(1, np.ceil(0.15 * (X**2).sum(axis=1)))
    taken = steps_that_rows_may_take(needed)
    assert taken.sum() <= 2 * N + FIRST_SPARE_STEPS
    assert window.clipped == (taken < needed).sum() > 10_000
    assert window.further_steps == taken.sum() - N


# Law: a stream without outlying rows passes through as it is.
def test_nothing_to_split() -> None:
    batch = check_batch(np.ones((5, 2)), np.ones(5))
    steps, counts = SplitWindow(0.1).through(batch)
    assert steps is batch
    assert counts is None


# Law: a copy is independent.
def test_copy() -> None:
    X, y = stream()
    window = SplitWindow(0.15)
    window.through(check_batch(X[:5000], y[:5000]))
    copy = window.copy()
    first = window.through(check_batch(X[5000:9000], y[5000:9000]))[0]
    second = copy.through(check_batch(X[5000:9000], y[5000:9000]))[0]
    np.testing.assert_array_equal(first.y, second.y)


# Law: delayed steps are checked when they are read from a state.
@pytest.mark.parametrize(
    ("name", "value"), [("row", 10**6), ("count", 1), ("count", 10_000), ("due", -1), ("weight", 0.0), ("indices", 99)]
)
def test_damaged_states(name: str, value: float) -> None:
    X, y = stream(sparse=True)
    window = SplitWindow(0.15)
    window.through(check_batch(X[:5000], y[:5000]))
    standardization = Standardization.of(check_batch(X, y), False, False)
    state = window.state()
    part = state["waiting"]["rows"] if name == "indices" else state["waiting"]
    part[name] = part[name].copy()
    part[name][0] = value
    with pytest.raises(StateError):
        SplitWindow.from_state(Stored(state), standardization, sparse=True)
