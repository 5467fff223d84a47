"""Folds: the rows that each run of a cross-validation learns from, and those it is scored on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Float

OUTLYING_SHARE = 0.02  # share of the rows that are ranked by their norm
HELD_OUT_SHARE = 0.1  # share of the rows in a choice by hold-out
MAX_HELD_OUT_ROWS = 10_000  # enough to distinguish candidates whose errors differ by two percent
MAX_GROUPS = 30  # groups of held-out rows in all folds; standard errors come from differences between groups


@dataclass(frozen=True, eq=False)
class Fold:
    """One run of a cross-validation.

    Attributes
    ----------
    train : (n,), True for the rows it learns from.
    test : numbers of the rows it is scored on.
    """

    train: NDArray[np.bool_]
    test: NDArray[np.intp]

    def groups(self, n_folds: int) -> list[NDArray[np.intp]]:
        """Split the test rows into groups of nearly equal size."""
        n_groups = max(1, min(len(self.test), MAX_GROUPS // n_folds))
        return np.array_split(self.test, n_groups)


def k_folds(
    n_rows: int, k: int, rng: np.random.Generator | None, ranking: NDArray[np.intp] | None = None
) -> list[Fold]:
    """Split the rows into k parts of nearly equal size; each is the test of one fold.

    Parameters
    ----------
    n_rows : rows to split.
    k : number of folds, fewer when there are fewer rows.
    rng : assigns the rows at random; None makes the parts contiguous.
    ranking : (n_rows,), the rows in an order whose neighbours should fall into different folds.
    """
    k = min(k, n_rows)
    if rng is None:
        return [_without(test, n_rows) for test in np.array_split(np.arange(n_rows), k)]
    ranking = rng.permutation(n_rows) if ranking is None else ranking
    fold_ids = rng.permuted(np.tile(np.arange(k), (-(-n_rows // k), 1)), axis=1).reshape(-1)[:n_rows]
    return [_without(np.sort(ranking[fold_ids == fold]), n_rows) for fold in range(k)]


def alike(squared_norms: Float, y: Float) -> NDArray[np.intp]:
    """Rank the rows so that similar rows are neighbours: outlying ones by their norm, the others by their target.

    If every fold gets its share of the outlying rows, folds differ less by chance. With random folds, several outlying
    rows can fall into one fold: in one of ten splits of `diamonds`, the chosen strength then had 1.5 times the usual
    test error.
    """
    order: NDArray[np.intp] = np.lexsort((y[:, 0],))
    outlying = squared_norms > np.quantile(squared_norms, 1 - OUTLYING_SHARE)
    by_norm = np.argsort(-squared_norms, kind="stable")[: int(outlying.sum())]
    return np.concatenate([by_norm, order[~outlying[order]]])


def hold_out(
    n_rows: int,
    shuffle: bool,
    rng: np.random.Generator,
    share: float = HELD_OUT_SHARE,
    max_rows: int = MAX_HELD_OUT_ROWS,
) -> Fold:
    """Hold a share of the rows out, at most `max_rows`: random ones, or the last."""
    size = max(1, min(round(share * n_rows), max_rows))
    return _without(rng.permutation(n_rows)[n_rows - size :] if shuffle else np.arange(n_rows - size, n_rows), n_rows)


def split_by(splitter: Any, X: Any, y: Any, numbers: NDArray[np.intp], n_given: int) -> list[Fold]:
    """Take the folds from a scikit-learn splitter or an iterable of (train, test) row numbers.

    Parameters
    ----------
    splitter : has split(X, y), or is an iterable of pairs of row numbers.
    X, y : as the user gave them, n_given rows.
    numbers : the given rows that are used (those of positive weight).
    """
    pairs: Sequence[Any] = list(splitter.split(X, y) if hasattr(splitter, "split") else splitter)
    used = np.full(n_given, -1)
    used[numbers] = np.arange(len(numbers))
    folds = []
    for train, test in pairs:
        train_rows, test_rows = used[_row_numbers(train, n_given)], used[_row_numbers(test, n_given)]
        mask = np.zeros(len(numbers), bool)
        mask[train_rows[train_rows >= 0]] = True
        folds.append(Fold(mask, test_rows[test_rows >= 0]))
    usable = [fold for fold in folds if len(fold.test) and fold.train.any()]
    if not usable:
        raise ValueError(
            f"cv, a {type(splitter).__name__}, gave no split with both training and test rows: expected at least one; "
            "a generator gives its splits only once, so pass a list."
        )
    return usable


def _row_numbers(rows: Any, n_given: int) -> NDArray[np.intp]:
    """Return row numbers, or those of a mask, within 0 .. n_given - 1."""
    array = np.asarray(rows)
    numbers = np.flatnonzero(array) if array.dtype == bool else array.astype(np.intp)
    outside = (numbers < 0) | (numbers >= n_given)
    if outside.any():
        raise ValueError(
            f"cv names row {numbers[outside.argmax()]}: expected row numbers from 0 to {n_given - 1}; "
            "count them from the first row of X."
        )
    return numbers


def _without(test: NDArray[np.intp], n_rows: int) -> Fold:
    train = np.ones(n_rows, bool)
    train[test] = False
    return Fold(train, test)
