"""`ridgeway evaluate`: compare the predictions of a model with the actual values of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ridgeway.cli.average_option import Average, require_one
from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command
from ridgeway.cli.source_options import given_data, source_options
from ridgeway.data.address import hidden
from ridgeway.messages.number_text import number
from ridgeway.messages.quantity import quantity

NOTABLE_SHORTFALL = 0.15  # of the coverage of a tenth, from which --normalized is suggested
NOTABLE_BIAS = 0.5  # of the typical error of a tenth, from which the mean error explains the shortfall


@make_command()
@click.argument("model")
@click.argument("data", required=False)
@source_options
@click.option("--by", metavar="COLUMN", help="Show the errors of each value of this column.")
@click.option("--interval", metavar="COVERAGE", type=float, default=0.9, show_default=True,
              help="Coverage of the prediction intervals to check.")  # fmt: skip
@click.option("--normalized", is_flag=True, help="Check intervals that are wider where errors are larger.")
@click.option("--time", metavar="COLUMN", help="Compare with the last value, in the order of this column.")
@click.option("--alpha", type=float, help="Evaluate another ridge strength.")
@click.option("--averaging", type=Average(), help="Evaluate another average: tail:0.5, uniform, last, ...")
@click.option("--report", metavar="FILE", help="Also write the evaluation as one HTML page (.html).")
def command(
    console: Console,
    model: str,
    data: str | None,
    query: str | None,
    table: str | None,
    by: str | None,
    interval: float,
    normalized: bool,
    time: str | None,
    alpha: float | None,
    averaging: Any,
    report: str | None,
) -> None:
    """Compare the predictions of a model with the actual values of a file.

    The file must contain the target, and rows that the model has not learned from. The command prints the errors, the
    share of rows within prediction intervals, means by tenths of the prediction, errors by group, and the best alpha
    for these rows.
    """
    from ridgeway.cli.command_files import command_files, require_data
    from ridgeway.cli.reading_models import load_table_model
    from ridgeway.storage.model_file import require_header

    require_share(interval)
    average = require_one(alpha, averaging)
    with command_files({"MODEL": model, **given_data(data, query)}, {"--report": report}) as files:
        require_header(files["MODEL"])
        rows = require_data(files.get("DATA"), query, table)
        fitted = load_table_model(files["MODEL"])
        fitted = fitted if average is None else fitted.at(average)
        from ridgeway.evaluation import evaluate

        found = evaluate(
            fitted, rows, by=by, coverage=interval, normalized=normalized, time=time, progress=console.progress
        )
        name = None if data is None else hidden(data)
        if report is not None:
            from ridgeway.report import write_evaluation

            shown = name if isinstance(rows, str) else hidden(rows.name)  # of a database, this names the table
            write_evaluation(found, report, f"{Path(model).name} on {shown}")
    say_evaluation(console, found)
    if report is not None:
        console.say(f"Written: {report}")
    console.result({"model": model, "data": name, **found.values(), "report": report})


def require_share(interval: float) -> None:
    """Refuse a coverage that no interval can have."""
    if not 0 < interval < 1:
        raise click.UsageError(f"--interval {interval:g}: expected a share of rows between 0 and 1, such as 0.9.")


def say_evaluation(console: Console, found: Any) -> None:
    """Print an evaluation."""
    from ridgeway.cli.evaluation_text import calibration, groups

    for sentence in found.sentences():
        console.say(sentence)
    if found.left_out:
        console.say(f"{quantity(found.left_out, 'row')} without target or weight left out.")
    for target_index, name in enumerate(found.targets):
        console.say(calibration(found.calibration[target_index], name if len(found.targets) > 1 else ""))
        if found.groups:
            console.say(groups(found, target_index))
    for caution in found.cautions:
        console.say(caution)
    intervals, tenth = found.intervals, found.least_covered_tenth
    if intervals is None or intervals.normalized or tenth is None:
        return
    if tenth.covered >= intervals.coverage - NOTABLE_SHORTFALL:
        return
    only = (
        f"In one tenth of the predictions, intervals of coverage {intervals.coverage:g} hold only "
        f"{100 * tenth.covered:.1f}% of the rows: "
    )
    if abs(tenth.actual - tenth.predicted) > NOTABLE_BIAS * tenth.rmse:
        console.say(
            f"{only}predictions there are biased, with a mean of {number(tenth.predicted)} where the mean of the "
            f"actual values is {number(tenth.actual)}."
        )
        return
    console.say(
        f"{only}errors there are larger than elsewhere. With --normalized, `evaluate` and `predict` make intervals "
        "wider where errors are larger."
    )
