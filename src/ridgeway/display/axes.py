"""Axes to draw on; the only place that imports matplotlib."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


def axes(ax: Axes | None) -> tuple[Figure | SubFigure, Axes]:
    """Return the figure of `ax` and `ax` itself, or new ones where there is none.

    Parameters
    ----------
    ax : matplotlib Axes, or None for a new figure that leaves room for labels beside its axes.
    """
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError("plotting needs matplotlib, which is not installed: pip install ridgeway[plot].") from error
    if ax is None:
        _, ax = pyplot.subplots(figsize=(8.0, 5.0), layout="constrained")
    assert ax is not None
    return ax.figure, ax
