"""The texts of the report: what the model predicts and how well, its average and why, and which columns matter."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import f_oneway

from ridgeway.messages.number_text import number
from ridgeway.report.report_summary import Candidate, ReportSummary, Rows, Target
from ridgeway.selection.candidate_table import others_as_good
from ridgeway.version import __version__

MAX_NAMED_COLUMNS = 5  # columns that the first paragraphs name
MAX_COMPARED_PARTS, MIN_PART_ROWS = 20, 10  # parts of a stream whose mean residuals are compared
DRIFT_P_VALUE, POSSIBLE_DRIFT_P_VALUE = 1e-3, 5e-2
MAX_UNSORTED_SHARE = 0.01  # of the changes from row to row, up to which rows count as sorted
RISES = {
    "deviation": "rises by one standard deviation",
    "largest": "rises by its scale (one standard deviation, or the largest value if it is mostly 0)",
    "unit": "rises by one unit",
}


def versions() -> str:
    """Return the versions of the programs that made the page."""
    return f"ridgeway {__version__}, NumPy {np.__version__}, Python {platform.python_version()}"


def headline(summary: ReportSummary) -> list[str]:
    """Return the first paragraphs, for readers who are new to the program."""
    return [_what(summary), _which(summary), _columns(summary)]


def explained(target: Target) -> float | None:
    """Return R^2, the explained share of the variance, on held-out rows."""
    if target.mean_squared_error is None or not target.variance:
        return None
    return 1 - target.mean_squared_error / target.variance


def columns_of(summary: ReportSummary) -> tuple[str, str, str]:
    """Return the number of columns, "column" or "columns", and into how many features a table was encoded."""
    n_columns = len(summary.encoded) or summary.n_features
    features = "feature" if summary.n_features == 1 else "features"
    encoded = f"encoded as {summary.n_features:,} {features}" if summary.encoded else ""
    return f"{n_columns:,}", "column" if n_columns == 1 else "columns", encoded


def _what(summary: ReportSummary) -> str:
    names = _listed([target.name for target in summary.targets], summary.n_targets)
    text = f"This model predicts {names} from {' '.join(filter(None, columns_of(summary)))}. "
    shares = [share for target in summary.targets if (share := explained(target)) is not None]
    if not shares:
        return text + (
            "Its error on new rows is not known: no rows were held out."
            if summary.rows_source != "learned"
            else "Its error on new rows is not known: the model has learned from the rows shown."
        )
    rows = f"On {f'{summary.n_source_rows:,} ' if summary.n_source_rows else ''}rows that it has not learned from"
    if len(summary.targets) > 1:
        spread = f"between {_percent(min(shares))} and {_percent(max(shares))}"
        return text + f"{rows}, it explains {spread} of the variance of each target (R²)."
    target, share = summary.targets[0], shares[0]
    assert target.mean_squared_error is not None
    assert target.variance is not None
    error, mean = math.sqrt(target.mean_squared_error), math.sqrt(target.variance)
    text += f"{rows}, its typical error is {number(error)} (root mean squared); "
    if share <= 0:
        return text + (
            f"always predicting the mean is as good ({number(mean)}), so the columns do not help to predict."
        )
    return text + (
        f"that of always predicting the mean is {number(mean)}. "
        f"It explains {_percent(share)} of the variance (R² = {share:.2f})."
    )


def _which(summary: ReportSummary) -> str:
    selected = summary.stops[0]
    comparison = summary.comparison
    if comparison is None:
        if selected.kind == "exact":
            return f"It is {in_words(selected)}. The strength was given, so nothing was compared."
        return f"It uses {in_words(selected)}. The average was given, so nothing was compared."
    compared = "averages of its steps" if summary.run.n_steps else "strengths"
    if not summary.run.n_steps and any(row.kind != "geometric" for row in comparison.candidates):
        compared = "averages"
    text = f"The fit compared {len(comparison.candidates)} {compared} ({comparison.method}). "
    chosen = next(row for row in comparison.candidates if row.chosen)
    best = min(
        (row for row in comparison.candidates if row.error is not None and row.step == chosen.step),
        key=lambda row: row.error or 0.0,
        default=chosen,
    )
    which = in_words(chosen)
    if best is chosen or best.error == chosen.error:
        text += f"It chose {which}, which predicts best{others_as_good(comparison.n_as_good)}. "
    else:
        text += f"It chose {which}: more regularization than the best, with an error within one standard error. "
    text += _strength(chosen, summary)
    if not selected.chosen:
        text += f" The model was then changed to {in_words(selected)}."
    return text.strip()


def _strength(chosen: Candidate, summary: ReportSummary) -> str:
    """Return how strong the regularization is, in words."""
    elapsed = sum(size * count for size, count in summary.run.stairs)
    if chosen.alpha is None:
        return "" if chosen.kind == "other" else "This is weak regularization."
    if 0 < chosen.alpha * elapsed < 1:
        return "This is weak regularization."
    return "This shrinks the coefficients towards zero, which reduces the effect of noise."


def in_words(average: Candidate) -> str:
    """Return an average in words."""
    if average.kind == "geometric":
        return f"ridge strength alpha = {number(average.alpha or 0.0, 3)} (a geometric average)"
    if average.kind == "tail":
        return f"the average of the last {_percent(1 - (average.start or 0.0))} of the steps (a tail average)"
    if average.kind == "uniform":
        return "the plain average of all steps"
    if average.kind == "exact":
        return f"exact ridge of alpha = {number(average.alpha or 0.0, 3)}"
    return "the last step alone" if average.kind == "last" else average.name


def _columns(summary: ReportSummary) -> str:
    path = summary.targets[0].path
    effects, scales = path.stops[0], path.scales
    spreads = path.spreads or scales
    matters = [abs(effects[place]) * spreads[place] / scales[place] for place in range(len(effects))]
    order = sorted(range(len(effects)), key=lambda place: -matters[place])[:MAX_NAMED_COLUMNS]
    named = [path.features[place] for place in order if effects[place]]
    if not named:
        return "No column has an effect: the model always predicts the mean."
    of = f" on {summary.targets[0].name}" if len(summary.targets) > 1 else ""
    effect, scale = effects[order[0]], scales[order[0]]
    verb = "raises" if effect > 0 else "lowers"
    matter = "The column that matters most is" if len(named) == 1 else "The columns that matter most are"
    if any(row.kind == "category" and named[0].startswith(f"{row.column}=") for row in summary.encoded):
        return (
            f"{matter} {_listed(named, len(named))}: {named[0]} {verb} the prediction{of} by "
            f"{number(abs(effect / scale))} in the rows that have it, while the others stay fixed."
        )
    return (
        f"{matter} {_listed(named, len(named))}: when {named[0]} {RISES[summary.scale]} "
        f"({number(scale)}) and the others stay fixed, it {verb} the prediction{of} by {number(abs(effect))}."
    )


def drift(rows: Rows, *, by_time: bool = False) -> str:
    """Return whether the mean residual differs between parts of the stream, in words.

    Parameters
    ----------
    rows : the rows in their order, with predictions.
    by_time : the fit held back its last rows by time for a test, and these rows are of random folds.
    """
    residuals = [a - p for a, p in zip(rows.actual, rows.predicted, strict=True)]
    n_parts = min(MAX_COMPARED_PARTS, len(residuals) // MIN_PART_ROWS)
    if n_parts < 2:
        return "There are too few rows to see whether the errors change over time."
    edges = [round(k * len(residuals) / n_parts) for k in range(n_parts + 1)]
    parts = [residuals[first:last] for first, last in pairwise(edges)]
    if all(len(set(part)) == 1 for part in parts):
        return ""
    chance = float(f_oneway(*parts).pvalue)
    if chance < POSSIBLE_DRIFT_P_VALUE and _sorted(rows.actual):
        return "The rows are sorted by the target, and this plot shows that order."
    if chance < DRIFT_P_VALUE:
        return (
            "The mean error differs between parts of the data by more than chance explains: the target drifts in a way "
            "that the columns do not explain."
        )
    if chance < POSSIBLE_DRIFT_P_VALUE:
        return "The mean error differs between parts of the data by slightly more than chance explains: possible drift."
    none = "The mean error does not differ between parts of the data by more than chance explains"
    if by_time:
        return f"{none}. Folds of random rows cannot show a drift in time; the last rows can."
    return f"{none}: no drift."


def _sorted(values: Sequence[float]) -> bool:
    """Return whether values (nearly) never fall, or never rise, from one row to the next."""
    changes = np.sign(np.diff(values))
    rises, falls = np.count_nonzero(changes > 0), np.count_nonzero(changes < 0)
    return bool(min(rises, falls) <= MAX_UNSORTED_SHARE * (rises + falls))


def _percent(share: float) -> str:
    if 0 < share < 0.095:
        return f"{100 * share:.1f}%"
    return f"{100 * share:.1f}%" if 0.99 < share < 1 else f"{100 * share:.0f}%"


def _listed(names: list[str], n_all: int) -> str:
    shown = names if n_all == len(names) else [*names, f"{n_all - len(names)} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
