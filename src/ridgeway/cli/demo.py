"""`ridgeway demo`: fit, comparison, path and report on embedded data."""

from __future__ import annotations

import click

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command


@make_command()
@click.option("--out", metavar="FILE", default="ridgeway-demo.html", show_default=True, help="The report to write.")
def command(console: Console, out: str) -> None:
    """Fit 261,877 flights out of New York, compare every ridge strength with exact ridge, and write a report."""
    from ridgeway.cli.command_files import command_files

    with command_files({}, {"--out": out}):
        from ridgeway.cli.demo_run import run_demo

        run_demo(console, out)
