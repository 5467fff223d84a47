"""Folds from a number, a hold-out or a splitter, and their name in the table of candidates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, numbered
from ridgeway.selection.folds import Fold, hold_out, k_folds, split_by


class NamedFolds(NamedTuple):
    """Folds, and in words how they were made."""

    folds: list[Fold]
    name: str


NO_FOLDS = NamedFolds([], "")  # where nothing is chosen


def with_given_splits(cv: Any, batch: Batch, X: Any, y: Any) -> Any:
    """Return the folds of a splitter; a number of folds or a name is returned as it is.

    A generator yields its splits only once, so they are made once for all engines that may need them.

    Parameters
    ----------
    cv : a number of folds, a name, or a splitter.
    batch : the rows that are used.
    X, y : all rows as the user gave them.
    """
    if isinstance(cv, int | str | NamedFolds):
        return cv
    folds = split_by(cv, X, y, numbered(batch.numbers), int(np.shape(y)[0]))
    return NamedFolds(folds, f"{len(folds)} given splits")


def folds_of_cv(
    cv: Any, n_rows: int, rng: np.random.Generator, shuffle: bool, ranking: Callable[[], NDArray[np.intp] | None]
) -> NamedFolds:
    """Return the folds that `cv` means.

    Parameters
    ----------
    cv : a number of folds, "holdout", or folds that are made already, see `with_given_splits`.
    n_rows : rows to split.
    rng : assigns rows to folds.
    shuffle : False makes folds of consecutive rows, and holds the last rows out.
    ranking : returns the rows in an order whose neighbours should fall into different folds, or None.
    """
    if isinstance(cv, NamedFolds):
        return cv
    if isinstance(cv, int):
        folds = k_folds(n_rows, cv, rng if shuffle else None, ranking())
        return NamedFolds(folds, f"{len(folds)} folds")
    assert cv == "holdout"
    fold = hold_out(n_rows, shuffle, rng)
    return NamedFolds([fold], f"hold-out of {len(fold.test):,} rows")
