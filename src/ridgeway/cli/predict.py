"""`ridgeway predict`: predict the rows of a file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ridgeway.cli.average_option import Average, require_one
from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command
from ridgeway.cli.evaluate import require_share
from ridgeway.cli.source_options import given_data, source_options
from ridgeway.data.address import hidden
from ridgeway.messages.quantity import quantity

if TYPE_CHECKING:
    from ridgeway.tables.table_prediction import Predicted


@make_command()
@click.argument("model")
@click.argument("data", required=False)
@source_options
@click.option("--out", metavar="FILE", help="File to write (.parquet or .csv); by default CSV on standard output.")
@click.option("--alpha", type=float, help="Predict at another ridge strength.")
@click.option("--averaging", type=Average(), help="Predict with another average: tail:0.5, uniform, last, ...")
@click.option("--interval", metavar="COVERAGE", type=float,
              help="Add prediction intervals with this coverage, such as 0.9.")  # fmt: skip
@click.option("--normalized", is_flag=True, help="Make intervals wider where errors are larger; needs --interval.")
def command(
    console: Console,
    model: str,
    data: str | None,
    query: str | None,
    table: str | None,
    out: str | None,
    alpha: float | None,
    averaging: Any,
    interval: float | None,
    normalized: bool,
) -> None:
    """Predict the rows of a file.

    The output holds all columns of the input, followed by the prediction. Columns that the model was
    not fitted to are ignored.
    """
    from ridgeway.cli.command_files import command_files, require_data
    from ridgeway.cli.pipes import STANDARD_OUTPUT
    from ridgeway.cli.reading_models import load_table_model
    from ridgeway.storage.model_file import require_header

    if out is None or out in STANDARD_OUTPUT:
        if console.as_json:
            raise click.UsageError("--json and the predictions would both use standard output: add --out FILE.")
        out, console.text_to_error = None, True
    average = require_one(alpha, averaging)
    if normalized and interval is None:
        raise click.UsageError("--normalized needs intervals: add --interval 0.9.")
    if interval is not None:
        require_share(interval)
    with command_files({"MODEL": model, **given_data(data, query)}, {"--out": out}) as files:
        require_header(files["MODEL"])
        found = require_data(files.get("DATA"), query, table)
        from ridgeway.tables import predict_table

        fitted = load_table_model(files["MODEL"])
        fitted = fitted if average is None else fitted.at(average)
        shown = console.progress and out is not None
        done = predict_table(fitted, found, out, interval=interval, normalized=normalized, progress=shown)
    _say_result(console, done, fitted.targets, _evaluate_command(model, data, query, table), out)
    console.result(
        {
            "rows": done.rows,
            "out": out,
            "column": done.columns[0] if len(done.columns) == 1 else list(done.columns),
            "ignored": list(done.ignored),
            "unseen_levels": {name: rows for name, (rows, _) in done.unseen.items()},
            "averaging": fitted.model.averaging_.state(),
            "interval": interval,
            "interval_method": None if interval is None else fitted.model.interval_method_,
        }
    )


def _say_result(console: Console, done: Predicted, targets: Sequence[str], evaluate: str, out: str | None) -> None:
    """Say what was predicted and what was ignored.

    Parameters
    ----------
    console : where to.
    done : what was predicted.
    targets : of the model.
    evaluate : the command that compares the rows with their predictions, for a table that has targets.
    out : the file that was written; None for standard output.
    """
    known = [name for name in targets if name in done.ignored]
    if known:
        target = ", ".join(map(repr, known))
        console.say(f"The table has {target}, the target: to compare it with the predictions, run {evaluate}")
    ignored = [name for name in done.ignored if name not in known]
    if ignored:
        console.say(f"Ignored columns (not used by the model): {', '.join(ignored)}.")
    if done.unseen:
        unseen = ", ".join(
            f"{name!r} ({quantity(rows, 'row')}, such as {level!r})" for name, (rows, level) in done.unseen.items()
        )
        console.say(f"Levels that the fit has not seen, which add nothing to a prediction: {unseen}.")
    where = "to standard output" if out is None else f"to {out}"
    last = "column is" if len(done.columns) == 1 else "columns are"
    names = ", ".join(map(repr, done.columns))
    console.say(f"{quantity(done.rows, 'row')} predicted {where}; the last {last} {names}.")


def _evaluate_command(model: str, data: str | None, query: str | None, table: str | None) -> str:
    """Return the command that evaluates the same rows, to be pasted into a shell.

    If the rows came from a pipe they cannot be read again, so the command says DATA instead.
    """
    from ridgeway.cli.pipes import file_behind

    words = ["ridgeway", "evaluate", model]
    if data is not None:
        words.append("DATA" if file_behind(data) is None else hidden(data))
    for option, value in (("--query", query), ("--table", table)):
        words += [] if value is None else [option, hidden(value)]
    return shlex.join(words)
