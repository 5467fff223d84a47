"""`ridgeway report`: write the report of a model file."""

from __future__ import annotations

import os
from typing import Any

import click

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command


@make_command()
@click.argument("model")
@click.option("--out", metavar="FILE", required=True, help="The report to write (.html).")
def command(console: Console, model: str, out: str) -> None:
    """Write the report of a model file as one HTML page that needs no network."""
    from ridgeway.cli.command_files import command_files
    from ridgeway.cli.reading_models import load_model

    with command_files({"MODEL": model}, {"--out": out}) as files:
        write_table_report(load_model(files["MODEL"]), out)
    console.say(f"Written: {out}")
    console.result({"model": model, "report": out})


def write_table_report(
    model: Any, path: str | os.PathLike[str], seconds: float | None = None, test: Any = None
) -> None:
    """Write the report of a model, with its encoder, facts about its data and the result of test rows."""
    from ridgeway.cli.reading_models import parts_of
    from ridgeway.report import write_report

    _, table, names = parts_of(model)
    given = {"feature_names": names} if table is None else {"seconds": seconds, "test": test}
    write_report(model, path, **given)
