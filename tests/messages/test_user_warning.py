"""Warnings point at the user's line."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ridgeway as rw

HERE = Path(__file__)
SOURCE = Path(rw.__file__).parent
RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = X @ [1.0, 2.0, 3.0]
SLOW = RNG.standard_normal((400, 2)) * [1.0, 0.05] @ [[1.0, 1.0], [1.0, -1.0]]  # two columns that are nearly one
SHORT: dict[str, Any] = {"passes": 2, "random_state": 0}


def save_with_a_generator(folder: Path) -> None:
    model = rw.AveragedSGDRegressor(alpha=0.1, passes=1, random_state=np.random.default_rng(0)).fit(X, Y)
    model.save(folder / "m")


def stream_of_growing_rows() -> None:
    model = rw.AveragedSGDRegressor()
    model.partial_fit(X[:4], Y[:4])
    for _ in range(10):
        model.partial_fit(1e3 * X, Y)


WARNED: dict[str, Callable[[Path], Any]] = {
    "fit of few rows": lambda _: rw.AveragedSGDRegressor(passes=1).fit(X[:2], Y[:2]),
    "fit that is short": lambda _: rw.AveragedSGDRegressor(**SHORT).fit(SLOW, SLOW @ [5.0, -4.0]),
    "pipeline": lambda _: make_pipeline(StandardScaler(), rw.AveragedSGDRegressor(passes=1)).fit(X[:2], Y[:2]),
    "grid search": lambda _: GridSearchCV(rw.AveragedSGDRegressor(**SHORT), {"chains": [1]}, cv=2).fit(
        SLOW, SLOW @ [5.0, -4.0]
    ),
    "moved tail": lambda _: rw.AveragedSGDRegressor(passes=50, averaging=rw.Tail(0.37)).fit(X, Y),
    "moved tail of a run": lambda _: rw.run_sgd(np.tile(X, (50, 1)), np.tile(Y, 50), store="sketch").coef(
        rw.Tail(0.37)
    ),
    "parameter that no file holds": save_with_a_generator,
    "limited rows of a stream": lambda _: stream_of_growing_rows(),
}


# Law: whatever lies between, a warning names the file of who called the library, not one of the library.
@pytest.mark.parametrize("name", WARNED)
def test_points_here(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        WARNED[name](tmp_path)
    assert caught
    assert {warning.filename for warning in caught} == {str(HERE)}


# Law: every warning of the library goes through the one function that finds the user's line.
def test_one_way_to_warn() -> None:
    calls = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("warnings.warn", "warn")
    ]
    assert [call.rpartition(":")[0] for call in calls] == ["messages/user_warning.py"]
