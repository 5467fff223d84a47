"""`evaluate`: compare the predictions of a model with actual values, batch by batch in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import scipy.sparse
from narwhals.dependencies import is_into_dataframe
from numpy.typing import NDArray

from ridgeway.data.data_error import DataError
from ridgeway.estimators.averaged_estimator import AveragedEstimator
from ridgeway.evaluation.alpha_errors import AlphaSums, evaluated_alphas
from ridgeway.evaluation.calibration import SampledRows
from ridgeway.evaluation.compared_rows import ComparedRows
from ridgeway.evaluation.coverage_sums import CoverageSums
from ridgeway.evaluation.error_sums import ErrorSums
from ridgeway.evaluation.evaluation_result import Evaluation, IntervalCoverage
from ridgeway.evaluation.group_errors import GroupSums
from ridgeway.evaluation.last_value import LastValueErrors
from ridgeway.intervals.coverage_share import coverage_share
from ridgeway.messages.progress import Progress
from ridgeway.messages.strength_warnings import no_strength_warnings

if TYPE_CHECKING:
    from ridgeway.intervals.conformal import ConformalWidth
    from ridgeway.tables import TableModel

Array = NDArray[np.float64]

EVALUATED_BLOCK_ROWS = 8192  # rows of arrays that are predicted at a time
MAX_DRAWN_ROWS = 2000  # rows in the sample for pictures


def evaluate(
    model: Any,
    data: Any,
    y: Any = None,
    *,
    by: Any = None,
    coverage: float = 0.9,
    normalized: bool = False,
    time: Any = None,
    sample_weight: Any = None,
    progress: bool = False,
) -> Evaluation:
    """Compare the predictions of a fitted model with actual values.

    It finds R^2, the typical and the mean absolute error, the errors of always predicting the mean and of predicting
    the last value, the share of rows within prediction intervals, means by deciles of the prediction, errors by
    group, and the error of every ridge strength on these rows. Pass rows that the model has not learned from: on
    others all of this is too good.

    Parameters
    ----------
    model : a fitted estimator, or a `TableModel` that `load` or `fit_table` returned.
    data : for a `TableModel` a path, data frame or Arrow table that has the target; otherwise X, as for `predict`.
    y : (n_rows,) or (n_rows, n_targets), for an estimator; a `TableModel` takes it from the table.
    by : group errors by this column of the table; for an estimator, (n_rows,) values.
    coverage : of the prediction intervals.
    normalized : check intervals that are wider where errors are larger, as in `predict_interval`.
    time : column of times, or (n_rows,) values: then the error of predicting the last value is found as well. The rows
        need not be sorted; times and targets of all rows are held in memory.
    sample_weight : (n_rows,), for an estimator; a `TableModel` takes the column of weights where the table has it.
    progress : show a progress bar.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((3000, 3))
    >>> y = X @ [1.0, 2.0, 3.0] + rng.standard_normal(3000)
    >>> model = rw.RidgePathCV(random_state=0).fit(X[:1000], y[:1000])
    >>> rw.evaluate(model.at(0.5), X[1000:], y[1000:])
    2,000 rows: R^2 0.825, typical error (RMSE) 1.634, mean absolute error 1.29.
    RMSE of always predicting the mean of these rows: 3.905.
    Intervals of coverage 0.9 hold 89.1% of the rows; their mean width is 5.288.
    alpha=0.00178 would have been best here; the error of Geometric(alpha=0.5) is 62.2% above it.
    """
    share = coverage_share(coverage)
    if isinstance(model, AveragedEstimator):
        if y is None:
            raise ValueError("y is missing: expected evaluate(model, X, y) for an estimator.")
        rows = _array_rows(model, data, y, by, time, sample_weight)
        comparison = _Comparison(model, None, share, normalized, None if by is None else "group")
        return comparison.of(rows, "X", Progress(None, False))
    from ridgeway.evaluation.table_batches import opened_table, table_batches  # noqa: PLC0415, needs pyarrow
    from ridgeway.tables import TableModel  # noqa: PLC0415, needs pyarrow
    from ridgeway.tables.size import guess_rows  # noqa: PLC0415, needs pyarrow

    if not isinstance(model, TableModel):
        raise TypeError(
            f"evaluate takes a fitted model of ridgeway, got a {type(model).__name__}: expected RidgePathCV, "
            "AveragedSGDRegressor, AveragedKernelRegressor or a loaded table model."
        )
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if given is not None:
            what = "the target" if name == "y" else "the column of weights"
            raise ValueError(
                f"{name} is given with a table model: expected evaluate(model, table), where the table has {what}; "
                f"leave {name} out."
            )
    source = opened_table(model, data, by, time)
    with closing(Progress(guess_rows(source), shown=progress)) as bar:
        comparison = _Comparison(model.model, model, share, normalized, by)
        found = comparison.of(table_batches(model, source, by, time), source.name, bar)
    same = isinstance(data, str | os.PathLike) and Path(data).name == Path(model.facts.data).name
    return replace(found, fitted_to=model.facts.data) if same else found


class _Comparison:
    """Sums over all rows, one object for each question about them."""

    def __init__(
        self, estimator: Any, table: TableModel | None, coverage: float, normalized: bool, by: str | None
    ) -> None:
        self._estimator, self._table = estimator, table
        self._coverage, self._normalized, self._by = coverage, normalized, by
        n = self._n_targets = len(np.atleast_1d(estimator.intercept_))
        self._errors, self._log_errors, self._last = ErrorSums(n), ErrorSums(n), LastValueErrors(n)
        self._samples = [SampledRows(place) for place in range(n)]
        self._groups = None if by is None else GroupSums(by, n)
        self._alphas = AlphaSums(evaluated_alphas(estimator.trajectory_.elapsed, estimator.alpha_), n)
        self._intervals, self._weights = CoverageSums(n), _Weights()
        self._left_out, self._no_intervals = 0, ""
        self._width: ConformalWidth | None = None
        try:
            self._width = estimator.interval_width(coverage, normalized=normalized)
        except ValueError as error:
            self._no_intervals = f"No coverage: {error}"

    def of(self, batches: Iterator[ComparedRows], source_name: str, bar: Progress) -> Evaluation:
        """Return the comparison of all rows."""
        for rows in batches:
            self._left_out += rows.left_out
            if len(rows.y):
                self._add(rows, source_name)
            bar.add(len(rows.y) + rows.left_out)
        if self._errors.n_rows == 0:
            raise DataError(
                f"{source_name}: no row has a target: expected at least one row with the value to compare with."
            )
        metrics = self._errors.metrics()
        return Evaluation(
            targets=self._names,
            scheme=self._estimator.averaging_,
            metrics=metrics,
            left_out=self._left_out,
            rmse_of_last=self._last.rmse(),
            intervals=None if self._width is None else self._coverage_found(),
            no_intervals=self._no_intervals,
            calibration=tuple(sample.deciles() for sample in self._samples),
            alphas=self._alphas.result(metrics.rmse),
            by=self._by,
            groups=() if self._groups is None else self._groups.result(),
            sample=tuple(sample.sample(MAX_DRAWN_ROWS) for sample in self._samples),
            weighted=self._weights.differ,
            log_metrics=self._log_errors.metrics() if self._log_errors.n_rows else None,
        )

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the targets; an estimator has only their numbers."""
        names = () if self._table is None else self._table.targets
        n = self._n_targets
        return tuple(names) or (("",) if n == 1 else tuple(f"target {place}" for place in range(n)))

    def _coverage_found(self) -> IntervalCoverage:
        return IntervalCoverage(
            coverage=self._coverage,
            method=self._estimator.interval_method_,
            covered=self._intervals.covered,
            width=self._intervals.width,
            normalized=self._normalized,
            n_residuals=len(self._estimator.held_out_.path),
        )

    def _add(self, rows: ComparedRows, source_name: str) -> None:
        n = len(rows.y)
        linear = np.asarray(self._estimator.predict(rows.X), np.float64).reshape(n, self._n_targets)
        predicted = self._in_units(linear, source_name)
        ends = covered = None
        if self._width is not None:
            ends = self._in_units(self._width.around(linear), source_name)
            covered = self._intervals.add(rows.y, ends, rows.weight)
        self._errors.add(rows.y, predicted, rows.weight)
        if self._predicts_logs:
            positive = (rows.y > 0).all(axis=1)
            self._log_errors.add(np.log(rows.y[positive]), linear[positive], rows.weight[positive])
        for target, sample in enumerate(self._samples):
            around = None if ends is None else ends[:, target]
            sample.add(rows.y[:, target], predicted[:, target], rows.weight, around)
        if self._groups is not None and rows.groups is not None:
            self._groups.add(rows.groups, rows.y, predicted, rows.weight, covered)
        self._alphas.add(rows.y, self._path(rows.X).reshape(n, -1, self._n_targets), rows.weight)
        if rows.times is not None:
            self._last.add(rows.times, rows.y, rows.weight)
        self._weights.add(rows.weight)

    @property
    def _predicts_logs(self) -> bool:
        return self._table is not None and self._table.log_target

    def _in_units(self, predicted: Array, source_name: str) -> Array:
        """Return predictions in units of the target."""
        if self._table is None or not self._table.log_target:
            return predicted
        return self._table.in_units(predicted, source_name)

    def _path(self, X: Any) -> Array:
        """Return predictions by every strength in units of the target; those beyond float64 are its largest number."""
        with no_strength_warnings():
            path = np.asarray(self._estimator.predict_path(X, self._alphas.alphas), np.float64)
        if not self._predicts_logs:
            return path
        with np.errstate(over="ignore"):
            return np.minimum(np.exp(path), np.finfo(np.float64).max)


class _Weights:
    """Whether rows have different weights above 0."""

    def __init__(self) -> None:
        self._first, self.differ = 0.0, False

    def add(self, weight: Array) -> None:
        """Take in the weights of rows, (n,)."""
        positive = weight[weight > 0]
        if len(positive):
            self._first = self._first or float(positive[0])
            self.differ |= bool((positive != self._first).any())


def _array_rows(model: Any, X: Any, y: Any, by: Any, time: Any, sample_weight: Any) -> Iterator[ComparedRows]:
    """Yield blocks of rows in memory, after checking that all have as many rows."""
    actual = np.asarray(y, np.float64)
    n = len(actual)
    n_targets = len(np.atleast_1d(model.intercept_))
    if actual.ndim not in (1, 2) or actual.size != n * n_targets:
        raise ValueError(f"y has shape {actual.shape}: expected {n_targets} target(s) for each row, as in the fit.")
    if not np.isfinite(actual).all():
        raise ValueError("y holds numbers that are not finite: expected the actual values; drop the other rows.")
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
    refused = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(refused):
        raise ValueError(
            f"sample_weight[{refused[0]}] is {weight.flat[refused[0]]:g}: expected finite numbers of 0 or more; "
            "correct it or drop the row."
        )
    labels = {"by": by, "time": time}
    columns = {name: None if values is None else np.asarray(values, object) for name, values in labels.items()}
    for name, values in (("X", X), ("sample_weight", weight), *columns.items()):
        got = n if values is None else np.shape(values)[0]
        if got != n:
            raise ValueError(f"{name} has {got:,} rows and y has {n:,}: expected as many of both.")
    rows = _sliceable(X)

    def block(some: slice) -> ComparedRows:
        groups, times = (None if column is None else column[some] for column in columns.values())
        X = nw.to_native(rows[some], pass_through=True)
        return ComparedRows(X, actual[some].reshape(-1, n_targets), weight[some], groups, times)

    return (block(slice(start, start + EVALUATED_BLOCK_ROWS)) for start in range(0, n, EVALUATED_BLOCK_ROWS))


def _sliceable(X: Any) -> Any:
    """Return rows that a slice cuts: CSR for any sparse rows, a frame of narwhals for any data frame, else an array."""
    rows: Any = X
    if scipy.sparse.issparse(rows):
        return X.tocsr()
    return nw.from_native(X, eager_only=True) if is_into_dataframe(X) else np.asarray(X)
