"""Fitted models as text: the data, the comparison of averages, the largest coefficients, the path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.table import Table

from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.cli.kinds_text import kinds_text
from ridgeway.estimators import AveragedKernelRegressor, RidgePathCV
from ridgeway.estimators.coefficient_intervals import INTERVAL_LEVEL, INTERVAL_NOTE, coefficient_intervals
from ridgeway.estimators.column_scale import column_scale
from ridgeway.estimators.solver_facts import describe_solver
from ridgeway.messages.number_text import number
from ridgeway.messages.quantity import quantity
from ridgeway.messages.strength_warnings import no_strength_warnings
from ridgeway.selection.candidate_table import PROGRESSIVE, Selection
from ridgeway.selection.capped_errors import NOTABLE_CAP_EFFECT
from ridgeway.tables import TableModel
from ridgeway.trajectory import Spectrum

BAR_HEIGHTS = "▁▂▃▄▅▆▇█"
SMALLEST_PLOTTED = 1e-12  # smaller errors, as shares of the largest one, are rounding
N_PLOTTED_ALPHAS = 28
MAX_SHOWN_COEFFICIENTS = 12
NEGLIGIBLE_EFFECT = 1e-12  # of the largest: smaller ones are rounding, and are not listed


def fitted(model: TableModel) -> str:
    """Return lines about the data, the kinds of columns and the fit of a model."""
    facts = model.facts
    left_out = f" ({quantity(facts.left_out, 'row')} without target or weight left out)" if facts.left_out else ""
    exact = isinstance(model.model.trajectory_, Spectrum)
    times = "" if exact else f", {facts.passes:.3g} pass" + ("" if facts.passes == 1 else "es")
    names = ", ".join(f"{'log ' if model.log_target else ''}{name!r}" for name in model.targets)
    n_columns = model.model.n_features_in_ if model.encoder is None else len(model.columns)
    what = f" predict{'s' if n_columns == 1 else ''} {names or 'the target'}"
    columns = (
        quantity(model.model.n_features_in_, "sparse column")
        if model.encoder is None
        else f"{quantity(len(model.columns), 'column')}, encoded as {quantity(model.model.n_features_in_, 'feature')},"
    )
    dates = {} if model.encoder is None else model.encoder.date_orders_
    kinds = "" if model.encoder is None else "".join(f"\n{line}" for line in kinds_text(model.encoder.describe()))
    read = kinds + "".join(f"\nDates of {name!r} are read {order}." for name, order in dates.items())
    return (
        f"{facts.data}: {columns}{what}. {quantity(facts.rows, 'row')}{left_out}, {facts.way}{times}."
        f"{read}{_solver(model)}"
    )


def _solver(model: TableModel) -> str:
    """Return a line about the solver; files of version 0.1 do not say why."""
    if isinstance(model.model, AveragedKernelRegressor):
        return f"\n{kernel_line(model.model)}"
    return f"\nSolver: {describe_solver(model.facts.solver, model.facts.solver_reason)}."


def kernel_line(model: AveragedKernelRegressor) -> str:
    """Return the kernel of a model, what its coefficients belong to, and the solver."""
    gamma = "" if model.gamma_ is None else f" with gamma={model.gamma_:.4g}"
    n = model.coef_.shape[-1]
    what = "row" if model.n_components is None else "component"
    name = model.kernel if isinstance(model.kernel, str) else getattr(model.kernel, "__name__", "a function")
    solver = describe_solver(model.solver_, model.solver_reason_)
    return f"Kernel: {name}{gamma}, a coefficient for each of {quantity(n, what)}. Solver: {solver}."


def selected_average(model: Any, size: int) -> str:
    """Return the selected average of a fitted estimator as text, and what else its file of this many bytes holds."""
    run, name = model.trajectory_, scheme_name(model.averaging_)
    others = f"The file ({number(size / 1e6, 2)} MB) holds every other alpha"
    if not isinstance(run, Spectrum):
        steps = f"of {model.n_steps_:,} steps of size {model.step_:.4g}; {run.limited:,} steps were clipped"
        return f"Selected average: {name}, {steps}. {others} and tail: use predict --alpha or --averaging."
    exactly = "exactly" if run.complete else f"to a relative residual of {run.tolerance:.1g}"
    return f"Selected average: {name}, solved {exactly}. {others}: use predict --alpha."


def plain_target(model: TableModel) -> str | list[str] | None:
    """Return the name of the target, or a list of names, for JSON."""
    return model.target if model.target is None or isinstance(model.target, str) else list(model.target)


def choices(model: Any) -> Table:
    """Return the table of the best average of each kind."""
    selection = model.selection_
    table = Table(box=box.SIMPLE_HEAD, title=f"{len(selection)} averages, compared by {selection.method}")
    table.title_justify = "left"
    capped = "Errors of a few badly predicted rows are capped in this table." if _caps(model) else ""
    table.caption, table.caption_justify = " ".join(filter(None, (selection.note, capped))) or None, "left"
    for name in ("squared error", "+-"):
        table.add_column(name, justify="right")
    table.add_column("average", no_wrap=True)
    has_steps = not isinstance(model.trajectory_, Spectrum)
    if has_steps:
        table.add_column("step", justify="right")
    table.add_column("")
    for row in selection.best_of_kinds:
        mark = "<- chosen" if row.chosen else ""
        steps = [f"{row.step:.3g}"] if has_steps else []
        table.add_row(number(row.error, 5), number(row.standard_error, 2), scheme_name(row.scheme), *steps, mark)
    return table


def accuracy(model: Any, targets: Sequence[str] = (), logarithms: bool = False) -> str:
    """Return the errors of held-out predictions as text, beside those of always predicting the mean.

    Parameters
    ----------
    model : the fitted estimator.
    targets : names of the targets; may be empty.
    logarithms : whether the model predicts logarithms of the targets, of which all these errors are.
    """
    rows, selection = getattr(model, "held_out_", None), getattr(model, "selection_", None)
    if selection is None:
        return "No averages were compared and no row was held out: the error on new rows is not known."
    if rows is None and isinstance(model, RidgePathCV):
        return _left_out(model, selection, targets)
    if rows is None:
        return f"No row was held out ({selection.method}): the error on new rows is not known."
    where = (
        "On the last part of the stream, where each row is predicted before it is learned"
        if selection.method == PROGRESSIVE
        else f"On {quantity(rows.n_rows, 'held-out row')}"
    )
    is_selected = model.trajectory_.nearest(rows.scheme) == model.averaging_
    by = "" if is_selected else f", with {scheme_name(rows.scheme)}"
    of_logs = " of the logarithms" if logarithms else ""
    lines = []
    for target_index in range(len(rows.rmse)):
        name = targets[target_index] if targets else f"target {target_index}" if len(rows.rmse) > 1 else ""
        numbers = f"R^2{of_logs} {rows.r2[target_index]:.3f}, " if rows.variance[target_index] > 0 else ""
        lines.append(
            f"{where}{by}{f', {name}' if name else ''}: "
            f"squared error {number(rows.mean_squared_error[target_index], 5)}, {numbers}"
            f"typical error (RMSE) {number(rows.rmse[target_index])}; always predicting the mean: "
            f"{number(rows.rmse_of_mean[target_index])}."
        )
    if _caps(model):
        lines.append(
            "When alpha was chosen, the errors of a few badly predicted rows were capped; here they count in full."
        )
    return "\n".join(lines)


def _caps(model: Any) -> bool:
    """Return whether capped errors of outliers make the error of the comparison differ from that of all rows."""
    rows, selection = getattr(model, "held_out_", None), model.selection_
    if rows is None or selection is None or len(rows.rmse) != 1 or selection.method == PROGRESSIVE:
        return False
    chosen = selection.chosen
    capped = chosen.error < (1 - NOTABLE_CAP_EFFECT) * rows.mean_squared_error[0]
    return bool(rows.scheme == chosen.scheme and capped)


def _left_out(model: RidgePathCV, selection: Selection, targets: Sequence[str]) -> str:
    """Return the chosen average's error on left-out rows, where their predictions are not kept."""
    chosen, n_targets = selection.chosen, np.atleast_1d(model.intercept_).size
    where = f"On rows left out ({selection.method})"
    by = "" if chosen.scheme == model.averaging_ else f", with {scheme_name(chosen.scheme)}"
    if n_targets > 1:
        mean = f"a mean over {n_targets} targets in units of their variances"
        return f"{where}{by}: squared error {number(chosen.error, 5)}, {mean}."
    name = f", {targets[0]}" if targets else ""
    variance = model._fitted().averages.standardization.unit
    share = f"R^2 {1 - chosen.error / variance:.3f}, " if model.fit_intercept else ""
    typical = f"{share}typical error (RMSE) {number(chosen.error**0.5)}"
    return f"{where}{by}{name}: squared error {number(chosen.error, 5)}, {typical}."


def accuracy_values(model: Any) -> dict[str, Any] | None:
    """Return the numbers of `accuracy`, with one entry for each target; None if no row was held out."""
    rows = getattr(model, "held_out_", None)
    if rows is None:
        return None
    return {
        "rows": rows.n_rows,
        "mean_squared_error": rows.mean_squared_error.tolist(),
        "r2": [None if np.isnan(value) else value for value in rows.r2.tolist()],
        "rmse": rows.rmse.tolist(),
        "rmse_of_mean": rows.rmse_of_mean.tolist(),
    }


def coefficients(model: Any, names: list[str], targets: Sequence[str] = ()) -> Table:
    """Return a table of the largest coefficients with their path over alpha, largest effect first.

    An effect is the coefficient times the scale of its column: the change of the prediction when the column
    changes by one standard deviation (by its largest value, if rows are sparse).
    """
    scale = column_scale(model)
    alphas = plotted_alphas(model)
    if coefficient_intervals(model) is not None:
        alphas = alphas[::3]  # shorter bars, so that the numbers fit a terminal of 80 characters
    coefs = np.atleast_2d(model.coef_)  # (targets, features)
    with no_strength_warnings():
        path = model.path(alphas).coefs.reshape(len(alphas), *coefs.shape)
    effects = coefs * (np.ones(coefs.shape[1]) if scale is None else scale)
    order = np.argsort(-np.abs(effects), axis=None)[:MAX_SHOWN_COEFFICIENTS]
    sizes = np.abs(effects).ravel()[order]
    order = order[: max(1, np.count_nonzero(sizes > NEGLIGIBLE_EFFECT * sizes[0]))]
    places, features = np.unravel_index(order, effects.shape)
    title = (
        f"The {len(features)} largest of {effects.size:,} coefficients, and their path from alpha={alphas[0]:.1g} to "
    )
    table = Table(box=box.SIMPLE_HEAD, title=title + f"{alphas[-1]:.1g}", title_justify="left")
    table.add_column("feature", overflow="fold")
    intervals = coefficient_intervals(model)
    for name in ("coefficient", *([] if intervals is None else [f"{100 * INTERVAL_LEVEL:g}% interval"]), "effect"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("|coefficient|, weak to strong" if intervals is None else "weak-strong", no_wrap=True)
    if intervals is not None:
        table.caption, table.caption_justify = INTERVAL_NOTE, "left"
    for target, feature in zip(places, features, strict=True):
        along = path[:, target, feature]
        of = targets[target] if targets else f"target {target}"
        name = names[feature] if len(coefs) == 1 else f"{names[feature]} ({of})"
        numbers = [number(coefs[target, feature]), number(effects[target, feature])]
        if intervals is not None:
            low, high = intervals[target, feature]
            numbers.insert(1, f"{number(low)} to {number(high)}")
        table.add_row(name, *numbers, sparkline(np.abs(along)))
    return table


def plotted_alphas(model: Any) -> NDArray[np.float64]:
    """Return strengths from nearly no shrinkage to nearly complete shrinkage."""
    step = getattr(model, "step_", None)
    if step is None:
        return np.logspace(-6, 2, N_PLOTTED_ALPHAS)
    weakest = 0.1 / model.trajectory_.elapsed
    return np.geomspace(weakest, max(100.0, 100 * weakest), N_PLOTTED_ALPHAS)


def errors(model: Any) -> str | None:
    """Return a bar plot of the error of geometric averages over alpha; None if fewer than three were compared."""
    selection = getattr(model, "selection_", None)
    if selection is None:
        return None
    rows = [row for row in selection if row.alpha > 0 and row.step == selection.chosen.step]
    if len(rows) < 3:
        return None
    low, high = rows[0].alpha, rows[-1].alpha
    grid = np.geomspace(low, high, N_PLOTTED_ALPHAS)
    least, most = (bound(row.error for row in rows) for bound in (min, max))
    floor = max(least, SMALLEST_PLOTTED * most) or 1.0  # an error of 0 has no logarithm
    heights = np.log(np.maximum([row.error for row in rows], floor))
    curve = np.interp(np.log(grid), np.log([row.alpha for row in rows]), heights)
    return (
        f"Error of geometric averages from alpha={low:.1g} to {high:.1g} (smallest {number(least)}, largest "
        f"{number(most)}):\n"
        f"  {sparkline(curve - curve.min())}"
    )


def sparkline(values: NDArray[np.float64]) -> str:
    """Return values of 0 or more as bars of eight heights.

    Examples
    --------
    >>> sparkline(np.array([0.0, 1.0, 2.0, 7.0]))
    '▁▂▃█'
    """
    top = float(values.max()) if len(values) else 0.0
    heights = (
        np.zeros(len(values), int) if top == 0 else np.minimum(values / top * len(BAR_HEIGHTS), len(BAR_HEIGHTS) - 1)
    )
    return "".join(BAR_HEIGHTS[int(height)] for height in heights)
