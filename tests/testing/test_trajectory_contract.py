"""Every trajectory keeps the contract, and the contract finds what is wrong with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.testing import check_trajectory

X = np.random.default_rng(0).standard_normal((300, 3))
Y = X @ np.array([[1.0, 0.0], [2.0, 1.0], [3.0, -1.0]]) + 1.0

RUNS: dict[str, dict[str, Any]] = {
    "replay": {},
    "sketch": {"store": "sketch"},
    "growing": {"store": "sketch", "step": rw.GrowingStep(0.1)},
    "chains": {"chains": 3},
}


# Law: replays, sketches and chains of one or several targets, in both precisions, keep the contract.
@pytest.mark.parametrize("options", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("targets", [0, slice(None)], ids=["one target", "two targets"])
def test_runs(options: dict[str, Any], dtype: type, targets: Any) -> None:
    check_trajectory(rw.run_sgd(X.astype(dtype), Y[:, targets].astype(dtype), **options))


# Law: what the exact engines leave behind keeps it, too.
@pytest.mark.parametrize("solver", ["gram", "krylov"])
def test_spectra(solver: str) -> None:
    check_trajectory(rw.RidgePathCV(solver=solver, random_state=0).fit(X, Y[:, 0]).trajectory_)


# Law: a run that does not begin at 0 keeps it with its start.
def test_start() -> None:
    w0 = np.array([5.0, -5.0, 1.0])
    run = rw.run_sgd(X, Y[:, 0], step=0.01, w0=w0)
    check_trajectory(run, start=w0)
    with pytest.raises(AssertionError, match=r"coefficients at alpha=1e\+12"):
        check_trajectory(run)


# Law: each breach is named.
@pytest.mark.parametrize(
    ("method", "wrong", "message"),
    [
        ("coef", lambda answer: answer[None], r"coef\(Uniform\(\)\): got shape \(1, 3\), expected \(3,\)"),
        ("path", lambda answer: answer.astype(np.float32), r"path\(4 alphas\): got float32, expected float64"),
        ("average", lambda answer: answer * np.nan, r"average\(3 schemes\) is not finite"),
        ("path", lambda answer: answer[::-1], r"path at alpha=0"),
        ("average", lambda answer: answer[::-1], r"average by Geometric"),
    ],
)
def test_breaches(method: str, wrong: Any, message: str) -> None:
    run = rw.run_sgd(X, Y[:, 0], step=0.01)
    right = getattr(run, method)

    def answer(asked: Sequence[Any]) -> Any:
        return wrong(right(asked))

    setattr(run, method, answer)
    with pytest.raises(AssertionError, match=message):
        check_trajectory(run)
