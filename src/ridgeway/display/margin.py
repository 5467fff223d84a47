"""Labels in the right margin of axes, each beside the end of its line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import isotonic_regression

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

FONT_SIZE = 8.5  # points
LINE_HEIGHT = 1.35  # in font sizes
POINTS_PER_INCH = 72.0


def spread(places: ArrayLike, gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Move places apart until neighbours are `gap` from each other, by the least sum of squared moves.

    With the gaps subtracted the places must not decrease, so this is an isotonic regression. Places that do not fit
    between `low` and `high` get equal smaller gaps.

    Parameters
    ----------
    places : (n,), in any order.
    gap : least distance of two neighbours.
    low, high : bounds of all places.

    Examples
    --------
    >>> from ridgeway.display.margin import spread
    >>> spread([0.5, 0.5, 0.9], gap=0.2, low=0.0, high=1.0)
    array([0.4, 0.6, 0.9])
    """
    wanted = np.asarray(places, dtype=np.float64)
    if wanted.size == 0:
        return wanted
    order = np.argsort(wanted, kind="stable")
    gaps = min(gap, (high - low) / max(1, wanted.size - 1)) * np.arange(wanted.size)
    moved = np.empty_like(wanted)
    moved[order] = np.clip(isotonic_regression(wanted[order] - gaps).x, low, high - gaps[-1]) + gaps
    return moved


def label_right(ax: Axes, heights: ArrayLike, texts: Sequence[str], colors: Sequence[str]) -> None:
    """Write texts to the right of the axes, with thin lines to the given heights.

    Parameters
    ----------
    ax : matplotlib Axes whose limits are final.
    heights : (n,), in data coordinates.
    texts, colors : one for each height.
    """
    to_axes = ax.transData + ax.transAxes.inverted()
    left = ax.get_xlim()[0]
    ends = to_axes.transform([(left, height) for height in np.asarray(heights, dtype=np.float64)]).reshape(-1, 2)[:, 1]
    points = ax.get_window_extent().height / ax.figure.dpi * POINTS_PER_INCH
    for end, place, text, color in zip(
        ends, spread(ends, FONT_SIZE * LINE_HEIGHT / points, 0.0, 1.0), texts, colors, strict=True
    ):
        ax.plot([1.0, 1.03], [end, place], transform=ax.transAxes, color=color, linewidth=0.8, clip_on=False)
        ax.text(1.035, place, text, transform=ax.transAxes, color=color, fontsize=FONT_SIZE, va="center")
