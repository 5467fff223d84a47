"""`SelectionDisplay`: the errors of the candidates, and the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ridgeway.averaging import Last, Tail
from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.axes import GEOMETRIC_COLOR, TAIL_COLOR, axes
from ridgeway.display.margin import FONT_SIZE, LINE_HEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from ridgeway.selection.candidate_table import Scored, Selection

CHOSEN_COLOR, OTHER_COLOR = "crimson", "0.6"
# Share of the width for geometric averages, beside tails or beside the uniform average alone, and a gap.
WIDTH_BESIDE_TAILS, WIDTH_BESIDE_UNIFORM, GAP_WIDTH = 0.62, 0.9, 0.06
MAX_TICKS = 7
# The panel ends this many times as far above the best error as the median candidate, and at least this share of the
# standard error above it.
VIEW_MEDIANS, MIN_VIEW_STANDARD_ERRORS = 2.5, 0.05
LABEL_SHARE = 0.3  # share of the panel's height for the name of the chosen candidate
# The inset with the whole range, drawn if the standard error exceeds the panel: left, bottom, width and height.
INSET_BOX = (0.015, 0.5, 0.15, 0.44)
INSET_TICKS_WIDTH = 0.07  # width of its tick labels


class SelectionDisplay:
    """Errors of all candidates, ordered from much regularization on the left to little on the right.

    On the left are ridge strengths, alpha falling to 0. On the right are tails, from start 0 to the last iterate. Both
    have the same axis of errors. They meet, because alpha = 0 and the tail from 0 are both the uniform average.

    The panel shows the range around the smallest error. The band is one standard error to either side; if it is wider
    than the panel, an inset shows the whole range. All candidates are scored on the same rows, so differences between
    them are far more certain than the band.

    Parameters
    ----------
    selection : the table of a fit.
    n_steps : length of the run, to place tails whose start is given in steps; None takes the latest start as its end.

    Attributes
    ----------
    ax_, figure_ : where `plot` has drawn.
    tail_ax_ : axes of the tails, on the same axis of errors; `ax_` itself where there are no geometric averages.
    chosen_ : artist of the star at the chosen candidate.
    inset_ax_ : the inset with the whole range; None if the panel shows the band.

    Examples
    --------
    >>> import ridgeway as rw
    >>> from ridgeway.display import SelectionDisplay
    >>> rows = (rw.Scored(rw.Geometric(0.1), 0.01, 2.0, 0.1, chosen=True), rw.Scored(rw.Tail(0.5), 0.01, 2.5, 0.1))
    >>> SelectionDisplay(rw.Selection("5 folds", rows))
    SelectionDisplay(2 candidates by 5 folds, Geometric(alpha=0.1) chosen)
    """

    ax_: Axes
    tail_ax_: Axes
    figure_: Figure | SubFigure
    chosen_: Any
    inset_ax_: Axes | None

    def __init__(self, selection: Selection, *, n_steps: int | None = None) -> None:
        self.selection = selection
        starts = [row.start for row in selection if isinstance(row.start, int)]
        self.n_steps = max([1, *starts] if n_steps is None else [1, n_steps])

    def __repr__(self) -> str:
        chosen = scheme_name(self.selection.chosen.scheme)
        return f"SelectionDisplay({len(self.selection)} candidates by {self.selection.method}, {chosen} chosen)"

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the comparison of averages of a fitted estimator.

        Parameters
        ----------
        estimator : a fitted `AveragedSGDRegressor` that compared several averages.
        ax : matplotlib Axes to draw on; None makes new ones.
        **kwargs : passed on to matplotlib's plot, for the two curves.
        """
        check_is_fitted(estimator)
        selection = getattr(estimator, "selection_", None)
        if selection is None:
            raise ValueError(
                f"selection_ of this {type(estimator).__name__} is None: expected a fit that chose among candidates; "
                "fit with alpha='auto' and averaging='auto', 'geometric' or 'tail', on 4 rows or more."
            )
        return cls(selection, n_steps=estimator.n_steps_).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the candidates.

        Parameters
        ----------
        ax : matplotlib Axes to draw on; None makes new ones.
        **kwargs : passed on to matplotlib's plot, for the two curves.
        """
        self.figure_, self.ax_ = axes(ax)
        chosen = self.selection.chosen
        rows = [row for row in self.selection if row.step == chosen.step]
        geometric, others = _geometric(rows), _others(rows)
        bottom, top = self._heights()
        self.ax_.set_ylim(bottom, top)
        self.tail_ax_ = self.ax_.twiny() if geometric and others else self.ax_
        wide = self.selection.best.standard_error >= top - self.selection.best.error
        if geometric:
            self._lay_out_alphas(geometric, others, top, room=wide)
        if others:
            self._lay_out_starts(geometric, others)
        for step in sorted({row.step for row in self.selection} - {chosen.step}):
            self._draw_faintly([row for row in self.selection if row.step == step], step)
        tails = [row for row in others if isinstance(row.scheme, Tail)]
        style = {"marker": "o", "markersize": 2.5}
        _draw_curve(
            self.ax_, [row.alpha for row in geometric], geometric, not wide, {"color": GEOMETRIC_COLOR} | style | kwargs
        )
        places = [self._place(row) for row in tails]
        _draw_curve(self.tail_ax_, places, tails, not wide, {"color": TAIL_COLOR} | style | kwargs)
        for row in others:
            if row not in tails:
                self._draw_dash(row, bottom, top)
        self._draw_chosen(chosen)
        self.inset_ax_ = self._draw_whole(geometric, bottom, top) if geometric and wide else None
        self._explain(wide)
        return self

    def _heights(self) -> tuple[float, float]:
        """Return the limits of the axis of errors, around the smallest error and including the chosen candidate."""
        chosen = self.selection.chosen
        errors = np.array([row.error for row in self.selection if row.step == chosen.step])
        errors = errors[np.isfinite(errors)]
        best = self.selection.best
        reach = max(
            VIEW_MEDIANS * (float(np.median(errors)) - best.error), MIN_VIEW_STANDARD_ERRORS * best.standard_error
        )
        reach = max(min(reach, 1.1 * (errors.max() - best.error)), 1.5 * (chosen.error - best.error))
        reach = reach or abs(best.error) * 0.1 or 1.0  # a single candidate
        seen = [row.error for row in self.selection if row.error > best.error - reach]
        if best.standard_error < reach:
            seen.append(
                best.error - best.standard_error + (LABEL_SHARE - 0.05) * reach
            )  # the band, and a little below it
        return min(seen) - LABEL_SHARE * reach, best.error + reach

    def _lay_out_alphas(self, geometric: Sequence[Scored], others: Sequence[Scored], top: float, *, room: bool) -> None:
        """Place falling alphas on the left part of the axes; those far beyond the panel are cut off."""
        width = _width(others)
        low = geometric[0].alpha
        high = max(row.alpha for row in geometric if row.error <= top)
        if room:  # for the inset, beside the place where the curve comes in from above
            inside = width - INSET_BOX[0] - INSET_BOX[2] - INSET_TICKS_WIDTH
            high = min((row.alpha for row in geometric if row.alpha > high), default=high)
            high = high * (high / low) ** (width / inside - 1)
        else:
            high = min(geometric[-1].alpha, 10 * high)
        low, high = (low, high) if low < high else (low / 10, high * 10)
        self.ax_.set_xscale("log")
        self.ax_.set_xlim(high, low * (low / high) ** (1 / width - 1))
        decades = np.arange(np.ceil(np.log10(low) - 1e-9), np.floor(np.log10(high) + 1e-9) + 1)
        self.ax_.set_xticks(10.0 ** decades[:: -(-len(decades) // MAX_TICKS)])
        self.ax_.set_xticks([], minor=True)
        self.ax_.set_xlabel(r"alpha (geometric, weaker $\rightarrow$)", x=width / 2, color=GEOMETRIC_COLOR)

    def _lay_out_starts(self, geometric: Sequence[Scored], others: Sequence[Scored]) -> None:
        """Place the starts of tails, from 0 to 1, on the right part of the axes, or on the whole axes."""
        left = _width(others) + GAP_WIDTH if geometric else GAP_WIDTH
        tails = len(others) > 1
        share = 1 - GAP_WIDTH - left if tails else GAP_WIDTH
        self.tail_ax_.set_xlim(-left / share, (1 - left) / share)
        self.tail_ax_.xaxis.set_ticks_position("bottom")
        self.tail_ax_.xaxis.set_label_position("bottom")
        self.tail_ax_.set_xticks([0, 0.5, 1] if tails else [])
        if tails:
            self.tail_ax_.set_xlabel("start (tails)", x=left + share / 2, color=TAIL_COLOR)
        if geometric:
            self.ax_.plot([left - GAP_WIDTH] * 2, [0, 1], color="0.85", linewidth=0.8, transform=self.ax_.transAxes)

    def _place(self, row: Scored) -> float:
        """Return the start of a tail as a share of the run: 1 for the last iterate, 0 for the uniform average."""
        if isinstance(row.scheme, Tail):
            return row.start if isinstance(row.start, float) else min(1.0, row.start / self.n_steps)
        return 1.0 if isinstance(row.scheme, Last) else 0.0

    def _draw_faintly(self, rows: Sequence[Scored], step: float) -> None:
        """Draw the candidates of a run with another step."""
        style: dict[str, Any] = {
            "color": OTHER_COLOR,
            "linewidth": 1.0,
            "linestyle": ":",
            "label": f"with step {step:.3g}",
        }
        geometric = _geometric(rows)
        tails = [row for row in _others(rows) if isinstance(row.scheme, Tail)]
        if geometric:
            self.ax_.plot([row.alpha for row in geometric], [row.error for row in geometric], **style)
            style["label"] = "_"
        if tails:
            self.tail_ax_.plot([self._place(row) for row in tails], [row.error for row in tails], **style)

    def _draw_dash(self, row: Scored, bottom: float, top: float) -> None:
        """Draw a candidate without a parameter as a short dash with its name, or an arrow if it is beyond the panel."""
        left, right = self.tail_ax_.get_xlim()
        # The uniform average is before the first tail, the last iterate after the last tail.
        last, width = isinstance(row.scheme, Last), 0.045 * (right - left)
        place = self._place(row) + (width if last else -width) / 2
        name = scheme_name(row.scheme).lower()
        inside = row.error <= top - 0.06 * (top - bottom)
        text, height = (name, row.error) if inside else (f"{name} {row.error:.4g} ↑", top - 0.06 * (top - bottom))
        if inside:
            self.tail_ax_.plot([place - width / 2, place + width / 2], [row.error] * 2, color="0.2", linewidth=2.2)
        side = "center" if inside else "right" if last else "left"
        self.tail_ax_.annotate(
            text, (place, height), (0, 5), textcoords="offset points", ha=side, fontsize=FONT_SIZE, color="0.2"
        )

    def _draw_chosen(self, chosen: Scored) -> None:
        geometric = chosen.alpha > 0
        ax, place = (self.ax_, chosen.alpha) if geometric else (self.tail_ax_, self._place(chosen))
        style: dict[str, Any] = {"marker": "*", "markersize": 15, "markeredgecolor": "white", "linestyle": "none"}
        (self.chosen_,) = ax.plot([place], [chosen.error], color=CHOSEN_COLOR, zorder=5, **style)
        across = ax.transAxes.inverted().transform(ax.transData.transform((place, chosen.error)))[0]
        bottom, top = ax.get_ylim()
        if geometric and chosen.error - self.selection.best.error > 0.1 * (top - bottom):
            offset, side, level = (12, 0), "left", "center"  # on the slope: the curve falls off beside the name
        else:
            offset, level = (0, -11), "top"
            side = "left" if across < 0.15 else "right" if across > 0.85 else "center"
        ax.annotate(
            f"{scheme_name(chosen.scheme)}\n{chosen.error:.5g} ± {_two_digits(chosen.standard_error)}",
            (place, chosen.error),
            offset,
            textcoords="offset points",
            ha=side,
            va=level,
            color=CHOSEN_COLOR,
            zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.0},
        )

    def _draw_whole(self, geometric: Sequence[Scored], bottom: float, top: float) -> Axes:
        """Draw the inset: the geometric averages with their band, and the position of the panel."""
        inset = self.ax_.inset_axes(INSET_BOX)
        _draw_curve(
            inset, [row.alpha for row in geometric], geometric, True, {"color": GEOMETRIC_COLOR, "linewidth": 1.0}
        )
        inset.axhspan(bottom, top, color="0.4", alpha=0.3, linewidth=0)
        inset.set_xscale("log")
        inset.set_xlim(geometric[-1].alpha, geometric[0].alpha)
        inset.set_xticks([])
        inset.set_xticks([], minor=True)
        inset.yaxis.tick_right()
        inset.tick_params(labelsize=7, length=2, pad=1)
        inset.locator_params(axis="y", nbins=3)
        inset.set_title("whole range", fontsize=FONT_SIZE, pad=3)
        return inset

    def _explain(self, wide: bool) -> None:
        self.ax_.set_ylabel("estimated prediction error")
        self.ax_.ticklabel_format(axis="y", useOffset=False)
        for ax in (self.ax_, self.tail_ax_):
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
        size = _two_digits(self.selection.best.standard_error)
        note = f"standard error about {size}, wider than the panel" if wide else "± one standard error"
        self.ax_.fill_between([], [], [], color="0.5", alpha=0.3, linewidth=0, label=note)
        # Above the axes, where no curve can be: the legend first, one line an entry, and the title on top.
        handles, _ = self.ax_.get_legend_handles_labels()
        self.ax_.legend(
            frameon=False,
            fontsize=FONT_SIZE,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderpad=0.0,
            borderaxespad=0.4,
            labelspacing=0.25,
        )
        self.ax_.set_title(self.selection.method, loc="left", pad=8 + LINE_HEIGHT * FONT_SIZE * len(handles))


def _draw_curve(ax: Axes, places: Sequence[float], rows: Sequence[Scored], band: bool, style: dict[str, Any]) -> None:
    """Draw errors at the given places, with a band of one standard error to either side."""
    if not rows:
        return
    errors, spreads = np.array([[row.error, row.standard_error] for row in rows]).T
    (line,) = ax.plot(places, errors, **style)
    if band:
        ax.fill_between(places, errors - spreads, errors + spreads, color=line.get_color(), alpha=0.15, linewidth=0)


def _two_digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):g}"


def _geometric(rows: Sequence[Scored]) -> list[Scored]:
    """Return the geometric averages, sorted by alpha, without alpha 0, which a logarithmic axis cannot show."""
    return sorted((row for row in rows if row.alpha > 0), key=lambda row: row.alpha)


def _others(rows: Sequence[Scored]) -> list[Scored]:
    """Return all other candidates; a geometric average of alpha 0 is the uniform average."""
    return [row for row in rows if not row.alpha > 0]


def _width(others: Sequence[Scored]) -> float:
    """Return the share of the width for geometric averages."""
    return 1.0 if not others else WIDTH_BESIDE_UNIFORM if len(others) == 1 else WIDTH_BESIDE_TAILS
