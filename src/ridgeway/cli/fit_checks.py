"""Checks of the options of `ridgeway fit` against each other, before anything is read."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import click

from ridgeway.cli.rows_to_test import require_test_rows
from ridgeway.estimators.solver_facts import Ability, solvers_that_can

OTHER_ENDINGS = (".pkl", ".pickle", ".joblib", ".onnx", ".pt", ".h5")  # of models in other formats

GIVEN_BY_DEFAULT = click.core.ParameterSource.DEFAULT


def require_consistent(given: dict[str, Any]) -> None:
    """Refuse options that contradict each other, or that this fit would ignore.

    Parameters
    ----------
    given : the parameters of the command by name.
    """
    _require_model_ending(given["model"])
    _require_kernel_options(given)
    _require_cluster_options(given)
    on_cluster = is_on_cluster(given)
    _require_obeyed(on_cluster, given["checkpoint"])
    require_test_rows(given["test_file"], given["test_share"], given["time_column"], given["by"], needs_files(given))


def is_on_cluster(given: dict[str, Any]) -> bool:
    """Return whether the fit runs on a dask cluster."""
    return given["address"] is not None or given["workers"] is not None


def needs_files(given: dict[str, Any]) -> str | None:
    """Return the option that needs the table in files, as text for a message; None if there is none."""
    return "--checkpoint" if given["checkpoint"] else "--dask or --workers" if is_on_cluster(given) else None


def _require_model_ending(path: str | None) -> None:
    """Refuse the ending of another format for the model file."""
    ending = "" if path is None else PurePath(path).suffix.lower()
    if path is not None and ending in OTHER_ENDINGS:
        right = PurePath(path).with_suffix(".safetensors")
        raise click.UsageError(
            f"--model {path}: a model is written in the format safetensors, not as {ending}: expected a name that ends "
            f"in .safetensors; give --model {right}."
        )


def _require_kernel_options(given: dict[str, Any]) -> None:
    kernel, components, solver = given["kernel"], given["components"], given["solver"]
    if kernel is None and (given["gamma"] is not None or components is not None):
        raise click.UsageError("--gamma and --components need a kernel: add --kernel rbf.")
    if kernel is not None and solver not in (known := solvers_that_can(Ability.KERNELS)):
        raise click.UsageError(
            f"--solver {solver} with --kernel: expected {', '.join(known[:-1])} or {known[-1]}; leave out --solver, "
            "and Gram matrices are used if --components are few."
        )
    if kernel == "rbf" and components is not None and given["report"] is not None:
        raise click.UsageError(
            "--report cannot show the effects of columns with --kernel rbf --components: leave out --report or "
            "--components."
        )


def _require_cluster_options(given: dict[str, Any]) -> None:
    if given["chains"] != "auto" and not is_on_cluster(given):
        raise click.UsageError("--chains needs a cluster: add --dask ADDRESS or --workers N.")
    if given["address"] is not None and given["workers"] is not None:
        raise click.UsageError("--dask and --workers are both given: expected one of them.")


def _require_obeyed(on_cluster: bool, checkpoint: str | None) -> None:
    """Refuse options that this fit would ignore."""
    context = click.get_current_context()
    given = {
        name for name in ("memory", "checkpoint_every") if context.get_parameter_source(name) is not GIVEN_BY_DEFAULT
    }
    if on_cluster and "memory" in given:
        raise click.UsageError(
            "--memory has no effect on a cluster, which loads one partition at a time: leave it out; set the memory of "
            "the workers where they are started."
        )
    if on_cluster and "checkpoint_every" in given:
        raise click.UsageError(
            "--checkpoint-every has no effect on a cluster, which writes a checkpoint every 30 seconds: leave it out."
        )
    if checkpoint is None and "checkpoint_every" in given:
        raise click.UsageError("--checkpoint-every needs a checkpoint: add --checkpoint FILE.")
