"""`ridgeway report`: write the report of a model file."""

from __future__ import annotations

import click

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command


@make_command()
@click.argument("model")
@click.option("--out", metavar="FILE", required=True, help="The report to write (.html).")
def command(console: Console, model: str, out: str) -> None:
    """Write the report of a model file as one HTML page that needs no network."""
    from ridgeway.cli.command_files import command_files
    from ridgeway.cli.models import load_model

    with command_files({"MODEL": model}, {"--out": out}) as files:
        loaded = load_model(files["MODEL"])
        from ridgeway.cli.reporting import write_table_report

        write_table_report(loaded, out)
    console.say(f"Written: {out}")
    console.result({"model": model, "report": out})
