"""The result of test rows, as the report of the model states it."""

from __future__ import annotations

import numpy as np

from ridgeway.evaluation import Evaluation
from ridgeway.messages.number_text import number
from ridgeway.messages.quantity import quantity
from ridgeway.report.report_summary import EvaluatedRows

MAX_TESTED_TARGETS = 6  # targets whose results are stated
OPTIMISTIC_FOLDS = (
    "The rows held out by the fit are random ones, which is optimistic for data in the order of time: trust the result "
    "of these last rows."
)


def evaluated_rows(
    found: Evaluation,
    page: str | None = None,
    time: str | None = None,
    compared: bool = True,
    file: str | None = None,
) -> EvaluatedRows:
    """Return what the report of a model says of its test rows.

    Parameters
    ----------
    found : what `ridgeway.evaluate` returned for the test rows.
    page : address of the page of the test rows, relative to the report.
    time : column by which they are the last rows; None if they are not.
    compared : whether the fit held rows out, whose error the reader will compare.
    file : the file of the rows, which the model may have learned from; None for rows that were held back.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> X = np.random.default_rng(0).standard_normal((300, 2))
    >>> y = X @ [1.0, 2.0]
    >>> model = rw.RidgePathCV(alpha=0.0).fit(X[:200], y[:200])
    >>> evaluated_rows(rw.evaluate(model, X[200:], y[200:])).r2
    (1.0,)
    """
    metrics = found.metrics
    which = "the test rows" if time is None else f"the last by {time}"
    where = f"On {quantity(found.n_rows, 'test row')}{'' if time is None else f', {which}'}"
    where += "" if file is None else f" of {file}"
    results = []
    for target_index, name in enumerate(found.targets[:MAX_TESTED_TARGETS]):
        of = f"{name}: " if len(found.targets) > 1 else ""
        r2 = f"R² {metrics.r2[target_index]:.3f}, " if np.isfinite(metrics.r2[target_index]) else ""
        held = (
            ""
            if found.intervals is None
            else (
                f", {100 * found.intervals.covered[target_index]:.1f}% within intervals of coverage "
                f"{100 * found.intervals.coverage:g}%"
            )
        )
        logs = (
            ""
            if found.log_metrics is None
            else (
                f" in units of the target; R² {found.log_metrics.r2[target_index]:.3f}, typical error "
                f"{number(found.log_metrics.rmse[target_index])} of the logarithms"
            )
        )
        results.append(f"{of}{r2}typical error {number(metrics.rmse[target_index])}{logs}{held}")
    more = len(found.targets) - len(results)
    if more > 0:
        results.append(f"{quantity(more, 'more target')}")
    return EvaluatedRows(
        which if time is not None else "not learned from" if file is None else f"of {file}",
        tuple(float(r2) if np.isfinite(r2) else None for r2 in metrics.r2),
        tuple(float(rmse) for rmse in metrics.rmse),
        f"{where}: {'; '.join(results)}.",
        OPTIMISTIC_FOLDS if time is not None and compared else "",
        page,
    )
