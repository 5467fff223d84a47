"""Axes to draw on; the only place that imports matplotlib."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

GEOMETRIC_COLOR, TAIL_COLOR = "C0", "C1"  # of the averages, in every plot


def axes(ax: Axes | None) -> tuple[Figure | SubFigure, Axes]:
    """Return the figure of `ax` and `ax` itself, or new ones where there is none.

    Parameters
    ----------
    ax : matplotlib Axes, or None for a new figure that leaves room for labels beside its axes.
    """
    pyplot = _pyplot()
    if ax is None:
        _, ax = pyplot.subplots(figsize=(8.0, 5.0), layout="constrained")
    assert ax is not None
    return ax.figure, ax


def axes_in_row(n: int) -> list[Axes]:
    """Return `n` new axes side by side that share their vertical axis."""
    _, made = _pyplot().subplots(1, n, figsize=(1.3 + 3.7 * n, 4.6), layout="constrained", sharey=True, squeeze=False)
    return list(made[0])


def _pyplot() -> Any:
    try:
        return import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError("plotting needs matplotlib, which is not installed: pip install ridgeway[plot].") from error
