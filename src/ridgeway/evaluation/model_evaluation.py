"""`evaluate`: compare the predictions of a model with actual values, batch by batch in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import scipy.sparse
from narwhals.dependencies import is_into_dataframe
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from ridgeway.data.data_error import DataError
from ridgeway.estimators.averaged_estimator import AveragedEstimator
from ridgeway.evaluation.alpha_errors import AlphaErrors, evaluated_alphas
from ridgeway.evaluation.calibration import SampledRows
from ridgeway.evaluation.compared_rows import ComparedRows
from ridgeway.evaluation.error_sums import ErrorSums
from ridgeway.evaluation.evaluation_result import Evaluation, IntervalCoverage
from ridgeway.evaluation.group_errors import GroupSums
from ridgeway.evaluation.last_value import LastValueErrors
from ridgeway.intervals.coverage_share import coverage_share
from ridgeway.messages.probing import probing
from ridgeway.messages.progress import Progress

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
    if y is not None or sample_weight is not None:
        raise ValueError("y and sample_weight are given: expected neither, as the table has both; leave them out.")
    source = opened_table(model, data, by, time)
    with closing(Progress(guess_rows(source), shown=progress)) as bar:
        comparison = _Comparison(model.model, model, share, normalized, by)
        return comparison.of(table_batches(model, source, by, time), source.name, bar)


class _Comparison:
    """Sums over all rows."""

    def __init__(
        self, estimator: Any, table: TableModel | None, coverage: float, normalized: bool, by: str | None
    ) -> None:
        self._estimator, self._table, self._coverage, self._by = estimator, table, coverage, by
        self._normalized = normalized
        self._predicts_logs = table is not None and table.log_target
        n = self._n_targets = len(np.atleast_1d(estimator.intercept_))
        names = () if table is None else table.targets
        self._names = tuple(names) or (("",) if n == 1 else tuple(f"target {place}" for place in range(n)))
        self._sums, self._log_sums = ErrorSums(n), ErrorSums(n)
        self._last = LastValueErrors(n)
        self._samples = [SampledRows(place) for place in range(n)]
        self._groups = None if by is None else GroupSums(by, n)
        self._alphas = evaluated_alphas(estimator.trajectory_.elapsed, estimator.alpha_)
        self._alpha_squares = np.zeros((len(self._alphas), n))
        self._covered, self._width, self._weight = np.zeros(n), np.zeros(n), 0.0
        self._first_weight, self._weighted = 0.0, False
        self._left_out = 0
        self._no_intervals = ""
        self._interval: ConformalWidth | None = None
        try:
            self._interval = estimator.interval_width(coverage, normalized=normalized)
        except ValueError as error:
            self._no_intervals = f"No coverage: {error}"

    def of(self, batches: Iterator[ComparedRows], source_name: str, bar: Progress) -> Evaluation:
        """Return the comparison of all rows."""
        for rows in batches:
            self._left_out += rows.left_out
            if len(rows.y):
                self._add(rows, source_name)
            bar.add(len(rows.y) + rows.left_out)
        if self._sums.n_rows == 0:
            raise DataError(
                f"{source_name}: no row has a target: expected at least one row with the value to compare with."
            )
        metrics = self._sums.metrics()
        rmse = np.sqrt(self._alpha_squares / self._weight)
        intervals = None
        if self._interval is not None:
            shares = self._covered / self._weight, self._width / self._weight
            intervals = IntervalCoverage(
                self._coverage,
                self._estimator.interval_method_,
                *shares,
                self._normalized,
                len(self._estimator.held_out_.path),
            )
        return Evaluation(
            self._names,
            self._estimator.averaging_,
            metrics,
            self._left_out,
            self._last.rmse(),
            intervals,
            self._no_intervals,
            tuple(sample.deciles() for sample in self._samples),
            tuple(
                AlphaErrors(self._alphas, rmse[:, target_index], float(metrics.rmse[target_index]))
                for target_index in range(self._n_targets)
            ),
            self._by,
            () if self._groups is None else self._groups.result(),
            tuple(sample.sample(MAX_DRAWN_ROWS) for sample in self._samples),
            self._weighted,
            self._log_sums.metrics() if self._log_sums.n_rows else None,
        )

    def _add(self, rows: ComparedRows, source_name: str) -> None:
        shape = len(rows.y), self._n_targets
        linear = np.asarray(self._estimator.predict(rows.X), np.float64).reshape(shape)
        predicted = self._in_units(linear, source_name)
        ends = covered = None
        self._sums.add(rows.y, predicted, rows.weight)
        if self._predicts_logs:
            positive_rows = (rows.y > 0).all(axis=1)
            self._log_sums.add(np.log(rows.y[positive_rows]), linear[positive_rows], rows.weight[positive_rows])
        self._weight += float(rows.weight.sum())
        positive = rows.weight[rows.weight > 0]
        if len(positive):
            self._first_weight = self._first_weight or float(positive[0])
            self._weighted |= bool((positive != self._first_weight).any())
        if self._interval is not None:
            ends = self._in_units(self._interval.around(linear), source_name)
            covered = (ends[..., 0] <= rows.y) & (rows.y <= ends[..., 1])
            self._covered += rows.weight @ covered
            self._width += rows.weight @ (ends[..., 1] - ends[..., 0])
        for target, sample in enumerate(self._samples):
            around = None if ends is None else ends[:, target]
            sample.add(rows.y[:, target], predicted[:, target], rows.weight, around)
        if self._groups is not None and rows.groups is not None:
            self._groups.add(rows.groups, rows.y, predicted, rows.weight, covered)
        with probing():
            path = self._estimator.predict_path(rows.X, self._alphas)
        with np.errstate(over="ignore"):
            path = self._in_units(path, source_name, finite=False).reshape(len(rows.y), len(self._alphas), -1)
            self._alpha_squares += np.einsum("n,nlq->lq", rows.weight, (path - rows.y[:, None, :]) ** 2)
        if rows.times is not None:
            self._last.add(rows.times, rows.y, rows.weight)

    def _in_units(self, predicted: Any, source_name: str, finite: bool = True) -> Array:
        """Return predictions in units of the target."""
        values = np.asarray(predicted, np.float64)
        if not self._predicts_logs:
            return values
        with np.errstate(over="ignore"):
            values = np.exp(values)
        if finite and not np.isfinite(values).all():
            raise DataError(
                f"{source_name}: a prediction is beyond float64: expected rows similar to those of the fit; check for "
                "values far outside of its range."
            )
        return np.minimum(values, np.finfo(np.float64).max)


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
    if scipy.sparse.issparse(X):
        return X.tocsr()
    if not is_into_dataframe(X):
        return np.asarray(X)
    try:
        return nw.from_native(X, eager_only=True)
    except DuplicateError:  # only pandas lets two columns have one name
        return X.iloc
