"""The choice of pace and average of a kernel run, against kernel ridge regression."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from tests.kernel.problems import smooth

import ridgeway as rw
from ridgeway.kernel import choice

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 300 rows be many."""
    monkeypatch.setattr(choice, "FEW_ROWS", 50)
    monkeypatch.setattr(choice, "SOME_ROWS", 100)


def error_beside_ridge(model: Any, noise: float, gamma: float) -> float:
    """Error on new rows, without noise, over that of the best kernel ridge regression there."""
    (X, y), (new, _) = smooth(300, noise=noise), smooth(1000, seed=1)
    truth = np.sin(2 * new[:, 0]) * new[:, 1]
    scale, offset = X.std(axis=0), X.mean(axis=0)
    ridge = [
        KernelRidge(alpha=300 * alpha, kernel="rbf", gamma=gamma).fit((X - offset) / scale, y - y.mean())
        for alpha in np.geomspace(1e-9, 1, 19)
    ]
    best = min(((one.predict((new - offset) / scale) + y.mean() - truth) ** 2).mean() for one in ridge)
    return float(((model.predict(new) - truth) ** 2).mean() / best)


# Law: noisy targets need one plain pace; nearly noiseless ones are learned with directions flattened, tried on one fold
# with a quarter of the rows as centres and with all. Either way the error is near to that of kernel ridge regression.
@pytest.mark.parametrize(
    ("noise", "options", "flattened"),
    [(3.0, {}, False), (0.2, {"averaging": "geometric"}, True), (0.02, {}, True), (0.0, {}, True)],
)
def test_paces(noise: float, options: dict[str, Any], flattened: bool) -> None:
    X, y = smooth(300, noise=noise)
    model = rw.AveragedKernelRegressor(gamma=0.5, random_state=0, **options).fit(X, y)
    assert model.selection_ is not None
    assert model.selection_.method.endswith("then one of them") == flattened
    chosen, steps = model.selection_.chosen, {row.step for row in model.selection_}
    assert (len(steps) > 1) == flattened
    assert chosen.error <= min(row.error for row in model.selection_ if row.step != chosen.step) if flattened else True
    if noise:
        assert error_beside_ridge(model, noise, 0.5) < 1.6


# Law: mini-batches are not flattened: a longer step is tried where the first is too short, and the better one stays.
def test_mini_batches_try_another_step() -> None:
    X, y = smooth(300, noise=0.02)
    model = rw.AveragedKernelRegressor(gamma=0.5, batch_size=8, random_state=0).fit(X, y)
    assert model.selection_ is not None
    least = {step: min(row.error for row in model.selection_ if row.step == step) for step in _steps(model)}
    assert len(least) == 2
    assert model.step_ == min(least, key=lambda step: least[step])


def _steps(model: Any) -> set[float]:
    return {row.step for row in model.selection_}


# Law: few rows are all centres; of many a quarter is tried, then all of them, or half and no more than memory holds.
@pytest.mark.parametrize(
    ("n_rows", "most", "expected"),
    [(80, 200, [80]), (160, 200, [40, 160]), (160, 100, [40, 80]), (160, 60, [40, 60]), (160, 30, [30])],
)
def test_numbers_of_centres(n_rows: int, most: int, expected: list[int]) -> None:
    plan: Any = SimpleNamespace(most_centres=most)
    problem: Any = range(n_rows)
    assert choice._numbers_of_centres(problem, plan) == expected
