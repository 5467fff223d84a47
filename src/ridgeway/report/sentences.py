"""The report in words: what was predicted, how well, by which average and why, and which columns matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from scipy.stats import f_oneway

from ridgeway.report.summary import Candidate, ReportSummary, Rows, Target

NAMED = 5  # columns in the first paragraph
PARTS, FEWEST_IN_PART = 20, 10  # of a stream, whose mean residuals are compared
DRIFT, PERHAPS = 1e-3, 5e-2  # chance below which parts of a stream differ, surely or perhaps
RISES = {
    "deviation": "rises by one standard deviation",
    "largest": "goes from 0 to its largest value",
    "unit": "rises by one unit",
}


def number(value: float, digits: int = 3) -> str:
    """Return a number as a reader likes it.

    Examples
    --------
    >>> number(1234.5678), number(0.012345), number(0), number(1.5e-7), number(45.0)
    ('1,235', '0.0123', '0', '1.5e-07', '45')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "unknown"
    if not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{digits}g}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def headline(summary: ReportSummary) -> list[str]:
    """Return the first paragraphs, for somebody who has never seen the program."""
    return [_what(summary), _which(summary), _columns(summary)]


def explained(target: Target) -> float | None:
    """Return R^2, the explained share of the variance, on rows that were not learned from."""
    if target.mean_squared_error is None or not target.variance:
        return None
    return 1 - target.mean_squared_error / target.variance


def columns_of(summary: ReportSummary) -> tuple[str, str, str]:
    """Return how many columns the model learned from, "column" or "columns", and what became of those of a table."""
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
            "How well it predicts new rows is not known: no rows were held out."
            if summary.rows_source != "learned"
            else "How well it predicts new rows is not known: the rows shown are rows it has learned from."
        )
    rows = f"On {summary.n_source_rows:,} rows that it had not learned from"
    if len(summary.targets) > 1:
        spread = f"between {_percent(min(shares))} and {_percent(max(shares))}"
        return text + f"{rows}, it explains {spread} of the variation of each (R²)."
    target, share = summary.targets[0], shares[0]
    assert target.mean_squared_error is not None
    assert target.variance is not None
    error, mean = math.sqrt(target.mean_squared_error), math.sqrt(target.variance)
    text += f"{rows}, its typical error is {number(error)} (root mean squared); "
    if share <= 0:
        return text + (
            f"always predicting the mean would do as well ({number(mean)}), so the columns tell nothing useful."
        )
    return text + (
        f"always predicting the mean would be off by {number(mean)}. "
        f"It explains {_percent(share)} of the variation (R² = {share:.2f})."
    )


def _which(summary: ReportSummary) -> str:
    stands = summary.stops[0]
    comparison = summary.comparison
    if comparison is None:
        if stands.kind == "exact":
            return f"It is {in_words(stands)}, which was given."
        return f"It uses {in_words(stands)}. That was given, so nothing was compared."
    text = f"{len(comparison.candidates)} ways of averaging the steps of the fit were compared ({comparison.method}). "
    chosen = next(row for row in comparison.candidates if row.chosen)
    best = min(
        (row for row in comparison.candidates if row.error is not None and row.step == chosen.step),
        key=lambda row: row.error or 0.0,
        default=chosen,
    )
    which = in_words(chosen)
    if best is chosen or best.error == chosen.error:
        text += f"Chosen was {which}, because it predicted best{_others_as_good(comparison.candidates, best)}. "
    else:
        text += f"Chosen was {which}: more cautious than the best, and within its standard error. "
    text += _strength(chosen, summary)
    if not stands.chosen:
        text += f" The model was then moved to {in_words(stands)}."
    return text.strip()


def _others_as_good(candidates: Sequence[Candidate], best: Candidate) -> str:
    """Say how many others are hardly worse."""
    if best.error is None or best.standard_error is None:
        return ""
    most = best.error + best.standard_error
    n = sum(row.error is not None and row.error <= most for row in candidates) - 1
    if n < 1:
        return ""
    return f"; {n:,} {'other comes' if n == 1 else 'others come'} within one standard error of it"


def _strength(chosen: Candidate, summary: ReportSummary) -> str:
    """Say in words how much regularization that is."""
    elapsed = sum(size * count for size, count in summary.run.stairs)
    if chosen.alpha is None:
        return "" if chosen.kind == "other" else "That is hardly any regularization: the data speak for themselves."
    if 0 < chosen.alpha * elapsed < 1:
        return "That is hardly any regularization: the data speak for themselves."
    return "Coefficients are pulled towards zero by that much, which keeps noise out."


def in_words(average: Candidate) -> str:
    """Return what an average does, in a few words."""
    if average.kind == "geometric":
        return f"ridge strength alpha = {number(average.alpha or 0.0)} (a geometric average)"
    if average.kind == "tail":
        return f"the average of the last {_percent(1 - (average.start or 0.0))} of the steps (a tail average)"
    if average.kind == "uniform":
        return "the plain average of all steps"
    if average.kind == "exact":
        return f"exact ridge of alpha = {number(average.alpha or 0.0)}"
    return "the last step alone" if average.kind == "last" else average.name


def _columns(summary: ReportSummary) -> str:
    path = summary.targets[0].path
    effects = path.stops[0]
    named = [name for name, effect in zip(path.features[:NAMED], effects, strict=False) if effect]
    if not named:
        return "No column has an effect: the model always predicts the mean."
    of = f" on {summary.targets[0].name}" if len(summary.targets) > 1 else ""
    largest, verb = effects[0], "raises" if effects[0] > 0 else "lowers"
    matter = "The column that matters most is" if len(named) == 1 else "The columns that matter most are"
    return (
        f"{matter} {_listed(named, len(named))}: when {named[0]} {RISES[summary.scale]} "
        f"({number(path.scales[0])}) and the others stay, that {verb} the prediction{of} by {number(abs(largest))}."
    )


def drift(rows: Rows) -> str:
    """Say whether the mean residual differs between parts of the stream."""
    residuals = [a - p for a, p in zip(rows.actual, rows.predicted, strict=True)]
    n_parts = min(PARTS, len(residuals) // FEWEST_IN_PART)
    if n_parts < 2:
        return "There are too few rows to tell whether the errors change over time."
    edges = [round(k * len(residuals) / n_parts) for k in range(n_parts + 1)]
    parts = [residuals[first:last] for first, last in pairwise(edges)]
    if all(len(set(part)) == 1 for part in parts):
        return ""
    chance = float(f_oneway(*parts).pvalue)
    if chance < DRIFT:
        return (
            "Some parts lie above or below zero by more than chance explains: something changes from row to row that "
            "the columns do not tell (drift)."
        )
    if chance < PERHAPS:
        return "Parts lie above or below zero by a little more than chance explains: perhaps there is some drift."
    return "No part lies above or below zero by more than chance explains: no drift is visible."


def _percent(share: float) -> str:
    if 0 < share < 0.095:
        return f"{100 * share:.1f}%"
    return f"{100 * share:.1f}%" if 0.99 < share < 1 else f"{100 * share:.0f}%"


def _listed(names: list[str], n_all: int) -> str:
    shown = names if n_all == len(names) else [*names, f"{n_all - len(names)} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
