"""The plot of the errors: tails and geometric averages on one axis, from weak to strong regularization.

A tail that starts at the end is the last iterate. A tail that starts at the beginning is the uniform average, which is
the geometric average of alpha 0. So tails are on the left, with falling starts, and alphas grow to their right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ridgeway.report.report_summary import Candidate, ReportSummary

TAILS_WIDTH, TAILS_GAP_WIDTH, EDGE_WIDTH = 0.3, 0.06, 0.02  # shares of the width of the alphas
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ZOOM_MEDIANS = 1.5  # the zoomed axis ends this many times as far above the best error as the median candidate
MIN_ZOOM_STANDARD_ERRORS = 2.0


class ErrorCurve:
    """Coordinates of the candidates in the plot.

    Parameters
    ----------
    summary : one with a comparison.
    """

    def __init__(self, summary: ReportSummary) -> None:
        assert summary.comparison is not None
        self._grid, self._single = summary.grid, summary.n_targets == 1
        rows = summary.comparison.candidates
        step = next(row.step for row in rows if row.chosen)
        self.rows = [row for row in rows if row.step == step and row.error is not None and self._inside(row)]
        self.baseline = self._baseline(summary)

    @property
    def low(self) -> float:
        """log10 of the weakest alpha."""
        return self._grid.low

    @property
    def high(self) -> float:
        """log10 of the strongest alpha."""
        return self._grid.low + (self._grid.n - 1) / self._grid.per_decade

    @property
    def quantity(self) -> str:
        """Name of the error, the label of its axis."""
        return "typical error" if self._single else "unexplained share"

    def place(self, row: Candidate) -> float:
        """Return the x coordinate of a candidate."""
        if row.alpha:
            return math.log10(row.alpha)
        start = {"last": 1.0, "tail": row.start or 0.0}.get(row.kind, 0.0)
        return self._tail_place(start)

    def shown(self, row: Candidate) -> tuple[float, float]:
        """Return the plotted error and its spread: RMSE for one target, the unexplained share for several."""
        error, spread = row.error or 0.0, row.standard_error or 0.0
        if not self._single:
            return error, spread
        root = math.sqrt(max(error, 0.0))
        return root, spread / (2 * root) if root > 0 else 0.0

    def columns(self, rows: Sequence[Candidate]) -> dict[str, list[Any]]:
        """Return the columns of a bokeh source, sorted by x coordinate."""
        rows = sorted(rows, key=self.place)
        errors = [self.shown(row) for row in rows]
        return {
            "x": [self.place(row) for row in rows],
            "y": [error for error, _ in errors],
            "low": [error - spread for error, spread in errors],
            "high": [error + spread for error, spread in errors],
            "name": [row.name for row in rows],
            "value": [f"{error:,.5g} ± {spread:,.2g}" for error, spread in errors],
        }

    def ticks(self) -> dict[float, str]:
        """Return the x coordinates that have a label."""
        kinds = {row.kind for row in self.rows}
        ticks = {}
        if "last" in kinds:
            ticks[self._tail_place(1.0)] = "last step"
        if "tail" in kinds:
            ticks[self._tail_place(0.5)] = "last half"
        if kinds & {"uniform", "tail"}:
            ticks[self._tail_place(0.0)] = "all steps"
        for decade in range(math.ceil(self.low), math.floor(self.high) + 1):
            ticks[float(decade)] = "10" + str(decade).translate(SUPERSCRIPT) if decade else "1"
        return ticks

    def across(self) -> tuple[float, float]:
        """Return the ends of the axis of strengths."""
        left = min([self.low, *(self.place(row) for row in self.rows)])
        edge = EDGE_WIDTH * (self.high - left)
        return left - edge, self.high + edge

    def heights(self) -> dict[str, tuple[float, float]]:
        """Return the ends of the axis of errors: all of it, and zoomed in at the best candidates."""
        errors = sorted(self.shown(row)[0] for row in self.rows)
        best = min((self.shown(row) for row in self.rows), default=(0.0, 0.0))
        top = max([errors[-1], *([self.baseline] if self.baseline is not None else [])])
        whole = top - best[0] or abs(top) or 1.0
        reach = max(ZOOM_MEDIANS * (errors[len(errors) // 2] - best[0]), MIN_ZOOM_STANDARD_ERRORS * best[1]) or whole
        closer = min(reach, whole)
        return {
            "whole": (max(0.0, best[0] - max(0.12 * whole, best[1])), top + 0.08 * whole),
            "closer": (best[0] - max(0.3 * closer, min(best[1], closer) * 1.1), best[0] + closer),
        }

    def _inside(self, row: Candidate) -> bool:
        return not row.alpha or self.low - 1e-9 <= math.log10(row.alpha) <= self.high + 1e-9

    def _tail_place(self, start: float) -> float:
        width = self.high - self.low
        return self.low - TAILS_GAP_WIDTH * width - TAILS_WIDTH * width * start

    def _baseline(self, summary: ReportSummary) -> float | None:
        """Return the plotted error of always predicting the mean."""
        variance = summary.targets[0].variance
        if not self._single:
            return 1.0
        return None if variance is None or summary.rows_source != "held-out" else math.sqrt(variance)
