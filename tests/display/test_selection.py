"""The picture of a choice draws the table of the choice."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.display.problem import problem

import ridgeway as rw
from ridgeway.display import SelectionDisplay


def fitted(averaging: str, **options: Any) -> Any:
    return rw.AveragedSGDRegressor(averaging=averaging, random_state=0, **options).fit(*problem())


def table(chosen: int, standard_error: float = 0.1) -> rw.Selection:
    """Two steps; for each two geometric averages, two tails, the uniform average and the last iterate."""
    schemes = [rw.Geometric(0.01), rw.Geometric(1.0), rw.Tail(250), rw.Tail(750), rw.Uniform(), rw.Last()]
    rows = [
        rw.Scored(scheme, step, 2.0 + step + 0.1 * k, standard_error)
        for step in (0.1, 0.2)
        for k, scheme in enumerate(schemes)
    ]
    rows[chosen] = rw.Scored(rows[chosen].scheme, rows[chosen].step, rows[chosen].error, standard_error, chosen=True)
    return rw.Selection("a coin", tuple(rows))


def star(display: SelectionDisplay) -> tuple[float, float]:
    return display.chosen_.get_xdata()[0], display.chosen_.get_ydata()[0]


def curves(ax: Any) -> list[tuple[list[float], list[float]]]:
    """Return the lines with small markers: those of the step that was chosen."""
    lines = [line for line in ax.lines if line.get_marker() == "o"]
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in lines]


def words(display: SelectionDisplay) -> list[str]:
    return [text.get_text() for ax in {display.ax_, display.tail_ax_} for text in ax.texts]


# Law: the curves are the table, geometric ones at their alpha and tails at their share of the run.
@pytest.mark.parametrize("averaging", ["auto", "geometric", "tail"])
def test_curves_are_the_table(averaging: str) -> None:
    model = fitted(averaging)
    display = SelectionDisplay.from_estimator(model)
    rows = [row for row in model.selection_ if row.step == model.selection_.chosen.step]
    geometric = sorted((row.alpha, row.error) for row in rows if row.alpha > 0)
    tails = [(row.start, row.error) for row in rows if isinstance(row.scheme, rw.Tail)]
    expected = [[*zip(*part, strict=True)] for part in (geometric, tails) if part]
    axes = dict.fromkeys([display.ax_, display.tail_ax_])
    drawn = [curve for ax in axes for curve in curves(ax)]
    assert [[tuple(x), tuple(y)] for x, y in drawn] == expected


# Law: the star stands at the alpha, or the start, and the error of the chosen row, and is inside the panel.
@pytest.mark.parametrize(
    ("chosen", "place"), [(0, 0.01), (1, 1.0), (2, 0.25), (3, 0.75), (4, 0.0), (5, 1.0), (6, 0.01), (9, 0.75)]
)
def test_star_is_the_chosen_row(chosen: int, place: float) -> None:
    selection = table(chosen)
    display = SelectionDisplay(selection, n_steps=1000).plot()
    assert star(display) == (place, selection.chosen.error)
    ax = display.ax_ if selection.chosen.alpha > 0 else display.tail_ax_
    assert display.chosen_.axes is ax
    bottom, top = ax.get_ylim()
    assert bottom < selection.chosen.error < top
    low, high = sorted(ax.get_xlim())
    assert low <= place <= high
    assert any(str(selection.chosen.scheme).split("(")[0] in text for text in words(display))
    assert display.ax_.get_title(loc="left") == "a coin"


@pytest.mark.parametrize("averaging", ["auto", "geometric", "tail"])
def test_star_of_a_fit(averaging: str) -> None:
    model = fitted(averaging, one_standard_error=True)
    chosen = model.selection_.chosen
    display = SelectionDisplay.from_estimator(model)
    expected = chosen.alpha if chosen.alpha > 0 else {"Uniform": 0.0, "Last": 1.0}.get(type(chosen.scheme).__name__)
    assert star(display) == (chosen.start if expected is None else expected, chosen.error)
    display.figure_.canvas.draw()


# Law: both parts share the axis of errors, and geometric averages lie to the left of tails.
def test_side_by_side() -> None:
    display = SelectionDisplay(table(0), n_steps=1000).plot()
    assert display.ax_.get_ylim() == display.tail_ax_.get_ylim()
    weakest = display.ax_.transData.transform((0.01, 2.0))[0]
    strongest = display.ax_.transData.transform((1.0, 2.0))[0]
    first = display.tail_ax_.transData.transform((0.0, 2.0))[0]
    assert strongest < weakest < first


# Law: rows of a step that was not chosen are drawn, dotted and without a band.
def test_other_steps_are_faint() -> None:
    display = SelectionDisplay(table(0), n_steps=1000).plot()
    for ax in (display.ax_, display.tail_ax_):
        (dotted,) = [line for line in ax.lines if line.get_linestyle() == ":"]
        assert min(np.asarray(dotted.get_ydata())) > 2.2 - 1e-9
    legend = display.ax_.get_legend()
    assert legend is not None
    assert "with step 0.2" in [text.get_text() for text in legend.get_texts()]


# Law: the band is one standard error; where the panel is too small for it, the whole range is drawn beside.
def test_band() -> None:
    narrow = SelectionDisplay(table(0, standard_error=0.05), n_steps=1000).plot()
    assert narrow.inset_ax_ is None
    band = narrow.ax_.collections[0].get_paths()[0].vertices
    assert np.ptp(np.asarray(band)[:, 1]) == pytest.approx(0.1 + 0.05 * 2)
    wide = SelectionDisplay(table(0, standard_error=5.0), n_steps=1000).plot()
    assert wide.inset_ax_ is not None
    low, high = wide.inset_ax_.get_ylim()
    assert low < 2.1 - 5.0 < 2.2 + 5.0 < high


# Law: errors of other orders of magnitude do not flatten the neighbourhood of the least one.
def test_zoom() -> None:
    errors = {1e-2: 1.02, 1e-1: 1.0, 1.0: 1.05, 10.0: 5.0, 100.0: 1e6}
    rows = [rw.Scored(rw.Geometric(alpha), 0.1, error, 0.01, error == 1.0) for alpha, error in errors.items()]
    rows.append(rw.Scored(rw.Last(), 0.1, np.inf, np.inf))
    rows.append(rw.Scored(rw.Uniform(), 0.1, 1.03, 0.01))
    display = SelectionDisplay(rw.Selection("folds", tuple(rows))).plot()
    bottom, top = display.ax_.get_ylim()
    assert 0.9 < bottom < 1.0 < 1.05 < top < 1.3
    assert "last inf ↑" in words(display)
    display.figure_.canvas.draw()


def test_a_single_candidate() -> None:
    rows = (rw.Scored(rw.Geometric(0.1), 0.1, 0.0, 0.0, chosen=True),)
    display = SelectionDisplay(rw.Selection("one", rows)).plot()
    assert star(display) == (0.1, 0.0)


# Law: given axes are drawn on and returned, and curves take matplotlib's keywords.
def test_axes_and_keywords() -> None:
    _, (left, right) = plt.subplots(1, 2)
    display = SelectionDisplay.from_estimator(fitted("geometric"), ax=right, linewidth=3.0)
    assert display.ax_ is right
    assert display.figure_ is right.figure
    assert not left.lines
    assert 3.0 in {line.get_linewidth() for line in right.lines}
    assert SelectionDisplay(table(0)).plot(left).ax_ is left


def test_refusals() -> None:
    message = "selection_ of this {} is None: expected a fit that chose among candidates; fit with alpha='auto'"
    chosen = rw.AveragedSGDRegressor(averaging="uniform", passes=1).fit(*problem())
    with pytest.raises(ValueError, match=message.format("AveragedSGDRegressor")):
        SelectionDisplay.from_estimator(chosen)
    with pytest.raises(ValueError, match=message.format("ExactRidgePath")):
        SelectionDisplay.from_estimator(rw.ExactRidgePath().fit(*problem()))
    with pytest.raises(NotFittedError):
        SelectionDisplay.from_estimator(rw.AveragedSGDRegressor())
