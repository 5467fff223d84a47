"""The errors of groups as a table of texts, for terminals and for print."""

from __future__ import annotations

from collections.abc import Sequence

from ridgeway.evaluation.group_errors import GroupErrors, largest_groups
from ridgeway.messages.number_text import number, signed

MAX_SHOWN_GROUPS = 20
GROUP_COLUMNS = ("rows", "R^2", "typical error", "mean error", "within intervals")


def group_cells(groups: Sequence[GroupErrors], target_index: int) -> list[list[str]]:
    """Return the name and the numbers of the largest groups: numbers by value, others those with most rows first.

    Parameters
    ----------
    groups : those with most rows first.
    target_index : the target whose errors are shown.
    """
    cells = []
    for group in largest_groups(groups, MAX_SHOWN_GROUPS):
        metrics = group.metrics
        r2 = f"{round(metrics.r2[target_index], 3) + 0.0:.3f}" if metrics.rmse_of_mean[target_index] > 0 else "-"
        covered = "-" if group.covered is None else f"{100 * group.covered[target_index]:.1f}%"
        errors = number(metrics.rmse[target_index]), signed(metrics.bias[target_index])
        cells.append([group.group, f"{metrics.n_rows:,}", r2, *errors, covered])
    return cells


def group_lines(groups: Sequence[GroupErrors], by: str, target_index: int) -> list[str]:
    """Return the table of the largest groups as lines, the names on the left and the numbers on the right.

    Parameters
    ----------
    groups : those with most rows first.
    by : name of the column of the groups.
    target_index : the target whose errors are shown.
    """
    table = [[by, *GROUP_COLUMNS], *group_cells(groups, target_index)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join([name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))])
        for name, *cells in table
    ]
    more = len(groups) - MAX_SHOWN_GROUPS
    return [*lines, f"and {more:,} smaller {'group' if more == 1 else 'groups'}"] if more > 0 else lines
