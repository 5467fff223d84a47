"""An evaluation as text: tenths of the prediction, and groups."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from ridgeway.evaluation import Evaluation
from ridgeway.evaluation.calibration import Decile
from ridgeway.evaluation.group_errors import largest_groups
from ridgeway.messages.number_text import number, signed

MAX_SHOWN_GROUPS = 20


def calibration(deciles: Sequence[Decile], target: str = "") -> Table:
    """Return the table of tenths: means of predicted and actual values, errors, coverage.

    Parameters
    ----------
    deciles : smallest predictions first.
    target : name of the target, where there are several.
    """
    table = _table(f"By tenths of the prediction{f' of {target}' if target else ''}")
    for name in ("rows", "mean prediction", "mean actual", "typical error", "within intervals"):
        table.add_column(name, justify="right")
    for tenth in deciles:
        covered = "-" if tenth.covered is None else f"{100 * tenth.covered:.1f}%"
        numbers = map(number, (tenth.predicted, tenth.actual, tenth.rmse))
        table.add_row(f"{tenth.rows:,}", *numbers, covered)
    return table


def groups(found: Evaluation, target_index: int) -> Table:
    """Return the table of groups: numbers by value, others those with most rows first."""
    name = f", {found.targets[target_index]}" if len(found.targets) > 1 else ""
    table = _table(f"By {found.by}{name}")
    table.add_column(found.by or "", overflow="fold")
    for column in ("rows", "R^2", "typical error", "mean error", "within intervals"):
        table.add_column(column, justify="right")
    for group in largest_groups(found.groups, MAX_SHOWN_GROUPS):
        metrics = group.metrics
        r2 = f"{metrics.r2[target_index]:.3f}" if metrics.rmse_of_mean[target_index] > 0 else "-"
        covered = "-" if group.covered is None else f"{100 * group.covered[target_index]:.1f}%"
        errors = number(metrics.rmse[target_index]), signed(metrics.bias[target_index])
        table.add_row(group.group, f"{metrics.n_rows:,}", r2, *errors, covered)
    if len(found.groups) > MAX_SHOWN_GROUPS:
        table.caption = f"{len(found.groups) - MAX_SHOWN_GROUPS:,} smaller groups are in the output of --json."
        table.caption_justify = "left"
    return table


def _table(title: str) -> Table:
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
