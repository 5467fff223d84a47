"""`ridgeway fit`: learn from a file."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any

import click

from ridgeway.cli.average_option import AVERAGE_NAMES, Average, NumberOrAuto
from ridgeway.cli.column_kinds import kinds_of
from ridgeway.cli.config_file import config_options, write_config
from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command
from ridgeway.cli.evaluate import say_evaluation
from ridgeway.cli.failure import Interrupted
from ridgeway.cli.fit_checks import is_on_cluster, needs_files, require_consistent
from ridgeway.cli.rows_to_test import (
    FoundOnTest,
    RowsToTest,
    held_back_rows,
    of_data,
    page_of_test_rows,
    require_group_column,
)
from ridgeway.cli.source_options import given_data, require_files, source_options
from ridgeway.data.address import hidden
from ridgeway.estimators.solver_facts import solvers_that_can
from ridgeway.messages.progress import announce

EPILOG = """\b
Tables of up to 2,000 encoded columns are solved exactly by Gram matrices (gram), in one read of the file. Tables with
more columns are solved in memory (krylov), if they fit in it (--memory), and otherwise by averaged SGD (sgd). The order
of the rows does not matter: SGD reads files in random order. Compressed files are the exception for SGD, as they can
only be read from start to end: if such a file is sorted and does not fit in memory, the fit warns; unpack the file, or
convert it to Parquet.
"""


@make_command(epilog=EPILOG)
@click.argument("data", required=False)
@source_options
@click.option("--target", metavar="COLUMN", multiple=True,
              help="The column to predict (not for LIBSVM files); may be repeated.")  # fmt: skip
@click.option("--model", metavar="FILE", help="Write the model to this file (.safetensors).")
@click.option("--report", metavar="FILE",
              help="Write the report to this file (.html); that of test rows to FILE-test.html beside it.")  # fmt: skip
@click.option("--solver", type=click.Choice(solvers_that_can()), default="auto",
              help="Solver; auto chooses it from the numbers of rows and columns.")  # fmt: skip
@click.option("--averaging", type=Average(), default="auto",
              help=f"{', '.join(AVERAGE_NAMES)} or tail:0.5; all except auto and geometric imply sgd.")  # fmt: skip
@click.option("--alpha", type=NumberOrAuto(float), default="auto", help="Ridge strength of a geometric average.")
@click.option("--passes", type=NumberOrAuto(int), default="auto", help="Number of passes of SGD; implies sgd.")
@click.option(
    "--cv",
    type=NumberOrAuto(int, "loo", "holdout", "progressive", "gcv"),
    default="auto",
    help="How to select alpha or the average: a number of folds, loo, holdout, or, with sgd, progressive or gcv.",
)
@click.option("--drop", metavar="COLUMN", multiple=True, help="Drop this column; may be repeated.")
@click.option("--only", metavar="COLUMN", multiple=True, help="Use only this column; may be repeated.")
@click.option("--kind", "kinds", metavar="COLUMN=KIND", multiple=True, callback=kinds_of,
              help="Override the detected kind of a column: number, boolean, category, text, time, day-first, "
              "month-first, year-first (dates) or drop; may be repeated.")  # fmt: skip
@click.option("--null-values", metavar="TEXT", multiple=True,
              help="Another spelling of a missing value in CSV files, such as -999, beside NA, null, ? and the like; "
              "may be repeated.")  # fmt: skip
@click.option("--levels", metavar="N", type=click.IntRange(1), default=255, show_default=True,
              help="Maximum number of levels of a category with their own features; others are hashed.")  # fmt: skip
@click.option("--weight", metavar="COLUMN", help="Weights of the rows, 0 or more.")
@click.option("--log-target", is_flag=True, help="Predict the logarithm of the target, which must be above 0.")
@click.option("--kernel", metavar="NAME", help="Fit a kernel model (rbf, laplacian, ...) instead of a linear model.")
@click.option(
    "--gamma", type=NumberOrAuto(float), help="Parameter of the kernel; by default 1 over the number of features."
)
@click.option(
    "--components",
    type=click.IntRange(1),
    help="Number of random features that replace the exact kernel; for many rows.",
)
@click.option("--test", "test_file", metavar="FILE", help="Evaluate the model on this file.")
@click.option("--test-share", metavar="SHARE", type=float,
              help="Hold this share of the rows back, such as 0.2, and evaluate the model on them.")  # fmt: skip
@click.option("--time", "time_column", metavar="COLUMN",
              help="With --test-share: hold back the rows with the latest values of this column.")  # fmt: skip
@click.option("--by", metavar="COLUMN", help="With test rows: show the errors of each value of this column.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed for shuffling and fold assignment.")  # fmt: skip
@click.option("--memory", metavar="MB", type=click.IntRange(0),
              help="Maximum memory for encoded rows; 0 always streams.  [default: 1/4 of free memory]")  # fmt: skip
@click.option("--checkpoint", metavar="FILE", help="Write checkpoints to this file; the same command resumes from it.")
@click.option("--checkpoint-every", metavar="ROWS", type=click.IntRange(1), default=1_000_000, show_default=True,
              help="Rows between two checkpoints; Ctrl-C writes one, too.")  # fmt: skip
@click.option("--dask", "address", metavar="ADDRESS", help="Run on the cluster of this dask scheduler.")
@click.option("--workers", metavar="N", type=click.IntRange(1), help="Run on a dask cluster of N local processes.")
@click.option("--chains", type=NumberOrAuto(int, "workers"), default="auto",
              help="Number of runs of SGD on disjoint parts of the rows, which are averaged; needs a cluster and "
              "implies sgd. 'workers' takes one for each worker.")  # fmt: skip
@config_options
def command(
    console: Console,
    data: str | None,
    query: str | None,
    table: str | None,
    target: tuple[str, ...],
    model: str | None,
    report: str | None,
    memory: int | None,
    checkpoint: str | None,
    checkpoint_every: int,
    drop: tuple[str, ...],
    only: tuple[str, ...],
    address: str | None,
    workers: int | None,
    chains: int | str,
    test_file: str | None,
    test_share: float | None,
    time_column: str | None,
    by: str | None,
    **options: Any,
) -> None:
    """Learn from a CSV, Parquet, Feather or LIBSVM file of any size (or a folder, or a pattern).

    DATA may also be a database (postgresql://, sqlite://, a DuckDB or SQLite file), a remote file (s3://, gs://,
    https://) or an Excel workbook.
    """
    from ridgeway.cli.command_files import command_files, require_data

    if (config := write_config(click.get_current_context())) is not None:
        console.say(f"Written: {config}. Nothing was fitted; run: ridgeway fit --config {shlex.quote(str(config))}")
        return
    given = click.get_current_context().params
    require_consistent(given)
    on_cluster, only_files = is_on_cluster(given), needs_files(given)
    test_report = None if test_file is None and test_share is None else page_of_test_rows(report)
    outputs = {"--model": model, "--report": report, "the page of test rows": test_report, "--checkpoint": checkpoint}
    inputs = given_data(data, query) | ({} if test_file is None else {"--test": test_file})
    with command_files(inputs, outputs, only_files) as files, ExitStack() as parts:
        announce("Opening the data", console.progress)  # before the libraries are loaded
        found_data = require_data(files.get("DATA"), query, table)
        require_files(found_data, "--dask or --workers" if on_cluster else None)
        learned, tested = found_data, files.get("--test")
        require_group_column(by, found_data if tested is None else tested)
        request_of = partial(_request, target, drop, only, options)  # loads libraries
        if test_share is not None:
            test_rows = held_back_rows(console, learned, request_of(), test_share, time_column)
            learned, tested = parts.enter_context(test_rows)
        state = _checkpoint(console, checkpoint, checkpoint_every)
        fit = partial(_fitted, console, learned, request_of, given, state)
        given_file = None if test_file is None else hidden(test_file)
        test = None if tested is None else RowsToTest(tested, by, time_column, test_report, given_file)
        named = fit if test_share is None else lambda: of_data(fit(), found_data)
        result, found = _fit_and_write(named, test, state, model, report)
    _print_result(console, result, model, report, test_report, found, time_column is not None)
    if checkpoint is not None and not (result.facts.streamed or on_cluster):
        console.say("No checkpoint was written: the rows fit in memory, and such a fit has nothing to resume from.")


def _request(target: tuple[str, ...], drop: tuple[str, ...], only: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Return what to fit."""
    from ridgeway.tables import Request

    named: Any = target if len(target) > 1 else target[0] if target else None
    return Request(target=named, drop=drop, only=only or None, **options)


def _fitted(console: Console, data: Any, request_of: Callable[[], Any], given: dict[str, Any], checkpoint: Any) -> Any:
    """Return the model that is fitted to a table, on a cluster if the options that are given name one."""
    from ridgeway.tables import fit_table

    request = request_of()
    if is_on_cluster(given):
        chains = 1 if given["chains"] == "auto" else given["chains"]
        return fit_on_cluster(console, data, request, given["address"], given["workers"], chains, checkpoint)
    memory = None if given["memory"] is None else given["memory"] << 20
    return fit_table(data, request, memory=memory, checkpoint=checkpoint, progress=console.progress)


def _checkpoint(console: Console, path: str | None, every: int) -> Any:
    """Return the checkpoint of a fit, or None."""
    if path is None:
        return None
    if os.path.exists(path):
        console.say(f"Resuming from {path}.")
    from ridgeway.storage.checkpoint import Checkpoint

    return Checkpoint(path, every)


def _fit_and_write(
    fit: Callable[[], Any], test: RowsToTest | None, state: Any, model: str | None, report: str | None
) -> tuple[Any, FoundOnTest | None]:
    """Fit, evaluate the test rows, write model and report, and only then remove the checkpoint.

    Test rows that cannot be evaluated are an error after the model is written: a fit may have taken hours.
    """
    from ridgeway.storage.atomic_file import remove_partials

    begun = time.perf_counter()
    try:
        with nullcontext() if state is None else state:
            if state is not None:  # an earlier run may have been killed while it wrote
                for name in (model, report):
                    if name is not None:
                        remove_partials(name)
            result = fit()
            seconds, found, failure = time.perf_counter() - begun, None, None
            try:
                found = None if test is None else test.evaluate(result)
            except Exception as error:
                failure = error
            with ExitStack() as files:
                write(files, result, model, report, seconds, None if found is None else found.stated)
            if state is not None:
                state.done()
    except KeyboardInterrupt:
        raise Interrupted(_how_to_resume(state)) from None
    if failure is not None:
        raise failure
    return result, found


def _print_result(
    console: Console,
    result: Any,
    model: str | None,
    report: str | None,
    test_report: str | None,
    test: FoundOnTest | None,
    in_time: bool,
) -> None:
    """Print the result of a fit."""
    from ridgeway.cli.fit_summary import fit_summary, fit_values

    for line in fit_summary(result, in_time):
        console.say(line)
    if test is not None:
        on = "the test rows, which were not learned from" if test.file is None else f"the rows of {test.file}"
        console.say(f"On {on}:")
        say_evaluation(console, test.found)
        for line in (test.stated.caution, *test.hints, "" if test.file is not None else _final_fit()):
            if line:
                console.say(line)
    for name in (model, report, test_report):
        if name is not None:
            console.say(f"Written: {name}")
    if model is None:
        console.say("The model was not saved: add --model FILE to save it.")
    else:
        console.say(f"The comparison and the coefficients: ridgeway show {shlex.quote(model)}")
    console.result(
        {
            "model": model,
            "report": report,
            "test_report": test_report,
            **fit_values(result),
            "test": None if test is None else test.found.values(),
        }
    )


def _final_fit() -> str:
    """Return how to learn from the rows that were held back, too."""
    given = click.get_current_context().params
    options = [f"--test-share {given['test_share']:g}"]
    if given["time_column"] is not None:
        options.append(shlex.join(["--time", given["time_column"]]))
    if given["by"] is not None:
        options.append(shlex.join(["--by", given["by"]]))
    return (
        "The model has not learned from the test rows. To learn from all rows, run the same command without "
        f"{' '.join(options)}."
    )


def fit_on_cluster(
    console: Console,
    data: str,
    request: Any,
    address: str | None,
    workers: int | None,
    chains: int | str,
    checkpoint: Any,
) -> Any:
    """Fit on a dask cluster, and print the address of its dashboard."""
    from ridgeway.dask.cluster_client import executor_of
    from ridgeway.tables.distributed import fit_table_on

    executor = executor_of(address, workers)
    try:
        console.say(f"Workers: {executor.n_workers}. Dashboard: {executor.dashboard}")
        return fit_table_on(executor, data, request, chains=chains, checkpoint=checkpoint, progress=console.progress)
    finally:
        executor.close()


def write(
    files: ExitStack, result: Any, model: str | None, report: str | None, seconds: float | None, test: Any = None
) -> None:
    """Write model and report, with the result of test rows: both files, or neither if anything fails."""
    from ridgeway.storage.atomic_file import atomic_path

    if model is not None:
        result.save(files.enter_context(atomic_path(model)))
    if report is not None:
        from ridgeway.cli.report import write_table_report

        write_table_report(result, files.enter_context(atomic_path(report)), seconds, test)


def _how_to_resume(state: Any) -> str:
    again = hidden(" ".join(["ridgeway", *sys.argv[1:]]))
    if state is None:
        return "Nothing was written. Add --checkpoint FILE to be able to resume an interrupted fit."
    if not state.path.exists():
        return (
            "No checkpoint was written: no rows were learned yet, or they all fit in memory. Start again with the same "
            f"command:\n  {again}"
        )
    return f"The checkpoint is in {state.path}. Resume with the same command:\n  {again}"
