"""Parts of all plots of a page: colours, axes, lines across, texts under the pointer."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PAGE_GEOMETRIC_COLOR, PAGE_TAIL_COLOR, SLIDER_COLOR, NEUTRAL_COLOR = "#2f7ed8", "#e08a1e", "#d6336c", "#8a8f98"
STAR_STYLE = {"size": 21, "marker": "star", "fill_color": "#f2b705", "line_color": "#7a5c00"}
FONT = "system-ui, sans-serif"


def bokeh(module: str) -> Any:
    """Import a module of bokeh; the error says how to install it."""
    try:
        return import_module(f"bokeh.{module}")
    except ImportError as error:
        raise ImportError("a report needs bokeh, which is not installed: pip install 'ridgeway[cli]'.") from error


def empty_figure(height: int, x_label: str, y_label: str, **options: Any) -> Any:
    """Return a figure in the style of the page, with the options of a figure of bokeh."""
    # A page may set ranges later. These defaults keep a logarithmic axis from computing its range from empty sources.
    options = {"x_range": (1, 10), "y_range": (0, 1)} | options
    figure = bokeh("plotting").figure(
        height=height,
        sizing_mode="stretch_width",
        toolbar_location=None,
        tools="",
        output_backend="canvas",
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
        min_border_right=14,
        **options,
    )
    models = bokeh("models")
    for axis in figure.axis:
        if isinstance(axis, models.LinearAxis):
            axis.formatter = models.BasicTickFormatter(power_limit_high=9, power_limit_low=-4)
        axis.update(
            axis_label_text_font=FONT,
            axis_label_text_font_style="normal",
            axis_label_text_font_size="13px",
            major_label_text_font=FONT,
            major_label_text_font_size="12px",
            major_label_policy=models.NoOverlap(min_distance=8),
            minor_tick_line_color=None,
            major_tick_in=0,
        )
    figure.xaxis.axis_label, figure.yaxis.axis_label = x_label, y_label
    figure.xgrid.grid_line_color = None
    return figure


def add_hover(figure: Any, renderers: list[Any], tooltips: list[tuple[str, str]], **options: Any) -> None:
    """Show these texts where the pointer meets one of the renderers."""
    figure.add_tools(bokeh("models").HoverTool(renderers=renderers, tooltips=tooltips, **options))


def add_span(figure: Any, name: str, dimension: str, color: str, dash: str = "dashed") -> None:
    """Add a named line across the figure; its location is set later."""
    span = bokeh("models").Span(
        name=name, dimension=dimension, location=None, line_color=color, line_width=1.5, line_dash=dash
    )
    figure.add_layout(span)
