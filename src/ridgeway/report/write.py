"""Render a summary as one HTML file that needs no network, and write it."""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import Any

from ridgeway.estimators.coefficient_intervals import INTERVAL_LEVEL, INTERVAL_NOTE
from ridgeway.messages.number_text import number
from ridgeway.report.error_curve import ErrorCurve
from ridgeway.report.figures import make_figures
from ridgeway.report.html_page import html_page
from ridgeway.report.report_summary import ReportSummary
from ridgeway.report.sentences import RISES, columns_of, drift, explained, headline, in_words
from ridgeway.report.summarizing import summarize
from ridgeway.selection.candidate_table import PROGRESSIVE
from ridgeway.selection.capped_errors import NOTABLE_CAP_EFFECT
from ridgeway.storage.atomic_file import write_atomically

PLURALS = {"number": "numbers", "boolean": "booleans", "category": "categories", "time": "times", "text": "texts"}


def render(summary: ReportSummary) -> str:
    """Return the report as an HTML page that holds its scripts, styles and data and loads nothing else.

    All texts of the data are escaped, and a content security policy allows only the two scripts of the page.

    Parameters
    ----------
    summary : what to show.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> from ridgeway.report import render, summarize
    >>> model = rw.ExactRidgePath().fit(np.eye(4), np.arange(4.0))
    >>> page = render(summarize(model, feature_names=["a", "b", "c", "<script>"]))
    >>> "&lt;script&gt;" in page, "http://" in page.split("<body>")[1].split("<script")[0]
    (True, False)
    """
    data = {
        "summary": summary.to_dict(),
        "figures": make_figures(summary),
        "rises": RISES[summary.scale],
        "words": [in_words(stop) for stop in summary.stops],
        "curve": None,
        "unexplained": _unexplained(summary),
    }
    if summary.comparison is not None:
        curve = ErrorCurve(summary)
        data["curve"] = {"places": [curve.place(stop) for stop in summary.stops], "heights": curve.heights()}
    by_time = summary.rows_source == "held-out" and summary.test is not None and bool(summary.test.caution)
    return html_page(
        "page",
        data,
        title=summary.title,
        summary=summary,
        headline=headline(summary),
        test=summary.test,
        tiles=_tiles(summary),
        facts=_facts(summary),
        facts_title="Facts about the fit",
        capped=_capped(summary),
        intervals=_intervals(summary),
        level=f"{100 * INTERVAL_LEVEL:g}%",
        interval_note=INTERVAL_NOTE,
        stops=[(stop, in_words(stop)) for stop in summary.stops],
        kinds=_kinds(summary),
        solver=dict(summary.facts).get("Solver"),
        interval=summary.targets[0].interval,
        drifts=[drift(target.rows, by_time=by_time) if target.rows else "" for target in summary.targets],
    )


def write_report(fitted: Any, path: str | os.PathLike[str], **options: Any) -> ReportSummary:
    """Write the report of a fitted model, or of a summary, as one HTML file; return what it shows.

    The file is written completely or not at all.

    Parameters
    ----------
    fitted : a `TableModel`, a fitted estimator, or a `ReportSummary`.
    path : the file to write.
    **options : options of `summarize`, for a model.

    Examples
    --------
    >>> import tempfile, numpy as np, ridgeway as rw
    >>> from pathlib import Path
    >>> from ridgeway.report import write_report
    >>> model = rw.ExactRidgePath(alpha=0.1).fit(np.eye(4), np.arange(4.0))
    >>> file = Path(tempfile.mkdtemp()) / "report.html"
    >>> summary = write_report(model, file, target_names=["height"])
    >>> file.read_text(encoding="utf-8").startswith("<!doctype html>")
    True
    """
    if isinstance(fitted, ReportSummary) and options:
        raise TypeError(f"{', '.join(options)} given with a summary: expected a fitted estimator; leave them out.")
    summary = fitted if isinstance(fitted, ReportSummary) else summarize(fitted, **options)
    write_atomically(path, render(summary))
    return summary


def _tiles(summary: ReportSummary) -> list[tuple[str, str, str]]:
    """Return the main numbers: value, name, explanation."""
    tiles = []
    if len(summary.targets) == 1:
        target = summary.targets[0]
        share = explained(target)
        if target.mean_squared_error is not None and target.variance is not None:
            of_logs = " of the logarithm" if summary.logarithms else ""
            tiles.append((number(target.mean_squared_error**0.5), f"typical error{of_logs}", "on held-out rows"))
            tiles.append((number(target.variance**0.5), "without a model", "always predicting the mean"))
        if share is not None:
            tiles.append((f"{100 * share:.1f}%", "explained", f"of the variance, R² = {share:.3f}"))
        if target.interval is not None:
            what = f"{100 * target.interval.coverage:g}% interval"
            width, around = f"± {number(target.interval.half_width)}", "around a prediction"
            if summary.logarithms:
                width, around = number(math.exp(target.interval.half_width)), "a factor of the prediction"
            tiles.append((width, what, around))
        if summary.test is not None and summary.test.r2[0] is not None:
            of_values = ", of the values themselves" if summary.logarithms else ""
            tiles.append((f"{summary.test.r2[0]:.3f}", "R² of test rows", f"{summary.test.which}{of_values}"))
    if summary.run.n_rows is not None:
        tiles.append((f"{summary.run.n_rows:,}", "rows", "learned from"))
    n_columns, name, encoded = columns_of(summary)
    tiles.append((n_columns, name, encoded or "of numbers"))
    if summary.n_targets > 1:
        tiles.append((f"{summary.n_targets:,}", "targets", "predicted together"))
    return tiles


def _intervals(summary: ReportSummary) -> list[tuple[str, str, float, float, float]]:
    """Return target, column, coefficient and the ends of its interval, in the column's own unit."""
    return [
        (target.name, column, effect / scale, low / scale, high / scale)
        for target in summary.targets
        if target.path.intervals
        for column, scale, effect, (low, high) in zip(
            target.path.features, target.path.scales, target.path.stops[0], target.path.intervals, strict=True
        )
    ]


def _kinds(summary: ReportSummary) -> str:
    """Return how many columns of each kind the encoder found, as text."""
    counts = Counter(row.kind for row in summary.encoded)
    return ", ".join(f"{n:,} {kind if n == 1 else PLURALS.get(kind, kind)}" for kind, n in counts.most_common())


def _errors_of_chosen(summary: ReportSummary) -> tuple[float, float] | None:
    """Return the error of the chosen average in the comparison, and on all held-out rows; None if one is unknown."""
    if summary.comparison is None or summary.rows_source != "held-out" or summary.n_targets > 1:
        return None
    chosen = next(row.error for row in summary.comparison.candidates if row.chosen)
    error = summary.targets[0].mean_squared_error
    return None if chosen is None or error is None else (chosen, error)


def _capped(summary: ReportSummary) -> tuple[str, str] | None:
    """Return the typical errors of the comparison and of all rows if capped errors of outliers make them differ."""
    errors = _errors_of_chosen(summary)
    if errors is None or summary.comparison is None:
        return None
    compared, of_all_rows = (number(error**0.5) for error in errors)
    by_cap = summary.comparison.method != PROGRESSIVE or errors[0] < (1 - NOTABLE_CAP_EFFECT) * errors[1]
    return (compared, of_all_rows) if by_cap and compared != of_all_rows else None


def _unexplained(summary: ReportSummary) -> float | None:
    """Return what to multiply an error of the comparison by to get 1 - R^2; None if capped outliers make it misleading.

    The product is 1 - R^2 of all held-out rows for the chosen average. The factor is None if the errors of the chosen
    average with and without the cap differ notably.
    """
    errors, variance = _errors_of_chosen(summary), summary.targets[0].variance
    if errors is None or not errors[0] or not variance:
        return None
    compared, of_all_rows = errors
    return of_all_rows / variance / compared if abs(compared - of_all_rows) < NOTABLE_CAP_EFFECT * of_all_rows else None


def _facts(summary: ReportSummary) -> list[tuple[str, str]]:
    run = summary.run
    facts = [("Estimator", summary.estimator)]
    if run.n_rows is not None:
        facts.append(("Rows of the fit", f"{run.n_rows:,}"))
    if run.passes is not None:
        facts.append(("Passes over the rows", number(run.passes)))
    if run.n_steps is not None and run.step is not None:
        chains = "" if run.length in (None, run.n_steps) else f", in chains of {run.length:,}"
        growing = f"growing from {number(run.stairs[0][0])} to {number(run.step)}" if len(run.stairs) > 1 else ""
        facts.append(("Steps", f"{run.n_steps:,}, {growing or f'of size {number(run.step)}'}{chains}"))
    if run.r2 is not None:
        facts.append(("Squared norm of the rows, which bounds the step (R²)", number(run.r2, 4)))
    if run.limited is not None:
        facts.append(("Clipped updates, of outlying rows", f"{run.limited:,}"))
    if run.split:
        facts.append(("Outlying rows that were split into smaller steps, in all passes", f"{run.split:,}"))
    if run.seconds is not None:
        facts.append(("Seconds", number(run.seconds)))
    return [*facts, *summary.facts]
