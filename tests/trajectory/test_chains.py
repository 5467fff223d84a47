"""Laws of merged runs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.oracles import problem

import ridgeway as rw

SCHEMES = (*(rw.Geometric(alpha) for alpha in (0.0, 1e-2, 1.0)), rw.Last())


def pieces(*lengths: int, step: float = 0.05, store: str = "sketch", dtype: type = np.float64) -> list[rw.Trajectory]:
    X, y = problem(sum(lengths), dtype=dtype)
    edges = np.cumsum([0, *lengths])
    return [rw.run_sgd(X[a:b], y[a:b], step, store=store) for a, b in pairwise(edges)]


# Law: a merge is the weighted mean of the answers, each chain with its own number of steps.
@pytest.mark.parametrize("lengths", [(300, 300, 300), (300, 150, 450)])
@pytest.mark.parametrize("weights", [None, (1.0, 2.0, 0.0)])
def test_merge_is_the_weighted_mean(lengths: tuple[int, ...], weights: tuple[float, ...] | None) -> None:
    runs = pieces(*lengths)
    merged = rw.merge(runs, weights)
    assert isinstance(merged, rw.Sketch if len(set(lengths)) == 1 else rw.Chains)
    shares = np.array(lengths if weights is None else weights, float)
    expected = sum(s * run.average(SCHEMES) for s, run in zip(shares / shares.sum(), runs, strict=True))
    np.testing.assert_allclose(merged.average(SCHEMES), expected, atol=1e-13)
    assert (merged.n_steps, merged.length) == (sum(lengths), max(lengths))


# Law: runs of different steps, layouts or shapes are refused.
def test_unlike_runs_are_refused() -> None:
    run = pieces(100)[0]
    with pytest.raises(ValueError, match="different steps"):
        rw.merge([run, *pieces(100, step=0.01)])
    coarse = rw.run_sgd(*problem(100), 0.05, store=rw.Layout(2, 6))
    with pytest.raises(ValueError, match="differ in their layout"):
        rw.merge([run, coarse])
    wide = rw.run_sgd(*problem(100, 5), 0.05, store="sketch")
    with pytest.raises(ValueError, match="differ in their shape"):
        rw.merge([run, wide])
    with pytest.raises(ValueError, match="differ in their dtype"):
        rw.Chains([run, *pieces(100, dtype=np.float32)])
    with pytest.raises(TypeError, match="merge takes sketches"):
        rw.merge(pieces(100, store="replay"))
    with pytest.raises(ValueError, match="no chains"):
        rw.merge([])
    with pytest.raises(ValueError, match="expected 1 numbers of 0 or more"):
        rw.merge([run], weights=[-1.0])


def test_chains_as_one_trajectory() -> None:
    runs = pieces(300, 100, store="replay")
    chains = rw.Chains(runs)
    assert chains.n_steps == 400
    np.testing.assert_allclose(chains.weights, [0.75, 0.25])
    assert chains.nbytes == sum(run.nbytes for run in runs)
    assert chains.tolerance == runs[0].tolerance
    assert len(chains.chains) == 2
    assert chains.nearest(rw.Tail(0.5)) == rw.Tail(0.5)
    assert rw.Chains(pieces(300, 100)).nearest(rw.Tail(0.5)) == rw.Tail(160)
    assert "2 chains" in repr(chains)
    with pytest.raises(ValueError, match=r"t.chains\[0\].iterate\(3\)"):
        chains.iterate(3)


def test_chains_are_trajectories() -> None:
    run = rw.run_sgd(np.eye(3), np.ones(3), step=0.5)
    other: list[Any] = [run, "a run"]
    with pytest.raises(TypeError, match=r"'a run' is not a trajectory: expected what run_sgd or SGDRun.trajectory"):
        rw.merge(other)
