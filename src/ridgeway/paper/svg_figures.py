"""Figures of the page, made without pyplot, as SVG text that is the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Blue, orange, green, purple, grey: told apart also by the colour-blind (after Okabe and Ito).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#555555")
SIZE = (7.2, 4.0)


def require_matplotlib() -> None:
    """Raise an error that says what to install if matplotlib is missing."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise ImportError(
            "the figures of the page need matplotlib, which is not installed: pip install ridgeway[plot]."
        ) from error


def new_figure(columns: int = 1, size: tuple[float, float] = SIZE) -> tuple[Figure, Sequence[Axes]]:
    """Return an empty figure and its axes, side by side, with a light grid.

    Parameters
    ----------
    columns : number of axes.
    size : width and height in inches.
    """
    require_matplotlib()
    figure: Figure = import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    row: Any = figure.subplots(1, columns, squeeze=False)[0]
    for ax in row:
        ax.set_prop_cycle(color=COLORS)
        ax.grid(color="0.92")
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, list(row)


def as_svg(figure: Figure) -> str:
    """Return the figure as SVG text, without a date or random names."""
    with import_module("matplotlib").rc_context({"svg.hashsalt": "ridgeway"}):
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()
