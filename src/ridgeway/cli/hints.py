"""Hints after a fit: what its numbers may mean, and what to compare next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.stats

from ridgeway.estimators import AveragedKernelRegressor
from ridgeway.estimators.column_scale import column_scale
from ridgeway.messages.number_text import number

if TYPE_CHECKING:
    from ridgeway.evaluation import Evaluation
    from ridgeway.tables import TableModel

SUSPECT_R2 = 0.99  # from which a column may hold the answer
MAX_SUSPECT_FEATURES = 3
NOTABLE_EFFECT = 0.05  # of the largest, from which a feature is suspected, too
NOTABLE_R2_FALL = 0.2  # from held-out rows to the last rows, from which a hint is given
SKEWED = 2.0  # skewness of a target whose logarithm may be easier to predict: that of an exponential distribution


def leak_hint(model: TableModel) -> str | None:
    """Return a question where the held-out error is suspiciously small; None where it is not.

    Parameters
    ----------
    model : the fitted model.
    """
    held_out = model.held_out_
    if held_out is None or not (held_out.r2 > SUSPECT_R2).any():
        return None
    target = int(np.nanargmax(held_out.r2))
    said = f"R^2 {held_out.r2[target]:.4f} is very high: does a column hold the answer, or follow from it?"
    if isinstance(model.model, AveragedKernelRegressor):
        return said
    scale = column_scale(model.model)
    coefs = np.atleast_2d(model.coef_)[target]
    effects = np.abs(coefs if scale is None else coefs * scale)
    names = model.feature_names
    order = [place for place in np.argsort(-effects) if effects[place] > NOTABLE_EFFECT * effects.max()]
    largest = ", ".join(repr(names[place]) for place in order[:MAX_SUSPECT_FEATURES])
    what = "effect is" if len(order) == 1 else "effects are"
    return f"{said} The largest {what} of {largest}; leave columns out with --drop."


def hints_of_test(model: TableModel, found: Evaluation, time: str | None) -> list[str]:
    """Return hints on the result of test rows.

    Parameters
    ----------
    model : the fitted model.
    found : its evaluation on the test rows.
    time : column by which they are the last rows; None if they are not.
    """
    if len(found.targets) != 1:
        return []
    hints = [] if time is None else [_trend_hint(model, found, time)]
    return [hint for hint in (*hints, _skew_hint(model, found)) if hint is not None]


def _trend_hint(model: TableModel, found: Evaluation, time: str) -> str | None:
    """Return which columns a linear model extrapolates, where the last rows are predicted much worse."""
    held_out, metrics = model.held_out_, found.metrics if found.log_metrics is None else found.log_metrics
    if held_out is None or not held_out.r2[0] - metrics.r2[0] > NOTABLE_R2_FALL:
        return None
    said = f"R^2 falls from {held_out.r2[0]:.3f} on random rows to {metrics.r2[0]:.3f} on the last rows by {time!r}."
    described: Any = [] if model.encoder is None else model.encoder.describe()
    names = [row.column for row in described if row.kind == "time" or row.column == time]
    if not names or len(names) == len(described) or isinstance(model.model, AveragedKernelRegressor):
        return f"{said} The relation of the columns to the target seems to change with time."
    drop = " ".join(f"--drop {shlex.quote(name)}" for name in names)
    kept = f" ({time!r} can be dropped and still be used for --time)" if time in names else ""
    return f"{said} Predictions extrapolate the trend of {', '.join(map(repr, names))}: compare {drop}{kept}."


def _skew_hint(model: TableModel, found: Evaluation) -> str | None:
    """Suggest the logarithm of a target above 0 whose large values are rare."""
    actual = found.sample[0].actual
    if model.log_target or len(actual) < 3 or actual.min() <= 0 or not np.ptp(actual) > 0:
        return None
    skewness, of_logs = (float(scipy.stats.skew(values)) for values in (actual, np.log(actual)))
    if skewness < SKEWED or abs(of_logs) > skewness / 2:
        return None
    return (
        f"The target is above 0 and skewed: its mean is {number(float(actual.mean()))}, its median "
        f"{number(float(np.median(actual)))}. Compare --log-target."
    )
