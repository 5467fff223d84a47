"""`ridgeway report`: write the report of a model file."""

from __future__ import annotations

import os
from typing import Any

import click

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command

LOGARITHMS = (
    "its logarithm: errors, R², intervals and effects on this page are those of logarithms; predict returns exp of them"
)


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
    from ridgeway.estimators.solver_facts import describe_solver
    from ridgeway.report import write_report

    estimator, table, names = parts_of(model)
    if table is None:
        write_report(estimator, path, feature_names=names)
        return
    targets = table.targets or ("target",)
    facts = table.facts
    write_report(
        estimator,
        path,
        encoder=table.encoder,
        feature_names=names,
        target_names=[f"log {target}" if table.log_target else target for target in targets],
        title=f"{', '.join(targets)}, learned from {facts.data}",
        seconds=seconds,
        test=test,
        facts={
            "Data": facts.data,
            **({"Scale of the target": LOGARITHMS} if table.log_target else {}),
            "Rows left out (no target or weight)": f"{facts.left_out:,}",
            "Fit": facts.way,
            "Solver": describe_solver(facts.solver, facts.solver_reason),
        },
    )
