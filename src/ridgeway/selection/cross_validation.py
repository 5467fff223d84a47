"""`CrossValidation`: what `cv` means, and the folds that it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, numbered
from ridgeway.selection.folds import Fold, hold_out, k_folds, split_by
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import counted

DEFAULT_FOLDS = 5
METHODS_OF_SGD = ("progressive", "gcv")  # which the exact solvers do not have
METHODS_BY_NAME = ("loo", "holdout", *METHODS_OF_SGD)


class NamedFolds(NamedTuple):
    """Folds, and in words how they were made."""

    folds: list[Fold]
    name: str


NO_FOLDS = NamedFolds([], "")  # where nothing is chosen


@dataclass(frozen=True)
class CrossValidation:
    """How the average is chosen: the meaning of `cv`.

    Attributes
    ----------
    method : "auto", "folds", "splits", which are given, or one of `METHODS_BY_NAME`.
    n_folds : number of folds, also of rows that come after a choice by another method.
    splits : a splitter, pairs of training and test rows, or the folds that `with_splits` made of these.
    """

    method: str
    n_folds: int = DEFAULT_FOLDS
    splits: Any = None

    @classmethod
    def of(cls, cv: Any, known: tuple[str, ...] = METHODS_BY_NAME, remedy: str = "") -> CrossValidation:
        """Return what the parameter `cv` of an estimator means.

        Parameters
        ----------
        cv : as the user gave it.
        known : names of methods, beside "auto".
        remedy : what the message about another name adds.
        """
        if cv is None or is_name(cv, "auto", *known):
            return cls(cv or "auto")
        expected = f"expected 'auto', a number of folds, {', '.join(map(repr, known))} or a splitter"
        if isinstance(cv, str):
            raise ValueError(f"cv={cv!r}: {expected}{remedy}.")
        if hasattr(cv, "split") or hasattr(cv, "__iter__"):
            return cls("splits", splits=cv)
        n_folds = counted("cv", cv, expected)
        if n_folds < 2:
            raise ValueError(f"cv={n_folds}: expected at least 2 folds; averaging=Geometric(alpha) chooses nothing.")
        return cls("folds", n_folds)

    def __str__(self) -> str:
        """Return what messages show as the value of `cv`."""
        if self.method == "splits":
            return type(self.splits).__name__
        return str(self.n_folds) if self.method == "folds" else repr(self.method)

    @property
    def streams(self) -> bool:
        """Whether rows are dealt to folds as they come; other methods need all rows at once."""
        return self.method in ("auto", "folds")

    @property
    def only_by_sgd(self) -> bool:
        """Whether only SGD has this method."""
        return self.method in METHODS_OF_SGD

    @property
    def n_models(self) -> int:
        """Number of models that are fitted besides the one of all rows."""
        return 1 if self.method in ("loo", "holdout") else self.n_folds

    def automatic(self, method: str) -> CrossValidation:
        """Return the method that "auto" means here; any other stays."""
        return replace(self, method=method) if self.method == "auto" else self

    def with_splits(self, batch: Batch, X: Any, y: Any) -> CrossValidation:
        """Return this with the splits of a splitter made; any other method stays.

        A generator gives its splits only once, so they are made once for all engines that may ask for them.

        Parameters
        ----------
        batch : the rows that are used.
        X, y : all rows as the user gave them.
        """
        if self.method != "splits" or isinstance(self.splits, NamedFolds):
            return self
        folds = split_by(self.splits, X, y, numbered(batch.numbers), int(np.shape(y)[0]))
        return replace(self, splits=NamedFolds(folds, f"{len(folds)} given splits"))

    def folds(
        self, n_rows: int, rng: np.random.Generator, shuffle: bool, ranking: Callable[[], NDArray[np.intp] | None]
    ) -> NamedFolds:
        """Return the folds: of a number of folds, of a hold-out, or those that `with_splits` made.

        Parameters
        ----------
        n_rows : rows to split.
        rng : assigns rows to folds.
        shuffle : False makes folds of consecutive rows, and holds the last rows out.
        ranking : returns the rows in an order whose neighbours should fall into different folds, or None.
        """
        if self.method == "folds":
            folds = k_folds(n_rows, self.n_folds, rng if shuffle else None, ranking())
            return NamedFolds(folds, f"{len(folds)} folds")
        if self.method == "holdout":
            fold = hold_out(n_rows, shuffle, rng)
            return NamedFolds([fold], f"hold-out of {len(fold.test):,} rows")
        assert isinstance(self.splits, NamedFolds)
        return self.splits
