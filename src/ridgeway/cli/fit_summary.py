"""The summary of `ridgeway fit`: the data, the solver, the choice, the error and the prediction interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ridgeway.averaging import Geometric
from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.cli.hints import leak_hint
from ridgeway.cli.model_text import accuracy, accuracy_values, fitted, plain_target
from ridgeway.intervals.conformal import SHOWN_COVERAGE
from ridgeway.messages.number_text import number
from ridgeway.messages.quantity import quantity
from ridgeway.selection.candidate_table import Selection, others_as_good
from ridgeway.tables import TableModel
from ridgeway.trajectory import Spectrum

MAX_LISTED_TARGETS = 3


def fit_summary(model: TableModel, in_time: bool = False) -> list[str]:
    """Return what a fit found, one line each: data, solver, choice, error (of each target), prediction interval.

    Parameters
    ----------
    model : the fitted model.
    in_time : whether the latest rows were held back, so that new rows are later than all that were learned from.
    """
    estimator = model.model
    interval = interval_line(estimator, model.target_names, model.log_target, in_time)
    errors = accuracy(estimator, model.target_names, model.log_target)
    hint = leak_hint(model)
    lines = [*fitted(model).splitlines(), choice_line(estimator), *errors.splitlines(), interval]
    return lines if hint is None else [*lines, hint]


def choice_line(estimator: Any) -> str:
    """Return a line with the selected average, the number of candidates and the method."""
    selection: Selection | None = estimator.selection_
    scheme = estimator.averaging_
    ridge = isinstance(scheme, Geometric)
    name = f"Strength: alpha={scheme.alpha:.4g}" if ridge else f"Average: {scheme_name(scheme)}"
    if selection is None:
        return f"{name}, as given: nothing was compared."
    as_good = others_as_good(selection.n_as_good)
    return f"{name}, chosen among {len(selection):,} by {selection.method}{as_good}."


def interval_line(estimator: Any, targets: Sequence[str], log_target: bool, in_time: bool = False) -> str:
    """Return how far new rows lie from their prediction, or why that is not known.

    Parameters
    ----------
    estimator : the fitted estimator.
    targets : names of the targets; may be empty.
    log_target : whether it predicts logarithms, whose intervals are factors of the target.
    in_time : whether new rows are later than all that were learned from.
    """
    try:
        sizes = estimator.interval_width(SHOWN_COVERAGE).sizes
    except ValueError as error:
        return f"No prediction interval: {error}"
    widths = [f"a factor of {number(np.exp(size))}" if log_target else number(size) for size in sizes]
    if len(widths) > 1:
        shown = [f"{width} ({name})" for width, name in zip(widths, targets, strict=True)][:MAX_LISTED_TARGETS]
        widths = [*shown, *([f"{len(sizes) - len(shown)} more"] if len(sizes) > len(shown) else [])]
    rows = quantity(len(estimator.held_out_.path), "held-out row")
    share = f"{100 * SHOWN_COVERAGE:g}%"
    within = f"lie within {', '.join(widths)} of the prediction"
    if in_time:
        return f"{share} of rows from the times of the fit {within} (from {rows}); later rows may lie further from it."
    return f"{share} of new rows like these {within} (from {rows})."


def interval_values(estimator: Any) -> dict[str, Any] | None:
    """Return the prediction interval as plain values, with one half-width for each target; None if there is none."""
    try:
        width = estimator.interval_width(SHOWN_COVERAGE)
    except ValueError:
        return None
    return {
        "coverage": SHOWN_COVERAGE,
        "half_width": width.sizes.tolist(),
        "rows": len(estimator.held_out_.path),
        "method": estimator.interval_method_,
    }


def fit_values(result: TableModel) -> dict[str, Any]:
    """Return the result of a fit as plain values."""
    estimator = result.model
    exact = isinstance(estimator.trajectory_, Spectrum)
    selection = estimator.selection_
    return {
        "target": plain_target(result),
        "rows": result.facts.rows,
        "left_out": result.facts.left_out,
        "solver": result.facts.solver,
        "solver_reason": result.facts.solver_reason,
        "passes": result.facts.passes,
        "streamed": result.facts.streamed,
        "features": estimator.n_features_in_,
        "averaging": estimator.averaging_.state(),
        "alpha": estimator.alpha_,
        "step": None if exact else estimator.step_,
        "n_steps": None if exact else estimator.n_steps_,
        "error": None if selection is None else selection.chosen.error,
        "standard_error": None if selection is None else selection.chosen.standard_error,
        "chosen_by": None if selection is None else selection.method,
        "held_out": accuracy_values(estimator),
        "interval": interval_values(estimator),
    }
