"""`ridgeway show`: print what a model file holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command
from ridgeway.messages.quantity import quantity

if TYPE_CHECKING:
    from ridgeway.tables import TableModel


@make_command()
@click.argument("model")
@click.option("--columns", is_flag=True, help="Also print how each column of the table was encoded.")
def command(console: Console, model: str, columns: bool) -> None:
    """Print what a model file holds: the comparison of averages, the largest coefficients, the path."""
    from ridgeway.cli.command_files import command_files
    from ridgeway.cli.reading_models import load_model, parts_of

    with command_files({"MODEL": model}, {}) as files:
        loaded, size = load_model(files["MODEL"]), os.path.getsize(files["MODEL"])
    console.say(f"{model}: {type(loaded).__name__}")
    estimator, table, names = parts_of(loaded)
    for text in _texts(estimator, table, names, size, columns):
        console.say(text)
    console.result({"model": model, "kind": type(loaded).__name__, **_values(estimator, table, names)})


def _texts(estimator: Any, table: TableModel | None, names: list[str], size: int, columns: bool) -> Iterator[Any]:
    """Yield texts and tables on a model: the fit, the choice, the error, and the effects of the columns.

    Parameters
    ----------
    estimator : the fitted estimator.
    table : the table model that it belongs to; None without one.
    names : of its features.
    size : bytes of the file.
    columns : whether to say how each column of the table was encoded.
    """
    from ridgeway.cli.kernel_effects import kernel_effects
    from ridgeway.cli.model_text import accuracy, choices, coefficients, errors, fitted, kernel_line, selected_average
    from ridgeway.estimators import AveragedKernelRegressor, RidgePathCV
    from ridgeway.estimators.coefficient_intervals import why_no_intervals
    from ridgeway.estimators.solver_facts import describe_solver

    if table is not None:
        yield fitted(table)
        if columns and table.encoder is not None:
            yield str(table.encoder.describe())
    if getattr(estimator, "averaging_", None) is None:
        yield f"Exact ridge path of {quantity(estimator.n_features_in_, 'column')}, at alpha={estimator.alpha_:g}."
    else:
        if table is None and isinstance(estimator, RidgePathCV):
            yield f"Solver: {describe_solver(estimator.solver_, estimator.solver_reason_)}."
        if table is None and isinstance(estimator, AveragedKernelRegressor):
            yield kernel_line(estimator)
        yield selected_average(estimator, size)
        if estimator.selection_ is not None:
            yield choices(estimator)
        yield accuracy(estimator, () if table is None else table.target_names, table is not None and table.log_target)
    if (curve := errors(estimator)) is not None:
        yield curve
    targets = () if table is None else table.targets
    if isinstance(estimator, AveragedKernelRegressor):
        yield kernel_effects(estimator, names, targets)
    else:
        yield coefficients(estimator, names, targets)
        if (reason := why_no_intervals(estimator)) is not None:
            yield reason


def _values(estimator: Any, table: TableModel | None, names: list[str]) -> dict[str, Any]:
    """Return a model as plain values."""
    import numpy as np

    from ridgeway.cli.model_text import accuracy_values, plain_target
    from ridgeway.estimators.coefficient_intervals import coefficient_intervals

    averaging, selection = getattr(estimator, "averaging_", None), getattr(estimator, "selection_", None)
    intervals = coefficient_intervals(estimator)
    return {
        "target": None if table is None else plain_target(table),
        "averaging": None if averaging is None else averaging.state(),
        "alpha": estimator.alpha_,
        "intercept": np.asarray(estimator.intercept_).tolist(),
        "features": names,
        "coefficients": estimator.coef_.tolist(),
        "coefficient_intervals": None if intervals is None else intervals.tolist(),
        "selection": None if selection is None else selection.state(),
        "held_out": accuracy_values(estimator),
    }
