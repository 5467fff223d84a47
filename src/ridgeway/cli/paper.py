"""`ridgeway paper`: check the claims of the paper."""

from __future__ import annotations

from typing import Any

import click

from ridgeway.cli.average_option import ParamType
from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command


class Numbers(ParamType):
    """Numbers separated by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the numbers."""
        try:
            return [int(part) for part in str(value).split(",")]
        except ValueError:
            self.fail(f"{value!r}: expected numbers separated by commas, such as 13,18.", param, ctx)


@make_command()
@click.option(
    "--out", metavar="FOLDER", default="paper", show_default=True, help="Folder for the page and its figures."
)
@click.option(
    "--only", metavar="13,18", type=Numbers(), multiple=True, help="Check only these claims; may be repeated."
)
@click.option("--quick", is_flag=True, help="Use fewer settings: under a minute.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random numbers.")
def command(console: Console, out: str, only: tuple[list[int], ...], quick: bool, seed: int) -> None:
    """Check the claims of Neu and Rosasco (COLT 2018) by computation, and write a page with the evidence."""
    from ridgeway.paper import run

    report = run(
        out,
        only=[number for numbers in only for number in numbers] or None,
        quick=quick,
        seed=seed,
        progress=console.progress,
    )
    console.say(str(report))
    if report.failure is not None:
        raise ArithmeticError(report.failure)
    results = {outcome.number: outcome.result.value for outcome in report.outcomes}
    console.result({"page": str(report.page), "table": str(report.table), "results": results})
