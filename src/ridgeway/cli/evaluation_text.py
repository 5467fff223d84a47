"""An evaluation as text: tenths of the prediction, and groups."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from ridgeway.evaluation import Evaluation
from ridgeway.evaluation.calibration import Decile
from ridgeway.evaluation.group_table import GROUP_COLUMNS, MAX_SHOWN_GROUPS, group_cells
from ridgeway.messages.number_text import number


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
    for column in GROUP_COLUMNS:
        table.add_column(column, justify="right")
    for cells in group_cells(found.groups, target_index):
        table.add_row(*cells)
    if len(found.groups) > MAX_SHOWN_GROUPS:
        table.caption = f"{len(found.groups) - MAX_SHOWN_GROUPS:,} smaller groups are in the output of --json."
        table.caption_justify = "left"
    return table


def _table(title: str) -> Table:
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
