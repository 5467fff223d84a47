"""`ComparisonDisplay`: exact risks of the averages of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ridgeway.averaging import Geometric, Tail
from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.axes import GEOMETRIC_COLOR, TAIL_COLOR, axes

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from ridgeway.theory.comparison import Comparison

WINNER_COLOR = "crimson"


class ComparisonDisplay:
    """The risk of geometric averages against alpha (below) and of tails against their start (above).

    Dashed and dotted lines are the two parts of the risk of geometric averages: bias, which grows with alpha, and
    variance. Horizontal lines are the uniform average and the last iterate. The star is the average of least risk.

    Parameters
    ----------
    comparison : what `ridgeway.theory.compare` returned.

    Attributes
    ----------
    ax_, figure_ : where `plot` has drawn.
    tail_ax_ : axes of the tails, on the same axis of risks; None where no tail was compared.
    winner_ : the star.

    Examples
    --------
    >>> from ridgeway.display import ComparisonDisplay
    >>> from ridgeway.theory import compare
    >>> ComparisonDisplay(compare([1.0, 0.1], n_steps=100, snr=1.0))
    ComparisonDisplay(100 steps, Tail(start=...) wins)
    """

    ax_: Axes
    tail_ax_: Axes | None
    figure_: Figure | SubFigure
    winner_: Any

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    def __repr__(self) -> str:
        winner = scheme_name(self.comparison.winner.scheme)
        return f"ComparisonDisplay({self.comparison.n_steps:,} steps, {winner} wins)"

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the risks.

        Parameters
        ----------
        ax : matplotlib Axes to draw on; None makes new ones.
        """
        self.figure_, self.ax_ = axes(ax)
        comparison, best = self.comparison, self.comparison.winner
        geometric = [
            (row.scheme.alpha, row.risk)
            for row in comparison.of_kind("geometric")
            if isinstance(row.scheme, Geometric) and row.scheme.alpha > 0
        ]
        tails = comparison.of_kind("tail")
        self.tail_ax_ = self.ax_.twiny() if tails else None
        if geometric:
            alphas, risks = zip(*geometric, strict=True)
            for values, name, line in (
                ([risk.total for risk in risks], "geometric averages", "-"),
                ([risk.total - risk.variance for risk in risks], "their bias", "--"),
                ([risk.variance for risk in risks], "their variance", ":"),
            ):
                self.ax_.plot(
                    alphas, values, line, color=GEOMETRIC_COLOR, linewidth=1.8 if line == "-" else 1.1, label=name
                )
        self.ax_.set_xscale("log")
        if self.tail_ax_ is not None:
            starts = [self._start(row.scheme) for row in tails]
            self.tail_ax_.plot(starts, [row.risk.total for row in tails], color=TAIL_COLOR, linewidth=1.8)
            self.ax_.plot([], [], color=TAIL_COLOR, linewidth=1.8, label="tails (upper axis)")
            self.tail_ax_.set_xlim(0, 1)
            self.tail_ax_.set_xlabel("start of the tail, as a share of the run")
        grey = iter((0.15, 0.45, 0.65, 0.8))
        for kind, row in comparison.best.items():
            if kind not in ("geometric", "tail"):
                level, shade = row.risk.total, str(next(grey, 0.8))
                name = f"{scheme_name(row.scheme)}, {level:.3g}"
                self.ax_.axhline(level, color=shade, linewidth=1.2, linestyle=(0, (6, 2)), label=name)
        self._draw_winner(best.scheme, best.risk.total)
        top = max(row.risk.total for row in comparison.best.values())
        self.ax_.set_yscale("log")
        self.ax_.set_ylim(best.risk.total / 3 if best.risk.total > 0 else None, 3 * top if top > 0 else None)
        shown = [alpha for alpha, risk in geometric if risk.total <= 3 * top]
        if len(shown) > 1:
            self.ax_.set_xlim(shown[0], shown[-1])
        self.ax_.set_xlabel("ridge strength alpha of geometric averages")
        self.ax_.set_ylabel("excess risk")
        snr = f"signal-to-noise {comparison.snr:.3g}"
        self.ax_.set_title(f"{comparison.run}, {snr}", loc="left", pad=10)
        self.ax_.grid(color="0.93")
        self.ax_.set_axisbelow(True)
        self.ax_.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return self

    def _start(self, scheme: Any) -> float:
        return float(scheme.first(self.comparison.n_steps)) / self.comparison.n_steps

    def _draw_winner(self, scheme: Any, risk: float) -> None:
        ax, place = self.ax_, 0.5
        style: dict[str, Any] = {"marker": "*", "markersize": 15, "markeredgecolor": "white", "linestyle": "none"}
        if isinstance(scheme, Tail) and self.tail_ax_ is not None:
            ax, place = self.tail_ax_, self._start(scheme)
        elif isinstance(scheme, Geometric) and scheme.alpha > 0:
            place = scheme.alpha
        else:
            style["transform"] = ax.get_yaxis_transform()  # a level: in the middle of the picture
        (self.winner_,) = ax.plot([place], [risk], color=WINNER_COLOR, zorder=5, clip_on=False, **style)
        self.ax_.plot(
            [], [], color=WINNER_COLOR, **style | {"markersize": 9}, label=f"least: {scheme_name(scheme)}, {risk:.3g}"
        )
