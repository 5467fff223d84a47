"""The meaning of `cv`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold

from ridgeway.rows import FLOAT64, check_batch
from ridgeway.selection import CrossValidation


# Law: every value of `cv` has one meaning. A message shows a name or a number as the user gave it, a splitter by its
# class.
@pytest.mark.parametrize(
    ("cv", "method", "shown", "streams", "n_models"),
    [
        (None, "auto", "'auto'", True, 5),
        ("auto", "auto", "'auto'", True, 5),
        (np.int64(3), "folds", "3", True, 3),
        ("loo", "loo", "'loo'", False, 1),
        ("holdout", "holdout", "'holdout'", False, 1),
        ("gcv", "gcv", "'gcv'", False, 5),
        (KFold(3), "splits", "KFold", False, 5),
        ([(range(3), range(3, 6))], "splits", "list", False, 5),
    ],
    ids=str,
)
def test_meaning(cv: Any, method: str, shown: str, streams: bool, n_models: int) -> None:
    meant = CrossValidation.of(cv)
    assert (meant.method, str(meant), meant.streams, meant.n_models) == (method, shown, streams, n_models)
    assert meant.automatic("holdout").method == ("holdout" if method == "auto" else method)


# Law: what the caller does not know is refused with the names that it knows.
@pytest.mark.parametrize("cv", ["loo", "five"])
def test_unknown_names(cv: str) -> None:
    with pytest.raises(ValueError, match=f"cv='{cv}': expected 'auto', a number of folds, 'holdout' or a splitter; no"):
        CrossValidation.of(cv, ("holdout",), "; no")
    with pytest.raises(ValueError, match="expected at least 2 folds"):
        CrossValidation.of(1)
    with pytest.raises(TypeError, match="expected 'auto', a number of folds"):
        CrossValidation.of(2.0)


# Law: splits are made once, as a generator gives them only once.
def test_splits_are_made_once() -> None:
    X, y = np.ones((9, 1)), np.arange(9.0)
    batch = check_batch(X, y, None, target_dtype=FLOAT64)
    made = CrossValidation.of(KFold(3).split(X)).with_splits(batch, X, y)
    again = made.with_splits(batch, X, y).folds(9, np.random.default_rng(0), True, lambda: None)
    assert again.name == "3 given splits"
    assert [fold.test.tolist() for fold in again.folds] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
