"""Tests of ridgeway.sgd.stored: a run goes on from a file as if it had never been there, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.storage.state import StateError, Stored


def run_over(n_rows: int) -> rw.SGDRun:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 3))
    run = rw.SGDRun(step=0.1)
    run.update(X, X[:, 0])
    return run


# Law: a stored run that goes on gives the bits of the run that was not stored.
@pytest.mark.parametrize("n_rows", [1, 100, 5000, 5003])
def test_a_stored_run_goes_on(n_rows: int) -> None:
    run = run_over(n_rows)
    again = rw.SGDRun.from_state(Stored(run.state()))
    X = np.random.default_rng(1).standard_normal((300, 3))
    for each in (run, again):
        each.update(X, X[:, 1])
    np.testing.assert_array_equal(again.trajectory().path([0.01, 1.0]), run.trajectory().path([0.01, 1.0]))


# Law: a run that was stored in the middle of a chunk of another length cannot go on, and says so.
def test_a_run_from_chunks_of_another_length_is_refused() -> None:
    state = run_over(5003).state()
    state["progress"]["chunk"] *= 2
    with pytest.raises(StateError, match="is within a chunk of 8 steps: expected 4"):
        rw.SGDRun.from_state(Stored(state))
