"""`TableModel`: a fitted model together with the encoder of its tables."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.data import DataError, Source, TableEncoder, column_names, open_data
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.libsvm import LibsvmSource
from ridgeway.data.opening import located
from ridgeway.data.schema import listed_names, no_column, similar_names
from ridgeway.data.target import names_of
from ridgeway.estimators import AveragedKernelRegressor
from ridgeway.estimators.restored import AnyAveraged, averaged_of
from ridgeway.estimators.solver_facts import SOLVER_FACTS, Ability, can
from ridgeway.intervals.conformal import ConformalWidth
from ridgeway.messages.quantity import quantity
from ridgeway.path.path_result import PathResult
from ridgeway.storage import write_state
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.tables.fitted_attributes import FittedAttributes, accuracy_text
from ridgeway.tables.request import Request
from ridgeway.tables.table_score import score_of


@dataclass(frozen=True)
class FitFacts:
    """How a table was fitted.

    Attributes
    ----------
    data : name of the table in messages.
    rows : rows of the fit.
    left_out : rows without a target or with no weight.
    passes : number of passes over the rows.
    streamed : whether rows were streamed; otherwise they were all in memory.
    distributed : whether the fit ran on a cluster.
    shuffled : whether streamed rows came in random order. Otherwise they came in the order of the file, as always in
        version 0.1, or, for a compressed file, permuted within a buffer.
    solver : "gram", "krylov" or "sgd".
    solver_reason : why it is this one, as part of a sentence; may be empty.
    """

    data: str
    rows: int
    left_out: int
    passes: float
    streamed: bool
    distributed: bool = False
    shuffled: bool = False
    solver: str = "sgd"
    solver_reason: str = ""

    @property
    def way(self) -> str:
        """How the rows were read, in words."""
        if self.distributed:
            return "on a cluster"
        if not self.streamed:
            return "held in memory"
        if self.shuffled:  # also by Gram matrices of a kernel model, whose first rows set the scales
            return "streamed in random order"
        return (
            "read once, in an order that does not matter"
            if can(self.solver, Ability.ANY_ORDER)
            else "streamed in the order of the file"
        )

    @classmethod
    def from_state(cls, stored: Stored) -> FitFacts:
        """Return the facts of a state."""
        return cls(
            stored.text("data"),
            stored.integer("rows", 1),
            stored.integer("left_out"),
            stored.number("passes", 0.0),
            stored.flag("streamed"),
            "distributed" in stored and stored.flag("distributed"),
            "shuffled" in stored and stored.flag("shuffled"),
            stored.text("solver", SOLVER_FACTS) if "solver" in stored else "sgd",
            stored.text("solver_reason") if "solver_reason" in stored else "",
        )


@dataclass(frozen=True, eq=False, repr=False)
class TableModel(FittedAttributes):
    """A fitted model of a table: it takes raw columns and returns predictions in units of the target.

    `fit_table` and the command line make it, `ridgeway.load` reads it. It has the fitted attributes of its estimator,
    such as `alpha_`, `selection_`, `coef_` and `held_out_`.

    Attributes
    ----------
    model : the fitted estimator, over encoded features.
    encoder : encodes columns as features; None for sparse rows of LIBSVM files.
    target : name of the column that is predicted, or the names of several; None for LIBSVM files.
    weight : name of the column of weights, if any.
    log_target : the model predicts the logarithm of the target; `predict` returns its exponential.
    facts : how it was fitted.
    zero_based : whether columns of LIBSVM files are counted from 0.
    null_values : spellings of a missing value in CSV files besides the usual ones.
    dropped : columns that the user dropped.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from ridgeway.tables import Request, fit_table
    >>> rng = np.random.default_rng(0)
    >>> size, shop = rng.uniform(1, 3, 500), rng.choice(["east", "west"], 500)
    >>> table = pa.table({"size": size, "shop": shop, "price": 10 * size + 5 * (shop == "east")})
    >>> model = fit_table(table, Request(target="price"))
    >>> model.predict(pa.table({"size": [2.0, 2.0], "shop": ["east", "west"]})).round()
    array([25., 20.])
    >>> model.at(1.0).alpha_
    1.0
    >>> print(f"{model.score(table):.3f}")
    1.000
    """

    model: AnyAveraged
    encoder: TableEncoder | None
    target: str | tuple[str, ...] | None
    weight: str | None
    log_target: bool
    facts: FitFacts
    zero_based: bool = False
    null_values: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the columns that are predicted."""
        return names_of(self.target)

    def predict(self, data: Any) -> NDArray[np.float64]:
        """Predict the rows of a table, (rows,), or (rows, targets) for several; further columns are ignored.

        Parameters
        ----------
        data : a path, data frame, Arrow table or a matrix of sparse rows; see `ridgeway.data.open_data`.
        """
        rows: Any = data
        if scipy.sparse.issparse(rows):
            rows = rows, np.zeros(data.shape[0])
        source = self.open(rows)
        return np.concatenate([self.predict_batch(batch, source.name) for batch in source.batches()])

    def score(self, data: Any) -> float:
        """Return R^2 of the predictions on a table that has the target; see `ridgeway.evaluate` for more.

        Parameters
        ----------
        data : as in `predict`; rows without a target are left out.
        """
        return score_of(self, data)

    def __repr__(self) -> str:
        scheme = self.averaging_
        strength = f"alpha={scheme.alpha:.3g}" if isinstance(scheme, Geometric) else scheme_name(scheme)
        names = listed_names(self.target_names)
        found = accuracy_text(self.held_out_, self.log_target)
        n_columns = self.model.n_features_in_ if self.encoder is None else len(self.columns)
        return (
            f"TableModel({names or 'the target'} from {quantity(n_columns, 'column')} of {self.facts.data}, "
            f"{quantity(self.facts.rows, 'row')}, solver {self.solver_}, {strength}{f'; {found}' if found else ''})"
        )

    def open(self, data: Any) -> Source:
        """Open a table to predict, after comparing its columns with those of the fit."""
        data = located(data)
        if self.encoder is None:
            source = open_data(data)
            if source.schema is not None:
                raise DataError(
                    f"{source.name}: a table, but the model was fitted to sparse rows: expected LIBSVM text."
                )
            if self.zero_based and isinstance(source, LibsvmSource) and not source.zero_based:
                source.zero_based, source.n_columns = True, source.n_columns + 1  # no row happens to have a column 0
            return source
        columns = column_names(data)
        if columns is None:
            raise DataError(f"{data}: sparse rows, but the model was fitted to a table: expected columns with names.")
        names = [*columns.index, *columns.names]
        known, there = self.columns, set(names)
        missing = [name for name in known if name not in there]
        if missing and isinstance(data, np.ndarray):
            raise DataError(
                f"an array of shape {data.shape}, whose columns have no names: expected a data frame with the columns "
                f"{listed_names(known)}; in this order, pass pandas.DataFrame(array, columns=model.columns)."
            )
        if len(missing) == 1:
            error = no_column(missing[0], columns.names, columns.source_name)
            add = "Otherwise add" if similar_names(missing[0], columns.names) else "Add"
            raise DataError(f"{error} {add} it, with missing values if it is not known.")
        if missing:
            raise DataError(
                f"{columns.source_name}: missing columns {', '.join(map(repr, missing[:10]))}: expected all columns of "
                "the fit; add them, with missing values if they are not known."
            )
        used = {column.column for column in self.encoder.describe() if column.kind != Dropped.kind}
        return open_data(
            data,
            kinds=self.encoder.text_columns_,
            null_values=self.null_values,
            lenient=[name for name in names if name not in used],  # which are only copied to the output
            index=True,  # the model takes columns by name
        )

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of the targets in messages."""
        return tuple(f"log {name}" if self.log_target else name for name in self.targets)

    @property
    def columns(self) -> list[str]:
        """Columns that the model uses."""
        return [] if self.encoder is None else [column.column for column in self.encoder.describe()]

    @property
    def feature_names(self) -> list[str]:
        """Names of the encoded features."""
        if self.encoder is None:
            return [f"column {i + (not self.zero_based)}" for i in range(self.model.n_features_in_)]
        return [str(name) for name in self.encoder.get_feature_names_out()]

    def predict_batch(
        self, batch: Any, source_name: str = "the table", width: ConformalWidth | None = None
    ) -> NDArray[np.float64]:
        """Predict the rows of one batch of a source that `open` returned; with a width, (rows, targets, 3).

        Parameters
        ----------
        batch : the rows.
        source_name : name of the data in messages.
        width : of intervals, whose lower and upper ends follow each prediction.
        """
        X = self._widened(batch[0], source_name) if self.encoder is None else self.encoder.transform(batch, source_name)
        predicted: NDArray[np.float64] = self.model.predict(X).astype(np.float64)
        if width is not None:
            middle = predicted.reshape(len(predicted), -1)
            predicted = np.concatenate([middle[:, :, None], width.around(middle)], axis=2)
        return self.in_units(predicted, source_name)

    def in_units(self, predicted: NDArray[np.float64], source_name: str = "the table") -> NDArray[np.float64]:
        """Return predictions of the model in units of the target: of logarithms the exponentials.

        Parameters
        ----------
        predicted : of any shape.
        source_name : name of the data in messages.
        """
        with np.errstate(over="ignore"):
            answer: NDArray[np.float64] = np.exp(predicted) if self.log_target else predicted
        if not np.isfinite(answer).all():
            raise DataError(
                f"{source_name}: a prediction is beyond the range of float64 (logarithm {predicted.max():g}): expected "
                "rows similar to those of the fit; check for values far outside of its range."
            )
        return answer

    def predict_interval(self, data: Any, coverage: float = 0.9, *, normalized: bool = False) -> NDArray[np.float64]:
        """Predict intervals that hold the target of a share of new rows: (rows, 2), or (rows, targets, 2) for several.

        Parameters
        ----------
        data : as in `predict`.
        coverage, normalized : as in `AveragedSGDRegressor.predict_interval`.
        """
        width = self.model.interval_width(coverage, normalized=normalized)
        rows: Any = data
        if scipy.sparse.issparse(rows):
            rows = rows, np.zeros(data.shape[0])
        source = self.open(rows)
        batches = [self.predict_batch(batch, source.name, width)[..., 1:] for batch in source.batches()]
        ends: NDArray[np.float64] = np.concatenate(batches)
        return ends[:, 0] if np.ndim(self.model.intercept_) == 0 else ends

    def at(self, average: float | str | Scheme | None) -> Self:
        """Return the model at another alpha or scheme; see `AveragedSGDRegressor.at`."""
        return replace(self, model=self.model.at(average))

    def path(self, alphas: Any) -> PathResult:
        """Coefficients of the encoded features for every alpha; see `AveragedSGDRegressor.path`."""
        return self.model.path(alphas)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write model and encoder to a file, completely or not at all; `ridgeway.load` reads it."""
        write_state(path, self.state())

    def state(self) -> State:
        """Return what `save` writes."""
        return {
            "estimator": type(self).__name__,
            "model": self.model.state(),
            "encoder": None if self.encoder is None else self.encoder.state(),
            "target": list(self.target) if isinstance(self.target, tuple) else self.target,
            "weight": self.weight,
            "log_target": self.log_target,
            "facts": vars(self.facts),
            "zero_based": self.zero_based,
            "null_values": list(self.null_values),
            "dropped": list(self.dropped),
        }

    @classmethod
    def of(
        cls,
        estimator: AnyAveraged,
        encoder: TableEncoder | None,
        request: Request,
        facts: FitFacts,
        zero_based: bool = False,
    ) -> Self:
        """Return the model of a fit that has ended; the estimator shows no progress bar any more.

        Parameters
        ----------
        estimator : fitted.
        encoder : of the columns; None for sparse rows.
        request : what was fitted.
        facts : how it was fitted.
        zero_based : whether columns of LIBSVM text are counted from 0.
        """
        estimator.set_params(verbose=0)
        target, weight, log_target = request.target, request.weight, request.log_target
        return cls(estimator, encoder, target, weight, log_target, facts, zero_based, request.null_values, request.drop)

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Return the model of a state."""
        model = averaged_of(stored.part("model"))
        encoder = TableEncoder.from_state(stored.part("encoder")) if "encoder" in stored else None
        if encoder is not None and encoder.n_features_out_ != model.n_features_in_:
            raise StateError(f"the encoder makes {encoder.n_features_out_} features of {model.n_features_in_}.")
        several = isinstance(stored.raw("target"), list)
        target: str | tuple[str, ...] | None = tuple(stored.texts("target")) if several else _text(stored, "target")
        n_targets = len(np.atleast_1d(model.intercept_))
        if max(len(names_of(target)), 1) != n_targets or several == (np.ndim(model.intercept_) == 0):
            raise StateError(
                f"the model has {quantity(n_targets, 'target')} but names {target!r}: expected one name for each."
            )
        facts = FitFacts.from_state(stored.part("facts"))
        if isinstance(model, AveragedKernelRegressor):  # older files have "sgd" there for every kernel model
            facts = replace(facts, solver=model.solver_, solver_reason=model.solver_reason_)
        return cls(
            model,
            encoder,
            target,
            _text(stored, "weight"),
            stored.flag("log_target"),
            facts,
            zero_based=stored.flag("zero_based"),
            null_values=_texts(stored, "null_values"),
            dropped=_texts(stored, "dropped"),
        )

    def _widened(self, X: Any, source_name: str) -> Any:
        """Return sparse rows with as many columns as the fit had."""
        expected = self.model.n_features_in_
        if X.shape[1] > expected:
            raise DataError(
                f"{source_name}: {X.shape[1]:,} columns: expected at most {expected:,}, as in the fit; leave out the "
                "others."
            )
        return scipy.sparse.csr_matrix((X.data, X.indices, X.indptr), (X.shape[0], expected))


def _text(stored: Stored, name: str) -> str | None:
    return stored.text(name) if name in stored else None


def _texts(stored: Stored, name: str) -> tuple[str, ...]:
    """Return a list of texts; files of version 0.1 have none."""
    return tuple(stored.texts(name)) if name in stored else ()
