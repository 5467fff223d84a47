"""`Request`: what to fit to a table, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ridgeway.averaging import Scheme
from ridgeway.data import ColumnNames, DataError, Source, TableEncoder, open_data
from ridgeway.data.encoding.table_learner import MIN_WORDS
from ridgeway.data.pandas_index import warn_of_index
from ridgeway.data.schema import listed_names, no_column
from ridgeway.data.table_encoder import LEVELS
from ridgeway.data.target import Targets, names_of
from ridgeway.estimators import AveragedKernelRegressor, AveragedSGDRegressor, RidgePathCV
from ridgeway.estimators.kernel_solver_choice import check_kernel_solver
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.estimators.solver_facts import Ability, can
from ridgeway.storage.state import State
from ridgeway.tables.requested_solver import requested_solver
from ridgeway.validation.names import listed_texts


@dataclass(frozen=True)
class Request:
    """What to fit to a table, and how.

    Attributes
    ----------
    target : name of the column to predict, or the names of several; None for LIBSVM files, where it is the first entry
        of each line.
    weight : name of the column of weights, if any.
    log_target : fit the logarithm of the target; predictions are in units of the target.
    drop : columns to leave out; a single name or several.
    only : columns to use; None for all.
    kinds : kinds of columns by name, which replace the detected kinds; see `TableEncoder`.
    null_values : spellings of a missing value in CSV files besides the usual ones.
    levels : largest number of levels of a category with their own features; see `TableEncoder`.
    solver : "auto", "gram", "krylov" or "sgd", as in `RidgePathCV`; with a kernel as in `AveragedKernelRegressor`,
        which has no "gram". An option that only SGD has implies "sgd".
    averaging, alpha, cv : as in `RidgePathCV`, or with SGD as in `AveragedSGDRegressor`; averaging="auto" is ridge, and
        with SGD any average.
    passes : passes of SGD over the rows, or "auto"; a number implies SGD.
    seed : seed for shuffling and fold assignment.
    kernel : name of a kernel; None fits a linear model.
    gamma : parameter of the kernel; None for 1 over the number of features, or "auto".
    components : number of random features that replace the exact kernel; streamed rows need them.
    """

    target: str | tuple[str, ...] | None = None
    weight: str | None = None
    log_target: bool = False
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    null_values: tuple[str, ...] = ()
    solver: str = "auto"
    averaging: str | Scheme = "auto"
    alpha: float | str = "auto"
    passes: int | str = "auto"
    cv: int | str = "auto"
    seed: int = 0
    kernel: str | None = None
    gamma: float | str | None = None
    components: int | None = None
    levels: int = LEVELS

    def __post_init__(self) -> None:
        """Take a single text for a list of one."""
        for name in ("drop", "only", "null_values"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, listed_texts(name, getattr(self, name)))

    def estimator(self, verbose: bool = False) -> AnyAveraged:
        """Return the estimator to fit."""
        common: dict[str, Any] = {
            "averaging": self.averaging,
            "alpha": self.alpha,
            "cv": self.cv,
            "random_state": self.seed,
            "verbose": int(verbose),
        }
        if self.kernel is not None:
            own: dict[str, Any] = {"kernel": self.kernel, "gamma": self.gamma, "n_components": self.components}
            own["solver"] = check_kernel_solver(self.solver)
            return AveragedKernelRegressor(**own, passes=self.passes, **common)
        if self.linear_solver == "sgd":
            return AveragedSGDRegressor(passes=self.passes, **common)
        if self.averaging == "auto":
            common["averaging"] = "geometric"
        return RidgePathCV(solver=self.linear_solver, **common)

    @property
    def linear_solver(self) -> str:
        """The solver of a linear model: "auto", or the one that is asked for by name or by an option of its own."""
        return requested_solver(self).solver

    @property
    def solver_reason(self) -> str:
        """Why the solver is not chosen automatically; "" where it is."""
        return requested_solver(self).reason

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the columns to predict."""
        return names_of(self.target)

    def encoder(self, features: Sequence[str], held: bool = False) -> TableEncoder:
        """Return the encoder to fit on these columns.

        Parameters
        ----------
        features : names of the columns.
        held : whether all rows will be held in memory; then a text may have more features than Gram matrices allow.
        """
        kinds = {name: self.kinds[name] for name in features if name in self.kinds} or None
        wide = held and self.kernel is None
        wide = wide and (self.linear_solver == "auto" or not can(self.linear_solver, Ability.STREAMS))
        return TableEncoder(kinds=kinds, levels=self.levels, words="auto" if wide else MIN_WORDS)

    def state(self) -> State:
        """Return the request as plain values."""
        averaging = self.averaging.state() if isinstance(self.averaging, Scheme) else self.averaging
        only = None if self.only is None else list(self.only)
        target = self.target if self.target is None or isinstance(self.target, str) else list(self.target)
        # Version 0.1 had no choice: SGD for linear models, and one solver for kernels.
        implied = self.solver == "auto" if self.kernel is not None else self.linear_solver == "sgd"
        unstored = {"solver"} if implied else set()
        if self.levels == LEVELS:  # as in checkpoints that were written before there was this option
            unstored.add("levels")
        return {
            **{name: value for name, value in vars(self).items() if name not in unstored},
            "target": target,
            "averaging": averaging,
            "drop": list(self.drop),
            "only": only,
            "kinds": dict(self.kinds),
            "null_values": list(self.null_values),
        }

    def features(self, columns: ColumnNames) -> list[str]:
        """Return the columns to use, after checking that all given names exist.

        The index of pandas is left out, unless it is named.
        """
        if not self.targets:
            raise DataError(
                f"{columns.source_name}: no target: expected the column to predict, with --target COLUMN (target=), "
                f"one of {listed_names(columns.names)}."
            )
        given = (*self.needed, *self.drop, *(self.only or ()))
        known = {*columns.names, *columns.index}
        unknown = next((name for name in (*given, *self.kinds) if name not in known), None)
        if unknown is not None:
            raise no_column(unknown, columns.names, columns.source_name)
        twice = [name for name, count in Counter(self.targets).items() if count > 1]
        if twice:
            raise DataError(
                f"{columns.source_name}: the target {twice[0]!r} is given twice: expected it once; leave one out."
            )
        self._require_consistent(columns.source_name)
        left_out = {*self.targets, self.weight, *self.drop}
        used = {*columns.names, *self.kinds} if self.only is None else set(self.only)
        features = [name for name in (*columns.names, *columns.index) if name in used and name not in left_out]
        if not features:
            raise DataError(
                f"{columns.source_name}: no column is left: expected at least one beside the target; drop fewer "
                "columns."
            )
        warn_of_index([name for name in columns.index if name not in features], columns.source_name)
        return features

    def _require_consistent(self, source_name: str) -> None:
        """Refuse columns that are asked for and dropped, and a weight that is a target."""
        roles = [
            *((name, "the target (--target, target)") for name in self.targets),
            *([] if self.weight is None else [(self.weight, "the weight (--weight, weight)")]),
            *((name, "to be used (--only, only)") for name in self.only or ()),
        ]
        for name, role in roles:
            if name in self.drop:
                raise DataError(
                    f"{source_name}: column {name!r} is {role}, and to be left out (--drop, drop): expected one of "
                    "both; leave one option out."
                )
        if self.weight in self.targets:
            raise DataError(
                f"{source_name}: column {self.weight!r} is the target and the weight: expected two columns; choose "
                "another weight, or leave it out."
            )

    def open(self, data: Any, features: Sequence[str] | None) -> Source:
        """Open the columns that the fit needs; `features` is None for sparse rows, which have no names."""
        if features is None:
            return open_data(data)
        return open_data(
            data,
            columns=self.columns(features),
            kinds=self.read_kinds,
            null_values=self.null_values,
            needed=self.needed,
        )

    def columns(self, features: Sequence[str]) -> list[str]:
        """Return the columns to read: features, targets and weight."""
        return [*features, *self.needed]

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns that must hold numbers: targets and weight."""
        return self.targets if self.weight is None else (*self.targets, self.weight)

    @property
    def read_kinds(self) -> dict[str, str]:
        """Return how to read declared columns of CSV files; columns to drop are read as text."""
        return {name: "text" if kind == "drop" else kind for name, kind in self.kinds.items() if kind != "time"}


def request_of(request: Any, target: Targets | None = None) -> Request:
    """Return the request that is given, or one for the targets that are given by name.

    Parameters
    ----------
    request : a `Request`, the name of a target, the names of several, or None.
    target : the name of a target, or the names of several, instead of a request.
    """
    if request is not None and target is not None:
        raise TypeError(
            "request and target are both given: expected one of them; name the target in the request, as in "
            "Request(target='price')."
        )
    named = target if request is None else request
    if named is None or isinstance(named, str):
        return Request(target=named)
    if isinstance(named, list | tuple) and named and all(isinstance(name, str) for name in named):
        return Request(target=tuple(named))
    if not isinstance(named, Request):
        raise TypeError(
            f"got a {type(named).__name__}: expected the name of the column to predict, such as fit_table(data, "
            "'price'), or a Request."
        )
    return named
