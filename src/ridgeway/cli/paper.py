"""`ridgeway paper`: the claims of the paper, checked."""

from __future__ import annotations

import click

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command


@make_command()
@click.option("--out", metavar="FOLDER", default="paper", show_default=True, help="Where to write page and figures.")
@click.option("--only", metavar="NUMBER", type=int, multiple=True, help="Check this claim only; may be repeated.")
@click.option("--quick", is_flag=True, help="Fewer settings: under a minute.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of every random number.")
def command(console: Console, out: str, only: tuple[int, ...], quick: bool, seed: int) -> None:
    """Check the claims of Neu and Rosasco (COLT 2018) by computation, and write a page with the evidence."""
    from ridgeway.paper import run

    report = run(out, only=only or None, quick=quick, seed=seed, progress=console.progress)
    console.say(str(report))
    if report.failure is not None:
        raise ArithmeticError(report.failure)
    results = {outcome.number: outcome.result.value for outcome in report.outcomes}
    console.result({"page": str(report.page), "table": str(report.table), "results": results})
