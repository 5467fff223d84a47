"""The figures of an evaluation: rows with their intervals, calibration, and the error of every alpha."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric
from ridgeway.evaluation import Evaluation
from ridgeway.messages.number_text import SMALLEST_PLAIN
from ridgeway.report.paths import rounded
from ridgeway.report.plot_parts import (
    NEUTRAL_COLOR,
    PAGE_GEOMETRIC_COLOR,
    PAGE_TAIL_COLOR,
    SLIDER_COLOR,
    STAR_STYLE,
    add_hover,
    add_span,
    bokeh,
    empty_figure,
)

Array = NDArray[np.float64]

MAX_PLOTTED_ROWS = 1200  # rows of all targets together
MIN_PLOTTED_ROWS = 200  # rows of each target
MAX_BAND_POINTS = 200
EDGE_SHARE = 0.05  # of the range of an axis, on both sides
TICKS_PER_AXIS = 10  # at most
MAX_BASELINES = 1.5  # the axis of errors ends here, in units of the error of the mean or of the model


def evaluation_figures(found: Evaluation, n_targets: int) -> dict[str, Any]:
    """Return the figures of the first targets, by name, as JSON for the page.

    Parameters
    ----------
    found : the evaluation.
    n_targets : how many targets the page shows.
    """
    json_item = bokeh("embed").json_item
    figures = {}
    for target_index in range(n_targets):
        figures[f"rows-{target_index}"] = _rows(
            found, target_index, max(MIN_PLOTTED_ROWS, MAX_PLOTTED_ROWS // n_targets)
        )
        figures[f"calibration-{target_index}"] = _calibration(found, target_index)
        figures[f"alphas-{target_index}"] = _alphas(found, target_index)
    return {name: json_item(figure, f"plot-{name}") for name, figure in figures.items()}


def own_alpha(found: Evaluation) -> float | None:
    """Return the ridge strength of the model; None for other averages, alpha 0, and alphas too far to be plotted."""
    scheme, alphas = found.scheme, found.alphas[0].alphas
    if not isinstance(scheme, Geometric) or scheme.alpha <= 0:
        return None
    return float(scheme.alpha) if alphas[0] <= scheme.alpha <= alphas[-1] else None


def _rows(found: Evaluation, target_index: int, most: int) -> Any:
    """Predicted against actual; intervals depend on the prediction alone, so they form a band."""
    drawn = found.sample[target_index]
    actual, predicted = drawn.actual[:most], drawn.predicted[:most]
    low, high = drawn.low[:most], drawn.high[:most]
    axes = _axes(found, predicted, np.concatenate([actual, predicted]))
    figure = _value_figure(400, "predicted", "actual", axes)
    models = bokeh("models")
    order = np.argsort(predicted, kind="stable")
    band = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), MAX_BAND_POINTS)).round().astype(int))]
    intervals = bool(np.isfinite(low).all())
    if intervals:
        ends = {"x": rounded(predicted[band]), "low": rounded(low[band]), "high": rounded(high[band])}
        source = models.ColumnDataSource(ends, name=f"band-{target_index}")
        figure.varea("x", "low", "high", source=source, fill_color=NEUTRAL_COLOR, fill_alpha=0.22)
    inside = (low <= actual) & (actual <= high) if intervals else np.ones(len(actual), bool)
    shown = []
    for name, some, color in (("inside", inside, PAGE_GEOMETRIC_COLOR), ("outside", ~inside, PAGE_TAIL_COLOR)):
        columns = {"x": rounded(predicted[some]), "y": rounded(actual[some])}
        source = models.ColumnDataSource(columns, name=f"{name}-{target_index}")
        style = {"size": 6, "fill_color": color, "fill_alpha": 0.5, "line_color": None}
        shown.append(figure.scatter("x", "y", source=source, **style))
    _diagonal(figure, predicted)
    add_hover(figure, shown, [("predicted", "@x{0,0.[000]}"), ("actual", "@y{0,0.[000]}")])
    return figure


def _calibration(found: Evaluation, target_index: int) -> Any:
    """Mean actual values of the deciles against their mean predictions."""
    deciles = found.calibration[target_index]
    predicted, actual = (np.array([getattr(one, name) for one in deciles]) for name in ("predicted", "actual"))
    both = np.concatenate([predicted, actual])
    figure = _value_figure(340, "mean prediction", "mean actual value", _axes(found, predicted, both))
    _diagonal(figure, both)
    columns = {
        "x": rounded(predicted),
        "y": rounded(actual),
        "rows": [one.rows for one in deciles],
        "rmse": rounded(np.array([one.rmse for one in deciles])),
    }
    source = bokeh("models").ColumnDataSource(columns, name=f"deciles-{target_index}")
    figure.line("x", "y", source=source, line_color=PAGE_GEOMETRIC_COLOR, line_width=2)
    points = figure.scatter("x", "y", source=source, size=9, fill_color=PAGE_GEOMETRIC_COLOR, line_color="white")
    add_hover(
        figure,
        [points],
        [
            ("rows", "@rows{0,0}"),
            ("mean prediction", "@x{0,0.[000]}"),
            ("mean actual", "@y{0,0.[000]}"),
            ("typical error", "@rmse{0,0.[000]}"),
        ],
    )
    return figure


def _alphas(found: Evaluation, target_index: int) -> Any:
    """The error of every alpha; a star at the model's own, a line at its error."""
    errors, mean = found.alphas[target_index], float(found.metrics.rmse_of_mean[target_index])
    known = np.isfinite(errors.rmse)
    alphas, rmse = errors.alphas[known], errors.rmse[known]
    own = own_alpha(found)
    decades = np.log10([alphas[0], alphas[-1]])
    heights = np.append(np.minimum(rmse, MAX_BASELINES * max(mean, errors.own)), [mean, errors.own])
    across = 10.0 ** _ends(np.append(decades, [] if own is None else np.log10(own)), 0.02)
    figure = empty_figure(
        340, "ridge strength alpha →", "typical error", x_axis_type="log", x_range=tuple(across),
        y_range=tuple(_ends(heights)),
    )  # fmt: skip
    for name, height, color in (("mean", mean, NEUTRAL_COLOR), ("own", errors.own, SLIDER_COLOR)):
        add_span(figure, f"{name}-{target_index}", "width", color)
        figure.select_one(f"{name}-{target_index}").location = height
    models = bokeh("models")
    source = models.ColumnDataSource({"x": rounded(alphas), "y": rounded(rmse)}, name=f"errors-{target_index}")
    figure.line("x", "y", source=source, line_color=PAGE_GEOMETRIC_COLOR, line_width=2)
    points = [figure.scatter("x", "y", source=source, size=5, fill_color=PAGE_GEOMETRIC_COLOR, line_color=None)]
    star = models.ColumnDataSource(
        {"x": [] if own is None else [own], "y": [] if own is None else [errors.own]}, name=f"star-{target_index}"
    )
    points.append(figure.scatter("x", "y", source=star, **STAR_STYLE))
    add_hover(figure, points, [("alpha", "@x{%.3g}"), ("typical error", "@y{0,0.[000]}")], formatters={"@x": "printf"})
    return figure


def _diagonal(figure: Any, values: Array) -> None:
    ends = rounded([values.min(), values.max()])
    figure.line(ends, ends, line_color=SLIDER_COLOR, line_width=1.5, line_dash="dashed")


def _value_figure(height: int, across: str, up: str, axes: dict[str, Any]) -> Any:
    """Return an empty figure of values of the target; ticks have separators of thousands unless they are tiny."""
    figure = empty_figure(height, across, up, **axes)
    for axis, (low, high) in ((figure.xaxis, axes["x_range"]), (figure.yaxis, axes["y_range"])):
        if (low if "x_axis_type" in axes else (high - low) / TICKS_PER_AXIS) < SMALLEST_PLAIN:
            continue  # the format would write 0
        axis.formatter = bokeh("models").NumeralTickFormatter(format="0,0.[0000]")
    return figure


def has_log_axes(found: Evaluation) -> bool:
    """Return whether values are drawn on logarithmic axes: of a model of logarithms, if all are above 0."""
    return found.log_metrics is not None and all((rows.actual > 0).all() for rows in found.sample)


def _axes(found: Evaluation, across: Array, up: Array) -> dict[str, Any]:
    """Return ranges and types of the axes that show all values with some space around them."""
    if not has_log_axes(found):
        return {"x_range": tuple(_ends(across)), "y_range": tuple(_ends(up))}
    ranges = {name: tuple(np.exp(_ends(np.log(values)))) for name, values in (("x_range", across), ("y_range", up))}
    return {**ranges, "x_axis_type": "log", "y_axis_type": "log"}


def _ends(values: Array, share: float = EDGE_SHARE) -> Array:
    """Return the ends of an axis that shows all values with some space around them."""
    low, high = float(values.min()), float(values.max())
    edge = share * (high - low) or abs(high) or 1.0
    return np.array([low - edge, high + edge])
