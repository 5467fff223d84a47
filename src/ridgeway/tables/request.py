"""Request: what is to be learned from a table, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ridgeway.averaging import Scheme
from ridgeway.data import DataError, Source, open_data
from ridgeway.data.schema import no_column
from ridgeway.estimators import AveragedKernelRegressor, AveragedSGDRegressor
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.state import State


@dataclass(frozen=True)
class Request:
    """What is to be learned from a table.

    Attributes
    ----------
    target : name of the column to predict; None for LIBSVM files, where it stands first in each line.
    weight : name of the column of weights, if any.
    log_target : learn the logarithm of the target; predictions are in its own units again.
    drop : columns to leave out.
    only : the only columns to use; None for all.
    averaging, alpha, passes, cv : as in `AveragedSGDRegressor`.
    seed : of orders and folds.
    kernel : name of a kernel; None learns a linear model of the columns.
    gamma : of the kernel; None for 1 over the number of features, or "auto".
    components : random features in the place of the exact kernel, which rows that are streamed need.
    """

    target: str | None = None
    weight: str | None = None
    log_target: bool = False
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    averaging: str | Scheme = "auto"
    alpha: float | str = "auto"
    passes: int | str = "auto"
    cv: int | str = "auto"
    seed: int = 0
    kernel: str | None = None
    gamma: float | str | None = None
    components: int | None = None

    def estimator(self, verbose: bool = False) -> AnyAveraged:
        """Return the estimator to fit."""
        common: dict[str, Any] = {
            "averaging": self.averaging,
            "alpha": self.alpha,
            "passes": self.passes,
            "cv": self.cv,
            "random_state": self.seed,
            "verbose": int(verbose),
        }
        if self.kernel is None:
            return AveragedSGDRegressor(**common)
        return AveragedKernelRegressor(kernel=self.kernel, gamma=self.gamma, n_components=self.components, **common)

    def state(self) -> State:
        """Return the request as plain values."""
        averaging = self.averaging.state() if isinstance(self.averaging, Scheme) else self.averaging
        only = None if self.only is None else list(self.only)
        return {**vars(self), "averaging": averaging, "drop": list(self.drop), "only": only}

    def features(self, source: Source) -> list[str]:
        """Return the columns to learn from, after all names that were given are found to be there."""
        assert source.schema is not None
        names = source.schema.names
        if self.target is None:
            raise DataError(f"{source.name}: no target: expected the name of the column to predict.")
        for name in (self.target, self.weight, *self.drop, *(self.only or ())):
            if name is not None and name not in names:
                raise no_column(name, names, source.name)
        left_out = {self.target, self.weight, *self.drop}
        features = [name for name in names if name not in left_out and (self.only is None or name in self.only)]
        if not features:
            raise DataError(
                f"{source.name}: no column is left to learn from: expected at least one beside the target; drop fewer."
            )
        return features

    def open(self, data: Any, features: Sequence[str] | None) -> Source:
        """Open the columns that are needed; `features` is None for sparse rows, which have no names."""
        if features is None:
            return open_data(data)
        extra = [name for name in (self.target, self.weight) if name is not None]
        return open_data(data, columns=[*features, *extra])
