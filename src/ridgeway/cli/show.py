"""`ridgeway show`: print what a model file holds."""

from __future__ import annotations

import os

import click

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command
from ridgeway.messages.quantity import quantity


@make_command()
@click.argument("model")
@click.option("--columns", is_flag=True, help="Also print how each column of the table was encoded.")
def command(console: Console, model: str, columns: bool) -> None:
    """Print what a model file holds: the comparison of averages, the largest coefficients, the path."""
    from ridgeway.cli.command_files import command_files
    from ridgeway.cli.reading_models import load_model, parts_of

    with command_files({"MODEL": model}, {}) as files:
        loaded, size = load_model(files["MODEL"]), os.path.getsize(files["MODEL"])

    import numpy as np

    from ridgeway.cli.kernel_effects import kernel_effects
    from ridgeway.cli.model_text import (
        accuracy,
        accuracy_values,
        choices,
        coefficients,
        errors,
        fitted,
        kernel_line,
        plain_target,
        selected_average,
    )
    from ridgeway.estimators import AveragedKernelRegressor, RidgePathCV
    from ridgeway.estimators.coefficient_intervals import coefficient_intervals, why_no_intervals
    from ridgeway.estimators.solver_facts import describe_solver

    estimator, table, names = parts_of(loaded)
    console.say(f"{model}: {type(loaded).__name__}")
    if table is not None:
        console.say(fitted(table))
    if columns and table is not None and table.encoder is not None:
        console.say(str(table.encoder.describe()))
    averaging = getattr(estimator, "averaging_", None)
    if averaging is None:
        console.say(
            f"Exact ridge path of {quantity(estimator.n_features_in_, 'column')}, at alpha={estimator.alpha_:g}."
        )
    else:
        if table is None and isinstance(estimator, RidgePathCV):
            console.say(f"Solver: {describe_solver(estimator.solver_, estimator.solver_reason_)}.")
        if table is None and isinstance(estimator, AveragedKernelRegressor):
            console.say(kernel_line(estimator))
        console.say(selected_average(estimator, size))
    if getattr(estimator, "selection_", None) is not None:
        console.say(choices(estimator))
    if averaging is not None:
        console.say(
            accuracy(estimator, () if table is None else table.target_names, table is not None and table.log_target)
        )
    if (curve := errors(estimator)) is not None:
        console.say(curve)
    targets = () if table is None else table.targets
    if isinstance(estimator, AveragedKernelRegressor):
        console.say(kernel_effects(estimator, names, targets))
    else:
        console.say(coefficients(estimator, names, targets))
        if (reason := why_no_intervals(estimator)) is not None:
            console.say(reason)
    intervals = coefficient_intervals(estimator)
    console.result(
        {
            "model": model,
            "kind": type(loaded).__name__,
            "target": None if table is None else plain_target(table),
            "averaging": None if averaging is None else averaging.state(),
            "alpha": estimator.alpha_,
            "intercept": np.asarray(estimator.intercept_).tolist(),
            "features": names,
            "coefficients": estimator.coef_.tolist(),
            "coefficient_intervals": None if intervals is None else intervals.tolist(),
            "selection": None if getattr(estimator, "selection_", None) is None else estimator.selection_.state(),
            "held_out": accuracy_values(estimator),
        }
    )
