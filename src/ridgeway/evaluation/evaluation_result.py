"""`Evaluation`: the result of comparing predictions with actual values."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.evaluation.alpha_errors import AlphaErrors
from ridgeway.evaluation.calibration import Decile, DrawnRows
from ridgeway.evaluation.error_sums import Metrics
from ridgeway.evaluation.group_errors import GroupErrors
from ridgeway.evaluation.group_table import group_lines
from ridgeway.messages.number_text import number
from ridgeway.messages.quantity import quantity

Array = NDArray[np.float64]

MIN_SHORTFALL = 0.03  # of the coverage of all rows that is worth a sentence
SHORTFALL_ERRORS = 3.0  # standard errors beyond which it is no chance
MIN_COVERAGE_ROWS = 30  # rows of a tenth whose coverage is more than chance


@dataclass(frozen=True, eq=False)
class IntervalCoverage:
    """How many rows the prediction intervals hold.

    Attributes
    ----------
    coverage : the share that was asked for.
    method : how the rows behind the intervals were held out.
    covered : (targets,), the share that they hold.
    width : (targets,), their mean width.
    normalized : whether they are wider where errors are larger.
    n_residuals : number of held-out rows behind them; None if it is not known.
    """

    coverage: float
    method: str
    covered: Array
    width: Array
    normalized: bool = False
    n_residuals: int | None = None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A model on rows whose targets are known.

    Attributes
    ----------
    targets : their names.
    scheme : the average that predicted.
    metrics : errors of the predictions.
    left_out : rows without a target or weight.
    rmse_of_last : (targets,), error of predicting the value of the row before; None where there is no time.
    intervals : their coverage; None where the model has none, and then `no_intervals` says why.
    calibration : for each target, deciles of the prediction.
    alphas : for each target, the error of every ridge strength.
    by : the column of the groups; None without groups.
    groups : errors of each group.
    sample : for each target, some rows at random with predictions and intervals, for a picture.
    weighted : whether rows have different weights; errors and shares then count each row by its weight.
    log_metrics : for a model of logarithms, errors of the logarithms, of rows whose targets are above 0; else None.
    fitted_to : name of the file of these rows if the model was fitted to a file of that name; None otherwise.
    """

    targets: tuple[str, ...]
    scheme: Scheme
    metrics: Metrics
    left_out: int
    rmse_of_last: Array | None
    intervals: IntervalCoverage | None
    no_intervals: str
    calibration: tuple[tuple[Decile, ...], ...]
    alphas: tuple[AlphaErrors, ...]
    by: str | None = None
    groups: tuple[GroupErrors, ...] = ()
    sample: tuple[DrawnRows, ...] = ()
    weighted: bool = False
    log_metrics: Metrics | None = None
    fitted_to: str | None = None

    @property
    def cautions(self) -> list[str]:
        """What to keep in mind when reading the numbers, in words."""
        cautions = []
        if self.n_rows < MIN_COVERAGE_ROWS:
            rows = quantity(self.n_rows, "row")
            cautions.append(f"{rows} alone: these numbers say little; expected at least {MIN_COVERAGE_ROWS} rows.")
        if self.fitted_to is not None:
            cautions.append(
                f"The model was fitted to a table of the same name, {self.fitted_to}: errors of rows that it has "
                "learned from are smaller than those of new rows."
            )
        return cautions

    @property
    def n_rows(self) -> int:
        """Rows that were compared."""
        return self.metrics.n_rows

    @property
    def least_covered_tenth(self) -> Decile | None:
        """The tenth of the predictions of least coverage, of those with enough rows; None without intervals or rows."""
        tenths = (tenth for deciles in self.calibration for tenth in deciles if tenth.rows >= MIN_COVERAGE_ROWS)
        covered = [(tenth.covered, place, tenth) for place, tenth in enumerate(tenths) if tenth.covered is not None]
        return min(covered)[-1] if covered else None

    def values(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; lists have one entry for each target."""
        intervals = self.intervals
        return {
            "targets": list(self.targets),
            "averaging": self.scheme.state(),
            **self.metrics.values(),
            "left_out": self.left_out,
            "logarithms": None if self.log_metrics is None else self.log_metrics.values(),
            "rmse_of_last": None if self.rmse_of_last is None else self.rmse_of_last.tolist(),
            "intervals": None
            if intervals is None
            else {
                "coverage": intervals.coverage,
                "method": intervals.method,
                "covered": intervals.covered.tolist(),
                "width": intervals.width.tolist(),
                "normalized": intervals.normalized,
            },
            "calibration": [[decile.values() for decile in deciles] for deciles in self.calibration],
            "alphas": [errors.values() for errors in self.alphas],
            "by": self.by,
            "groups": [group.values() for group in self.groups],
        }

    def sentences(self) -> list[str]:
        """Return the findings in words, some lines for each target."""
        return [line for target_index in range(len(self.targets)) for line in self.target_sentences(target_index)]

    def target_sentences(self, target_index: int) -> list[str]:
        """Return the findings about one target in words."""
        metrics, name = self.metrics, self.targets[target_index]
        r2 = f"R^2 {metrics.r2[target_index]:.3f}, " if np.isfinite(metrics.r2[target_index]) else ""
        last = "" if self.rmse_of_last is None else f", the last value {number(self.rmse_of_last[target_index])}"
        of = f"{name}, " if name else ""
        rows = f"{quantity(metrics.n_rows, 'row')}{', weighted' if self.weighted else ''}"
        lines = [
            f"{of}{rows}: {r2}typical error (RMSE) {number(metrics.rmse[target_index])}, "
            f"mean absolute error {number(metrics.mae[target_index])}.",
            f"RMSE of always predicting the mean of these rows: {number(metrics.rmse_of_mean[target_index])}{last}.",
        ]
        if self.log_metrics is not None:
            lines[1:1] = [self._log_sentence(self.log_metrics, target_index)]
        intervals = self.intervals
        if intervals is None:
            lines.append(self.no_intervals)
        else:
            lines.append(
                f"Intervals of coverage {intervals.coverage:g} hold {100 * intervals.covered[target_index]:.1f}% of "
                f"the {'weights of the rows' if self.weighted else 'rows'}; their mean width is "
                f"{number(intervals.width[target_index])}."
            )
            lines += self._shortfall(intervals, target_index)
        return [*lines, self.alphas[target_index].sentence(self.scheme)] if self.alphas else lines

    def _shortfall(self, intervals: IntervalCoverage, target_index: int) -> list[str]:
        """Return a sentence if intervals hold clearly fewer rows than asked for, else nothing.

        Chance is that of these rows and of the residuals that set the width. Weighted rows are not judged, as the
        weights leave fewer rows than are counted.
        """
        coverage, covered = intervals.coverage, float(intervals.covered[target_index])
        parts = 1 / self.n_rows + (1 / intervals.n_residuals if intervals.n_residuals else 0.0)
        by_chance = SHORTFALL_ERRORS * (coverage * (1 - coverage) * parts) ** 0.5
        if self.weighted or coverage - covered < max(MIN_SHORTFALL, by_chance):
            return []
        return [
            f"Only {100 * covered:.1f}% of the targets lie within the {100 * coverage:g}% intervals: these rows differ "
            "from those of the fit."
        ]

    def _log_sentence(self, metrics: Metrics, target_index: int) -> str:
        """Return sentences on the errors of the logarithms and on the meaning of a prediction."""
        r2, rmse = metrics.r2[target_index], metrics.rmse[target_index]
        some = "" if metrics.n_rows == self.n_rows else f" ({quantity(metrics.n_rows, 'row')} above 0)"
        return (
            f"Those are errors of the values. Errors of their logarithms{some}, which the model predicts: "
            f"{f'R^2 {r2:.3f}, ' if np.isfinite(r2) else ''}typical error {number(rmse)} "
            f"(a factor of {number(np.exp(rmse))}). A prediction is exp of a mean of logarithms: near the median of "
            "the values, below their mean."
        )

    def groups_frame(self) -> Any:
        """Return the errors of the groups as a pandas data frame, one row for each group and target."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("groups_frame needs pandas: pip install pandas, or use groups.") from None
        names = ("r2", "rmse", "mae", "bias", "rmse_of_mean")
        rows = [
            {
                self.by or "group": group.group,
                **({"target": target} if len(self.targets) > 1 else {}),
                "rows": group.metrics.n_rows,
                **{name: float(getattr(group.metrics, name)[place]) for name in names},
                "covered": None if group.covered is None else float(group.covered[place]),
            }
            for group in self.groups
            for place, target in enumerate(self.targets)
        ]
        if not rows:
            raise ValueError("this evaluation has no groups: expected some; pass by= to evaluate.")
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        lines = []
        for target_index in range(len(self.targets)):
            lines += self.target_sentences(target_index)
            lines += group_lines(self.groups, self.by or "group", target_index) if self.groups else []
        return "\n".join([*lines, *self.cautions])
