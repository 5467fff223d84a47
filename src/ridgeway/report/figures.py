"""The figures of a report: empty bokeh plots with named parts, which the script of the page fills and updates."""

from __future__ import annotations

from typing import Any

from ridgeway.report.error_curve import ErrorCurve
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
from ridgeway.report.report_summary import ReportSummary


def make_figures(summary: ReportSummary) -> dict[str, Any]:
    """Return the figures for which the summary has data, by name, as JSON for the page."""
    json_item = bokeh("embed").json_item
    figures = {"paths": _paths()}
    if summary.comparison is not None:
        figures["errors"] = _errors(ErrorCurve(summary))
    if summary.rows_source != "none":
        figures["predicted"] = _predicted()
        figures["residuals"] = _residuals()
    if summary.run.step is not None:
        figures["filter"] = _filter()
    return {name: json_item(figure, f"plot-{name}") for name, figure in figures.items()}


def _source(name: str, *columns: str) -> Any:
    return bokeh("models").ColumnDataSource(data={column: [] for column in columns}, name=name)


def _errors(curve: ErrorCurve) -> Any:
    models = bokeh("models")
    heights = curve.heights()["whole"]
    figure = empty_figure(360, "ridge strength alpha →", curve.quantity, x_range=curve.across(), y_range=heights)
    ticks = curve.ticks()
    figure.xaxis.update(
        ticker=models.FixedTicker(ticks=list(ticks)),
        major_label_overrides=ticks,
    )
    add_span(figure, "errors-baseline", "width", NEUTRAL_COLOR)
    figure.select_one("errors-baseline").location = curve.baseline
    add_span(figure, "errors-now-line", "height", SLIDER_COLOR)
    seen = []
    for kind, color in (("geometric", PAGE_GEOMETRIC_COLOR), ("tail", PAGE_TAIL_COLOR)):
        rows = [row for row in curve.rows if row.kind == kind]
        source = models.ColumnDataSource(curve.columns(rows))
        figure.varea("x", "low", "high", source=source, fill_color=color, fill_alpha=0.18)
        figure.line("x", "y", source=source, line_color=color, line_width=2)
        seen.append(figure.scatter("x", "y", source=source, size=5, fill_color=color, line_color=None))
    others = models.ColumnDataSource(
        curve.columns([row for row in curve.rows if row.kind not in ("geometric", "tail")])
    )
    figure.segment("x", "low", "x", "high", source=others, line_color=NEUTRAL_COLOR, line_width=1.5)
    seen.append(
        figure.scatter("x", "y", source=others, size=10, marker="diamond", fill_color=NEUTRAL_COLOR, line_color=None)
    )
    star = models.ColumnDataSource(curve.columns([row for row in curve.rows if row.chosen]))
    now = _source("errors-now", "x", "y")
    figure.scatter("x", "y", source=now, size=13, fill_color=SLIDER_COLOR, line_color="white", line_width=1.5)
    seen.append(figure.scatter("x", "y", source=star, **STAR_STYLE))
    add_hover(figure, seen, [("average", "@name"), ("error", "@value")])
    return figure


def _paths() -> Any:
    figure = empty_figure(380, "ridge strength alpha →", "effect on the prediction", x_axis_type="log")
    add_span(figure, "paths-zero", "width", NEUTRAL_COLOR, "solid")
    source = _source("paths-lines", "xs", "ys", "name", "color", "width", "strength", "now")
    lines = figure.multi_line(
        "xs", "ys", source=source, line_color="color", line_width="width", line_alpha="strength",
        hover_line_alpha=1.0, hover_line_width=4,
    )  # fmt: skip
    add_span(figure, "paths-now-line", "height", SLIDER_COLOR)
    now = _source("paths-now", "x", "y", "name", "color")
    figure.scatter("x", "y", source=now, size=7, fill_color="color", line_color=None)
    add_hover(
        figure, [lines], [("", "@name"), ("effect now", "@now")], line_policy="interp", point_policy="follow_mouse"
    )
    return figure


def _predicted() -> Any:
    figure = empty_figure(380, "predicted", "actual")
    band = _source("predicted-band", "x", "low", "high")
    figure.varea("x", "low", "high", source=band, fill_color=NEUTRAL_COLOR, fill_alpha=0.22)
    source = _source("predicted-rows", "x", "y", "number", "color")
    rows = figure.scatter("x", "y", source=source, size=6, fill_color="color", fill_alpha=0.45, line_color=None)
    line = _source("predicted-diagonal", "x", "y")
    figure.line("x", "y", source=line, line_color=SLIDER_COLOR, line_width=1.5, line_dash="dashed")
    add_hover(figure, [rows], [("row", "@number{0,0}"), ("predicted", "@x{0,0.[000]}"), ("actual", "@y{0,0.[000]}")])
    return figure


def _residuals() -> Any:
    figure = empty_figure(320, "row", "actual minus predicted")
    add_span(figure, "residuals-zero", "width", NEUTRAL_COLOR, "solid")
    source = _source("residuals-rows", "x", "y", "predicted", "actual")
    rows = figure.scatter("x", "y", source=source, size=5, fill_color=NEUTRAL_COLOR, fill_alpha=0.35, line_color=None)
    means = _source("residuals-means", "x", "y", "low", "high")
    figure.varea("x", "low", "high", source=means, fill_color=SLIDER_COLOR, fill_alpha=0.2)
    figure.line("x", "y", source=means, line_color=SLIDER_COLOR, line_width=2.5)
    figure.xaxis.formatter = bokeh("models").NumeralTickFormatter(format="0,0")
    add_hover(
        figure, [rows], [("row", "@x{0,0}"), ("predicted", "@predicted{0,0.[000]}"), ("actual", "@actual{0,0.[000]}")]
    )
    return figure


def _filter() -> Any:
    figure = empty_figure(
        320,
        "spread of the data, eigenvalue s →",
        "share learned",
        x_axis_type="log",
    )
    for name, color, dash, width in (
        ("average", SLIDER_COLOR, "solid", 2.5),
        ("ridge", PAGE_GEOMETRIC_COLOR, "dashed", 2),
    ):
        source = _source(f"filter-{name}", "x", "y")
        figure.line("x", "y", source=source, line_color=color, line_width=width, line_dash=dash)
    figure.yaxis.formatter = bokeh("models").NumeralTickFormatter(format="0%")
    return figure
