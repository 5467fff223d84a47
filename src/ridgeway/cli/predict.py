"""`ridgeway predict`: predict the rows of a file."""

from __future__ import annotations

from typing import Any

import click

from ridgeway.cli.average_option import Average, require_one
from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command
from ridgeway.cli.source_options import given_data, source_options


@make_command()
@click.argument("model")
@click.argument("data", required=False)
@source_options
@click.option("--out", metavar="FILE", help="File to write (.parquet or .csv); by default CSV on standard output.")
@click.option("--alpha", type=float, help="Predict at another ridge strength.")
@click.option("--averaging", type=Average(), help="Predict with another average: tail:0.5, uniform, last, ...")
def command(
    console: Console,
    model: str,
    data: str | None,
    query: str | None,
    table: str | None,
    out: str | None,
    alpha: float | None,
    averaging: Any,
) -> None:
    """Predict the rows of a file.

    The output holds all columns of the input, followed by the prediction. The model ignores columns that it does not
    know.
    """
    from ridgeway.cli.command_files import command_files, require_data
    from ridgeway.cli.models import load_table_model
    from ridgeway.cli.pipes import STANDARD_OUTPUT
    from ridgeway.storage.model_file import require_header

    if out is None or out in STANDARD_OUTPUT:
        if console.as_json:
            raise click.UsageError("--json and the predictions would both use standard output: add --out FILE.")
        out, console.text_to_error = None, True
    average = require_one(alpha, averaging)
    with command_files({"MODEL": model, **given_data(data, query)}, {"--out": out}) as files:
        require_header(files["MODEL"])
        found = require_data(files.get("DATA"), query, table)
        from ridgeway.tables import predict_table

        fitted = load_table_model(files["MODEL"])
        fitted = fitted if average is None else fitted.at(average)
        done = predict_table(fitted, found, out, progress=console.progress and out is not None)
    if done.ignored:
        console.say(f"Ignored columns, which the model does not know: {', '.join(done.ignored)}.")
    where = "to standard output" if out is None else f"to {out}"
    last = "column is" if len(done.columns) == 1 else "columns are"
    console.say(f"{done.rows:,} rows predicted {where}; the last {last} {', '.join(map(repr, done.columns))}.")
    console.result(
        {
            "rows": done.rows,
            "out": out,
            "column": done.columns[0] if len(done.columns) == 1 else list(done.columns),
            "ignored": list(done.ignored),
            "averaging": fitted.model.averaging_.state(),
        }
    )
