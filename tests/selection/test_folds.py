"""Folds cover the rows, and share the outlying ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from ridgeway.selection.folds import alike, hold_out, k_folds, split_by


# Law: every row is a test row of exactly one fold and a training row of all others; sizes differ by one at most.
@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.integers(2, 200), st.integers(2, 12), st.booleans())
def test_folds_cover_the_rows(n_rows: int, k: int, shuffle: bool) -> None:
    folds = k_folds(n_rows, k, np.random.default_rng(0) if shuffle else None)
    np.testing.assert_array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(n_rows))
    sizes = [len(fold.test) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for fold in folds:
        assert not fold.train[fold.test].any()
        assert fold.train.sum() == n_rows - len(fold.test)
        np.testing.assert_array_equal(np.sort(np.concatenate(fold.groups(len(folds)))), np.sort(fold.test))


# Law: the largest rows are distributed evenly over the folds.
def test_outlying_rows_are_shared() -> None:
    rng = np.random.default_rng(0)
    norms = rng.standard_normal(1000) ** 2
    largest = rng.choice(1000, 5, replace=False)
    norms[largest] = 1e6
    folds = k_folds(1000, 5, rng, alike(norms, rng.standard_normal((1000, 1))))
    for fold in folds:
        assert len(np.intersect1d(fold.test, largest)) == 1


def test_held_out_rows() -> None:
    fold = hold_out(1000, False, np.random.default_rng(0), 0.1, 50)
    np.testing.assert_array_equal(fold.test, np.arange(950, 1000))
    assert len(hold_out(100, True, np.random.default_rng(0), 0.1, 50).test) == 10


# Law: row numbers of a splitter are those of the given rows; rows of weight 0 are removed from its folds.
def test_splitters() -> None:
    numbers = np.array([0, 2, 3, 5, 6, 7, 8, 9])
    folds = split_by(KFold(2), np.zeros((10, 1)), np.zeros(10), numbers, 10)
    np.testing.assert_array_equal(numbers[folds[0].test], [0, 2, 3])
    np.testing.assert_array_equal(numbers[folds[1].train], [0, 2, 3])
    with pytest.raises(ValueError, match="gave no split"):
        split_by([], None, None, numbers, 10)


# Law: a row number out of range, negative or too large, is named in the error as the splitter gave it.
@pytest.mark.parametrize(("wrong", "named"), [([-1, 3], "-1"), ([0, 10], "10"), ([2, -7, 30], "-7")])
def test_rows_that_are_not_there(wrong: list[int], named: str) -> None:
    with pytest.raises(ValueError, match=rf"cv names row {named}: expected row numbers from 0 to 9"):
        split_by([(np.arange(5), np.array(wrong))], None, None, np.arange(10), 10)
