"""What a fit says of a run that was too short."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ridgeway as rw

RNG = np.random.default_rng(0)
# Two columns that are nearly one, and a row far from the others, for which steps are short: as in real tables.
X = np.append(RNG.standard_normal((3000, 2)) * [1.0, 0.1] @ [[1.0, 1.0], [1.0, -1.0]], [[20.0, 20.0]], axis=0)
Y = X @ [1.0, -0.9] + 0.1 * RNG.standard_normal(len(X))


def said(model: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(X, Y)
    return [str(warning.message) for warning in caught if warning.category is ConvergenceWarning]


# Law: a fit whose weak averages are not ridge yet says from which alpha on they are, and is right about both.
@pytest.mark.parametrize("averaging", ["auto", "geometric"])
def test_short_fit(averaging: str) -> None:
    model = rw.AveragedSGDRegressor(passes=1, averaging=averaging, random_state=0)
    (message,) = said(model)
    assert "have not reached ridge regression" in message
    assert "set passes to more than 1" in message
    assert "ExactRidgePath" in message
    named = float(message.partition("averages of alpha below ")[2].split()[0])
    ours, exact = model.path([0.0, named]).coefs, rw.ExactRidgePath().fit(X, Y).path([0.0, named]).coefs
    away = np.linalg.norm(ours - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert away[0] > 0.1
    assert away[1] < 0.05


# Law: a fit that is long enough, one at an alpha that is strong enough, and one of tails say nothing of it.
def test_silent_fits() -> None:
    assert said(rw.AveragedSGDRegressor(passes=60, random_state=0)) == []
    assert said(rw.AveragedSGDRegressor(passes=1, alpha=1.0, random_state=0)) == []
    assert said(rw.AveragedSGDRegressor(passes=1, averaging="last", random_state=0)) == []
    assert len(said(rw.AveragedSGDRegressor(passes=1, alpha=1e-4, random_state=0))) == 1


# Law: a fit of fewer than four rows says that nothing could be chosen, and one with a given alpha has nothing to say.
@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("kind", [rw.AveragedSGDRegressor, rw.AveragedKernelRegressor])
def test_few_rows(kind: Any, n_rows: int) -> None:
    rows = "1 row" if n_rows == 1 else f"{n_rows} rows"
    with pytest.warns(UserWarning, match=f"nothing could be chosen from {rows}: the uniform average is used"):
        assert kind(passes=1).fit(X[:n_rows], Y[:n_rows]).selection_ is None
    kind(passes=1, alpha=0.1).fit(X[:n_rows], Y[:n_rows])
