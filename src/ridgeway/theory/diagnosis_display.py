"""`DiagnosisDisplay`: errors that theory predicts beside those that a fit measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.averaging import Geometric, Tail
from ridgeway.axes import GEOMETRIC_COLOR, TAIL_COLOR, axes

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from ridgeway.theory.diagnosis import Diagnosis


class DiagnosisDisplay:
    """Errors of geometric averages against alpha (below) and of tails against their start (above).

    Dots are measured, with a band of one standard error where there is room for it; lines are predicted, each with a
    ring at its least error. The band holds for the level of a curve: all averages were scored on the same rows, so its
    shape is far more certain.

    Parameters
    ----------
    diagnosis : what `ridgeway.theory.diagnose` returned.

    Attributes
    ----------
    ax_, figure_ : where `plot` has drawn.
    tail_ax_ : axes of the tails, on the same axis of errors; None where there are none.
    """

    ax_: Axes
    tail_ax_: Axes | None
    figure_: Figure | SubFigure

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.diagnosis = diagnosis

    def __repr__(self) -> str:
        reliable = "" if self.diagnosis.reliable else ", assumptions fail"
        return f"DiagnosisDisplay({len(self.diagnosis.table)} averages{reliable})"

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw both curves of each kind.

        Parameters
        ----------
        ax : matplotlib Axes to draw on; None makes new ones.
        """
        self.figure_, self.ax_ = axes(ax)
        diagnosis, length = self.diagnosis, self.diagnosis.n_steps
        geometric = [row for row in diagnosis.table if isinstance(row.scheme, Geometric) and row.scheme.alpha > 0]
        tails = [row for row in diagnosis.table if isinstance(row.scheme, Tail)]
        self.tail_ax_ = self.ax_.twiny() if tails else None
        alphas = [row.scheme.alpha for row in geometric if isinstance(row.scheme, Geometric)]
        errors = np.array([[row.predicted, row.measured] for row in diagnosis.table])
        best = errors.min()
        top = min(max(2.5 * np.median(errors[:, 1]) - 1.5 * best, 1.02 * best), errors.max())
        spread = float(np.median([row.standard_error for row in diagnosis.table]))
        banded = spread < 0.4 * (top - best)  # a band that fills the panel says nothing
        self._draw(self.ax_, alphas, geometric, GEOMETRIC_COLOR, "geometric", banded)
        self.ax_.set_xscale("log")
        if self.tail_ax_ is not None:
            starts = [row.scheme.start for row in tails if isinstance(row.scheme, Tail)]
            shares = [start / length if isinstance(start, int) else start for start in starts]
            self._draw(self.tail_ax_, shares, tails, TAIL_COLOR, "tail (upper axis)", banded)
            self.tail_ax_.set_xlim(0, 1)
            self.tail_ax_.set_xlabel("start of the tail, as a share of the run")
        self.ax_.fill_between([], [], [], color="0.5", alpha=0.3, linewidth=0, label=_band_name(spread, banded))
        low = [alpha for alpha, row in zip(alphas, geometric, strict=True) if min(row.predicted, row.measured) <= top]
        if len(low) > 1:
            self.ax_.set_xlim(min(low), 2 * max(low))
        self.ax_.set_ylim(best - 0.08 * (top - best), top + 0.05 * (top - best))
        self.ax_.set_xlabel("ridge strength alpha of geometric averages")
        self.ax_.set_ylabel("prediction error")
        reliable = "all assumptions hold" if diagnosis.reliable else "some assumptions fail"
        self.ax_.set_title(f"{length:,} steps, {diagnosis.method}: {reliable}", loc="left", pad=10, fontsize=10)
        self.ax_.grid(color="0.93")
        self.ax_.set_axisbelow(True)
        self.ax_.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return self

    def _draw(self, ax: Axes, places: list[float], rows: list[Any], color: str, name: str, banded: bool) -> None:
        if not rows:
            return
        predicted = np.array([row.predicted for row in rows])
        measured = np.array([row.measured for row in rows])
        spread = np.array([row.standard_error for row in rows])
        if banded:
            ax.fill_between(places, measured - spread, measured + spread, color=color, alpha=0.12, linewidth=0)
        ax.plot(places, measured, "o", color=color, markersize=3)
        ax.plot(places, predicted, color=color, linewidth=1.8)
        for values, size in ((predicted, 11), (measured, 8)):
            least = int(np.argmin(values))
            style: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": 1.6, "markersize": size}
            ax.plot([places[least]], [values[least]], "o", color=color, clip_on=False, zorder=5, **style)
        # The legend belongs to the lower axes, whichever axes were drawn on.
        self.ax_.plot([], [], "o", color=color, markersize=3, label=f"{name}: measured")
        self.ax_.plot([], [], color=color, linewidth=1.8, label=f"{name}: predicted")


def _band_name(spread: float, banded: bool) -> str:
    return "± one standard error" if banded else f"standard error about {spread:.2g},\nwider than the panel"
