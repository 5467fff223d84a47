"""The page of an evaluation: errors, intervals, calibration, groups and every alpha, as one HTML file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.evaluation import Evaluation
from ridgeway.evaluation.group_errors import in_order_of_values, largest_groups
from ridgeway.messages.number_text import number, signed
from ridgeway.report.evaluation_figures import (
    MAX_PLOTTED_ROWS,
    MIN_PLOTTED_ROWS,
    evaluation_figures,
    has_log_axes,
    own_alpha,
)
from ridgeway.report.html_page import html_page
from ridgeway.report.sentences import versions
from ridgeway.storage.atomic_file import write_atomically

MAX_EVALUATED_TARGETS = 6  # targets on a page
MAX_LISTED_GROUPS = 50
NOT_LEARNED = "These are the errors of new rows only if the model has learned from none of the rows shown here."


def render_evaluation(found: Evaluation, title: str | None = None, *, unseen: bool = False) -> str:
    """Return the page of an evaluation, with its scripts, styles and data; it loads nothing else.

    Parameters
    ----------
    found : what `ridgeway.evaluate` returned.
    title : title of the page; None names the targets.
    unseen : True if the model has learned from none of the rows; otherwise the page says what follows if it has.
    """
    n_targets = min(len(found.targets), MAX_EVALUATED_TARGETS)
    names = [name or "the target" for name in found.targets]
    most = max(MIN_PLOTTED_ROWS, MAX_PLOTTED_ROWS // n_targets)
    targets = [
        {
            "name": names[target_index],
            "sentences": found.target_sentences(target_index),
            "alphas": found.alphas[target_index].sentence(found.scheme),
            "n_drawn": min(most, len(found.sample[target_index].actual)),
            "deciles": found.calibration[target_index],
            "groups": _groups(found, target_index),
        }
        for target_index in range(n_targets)
    ]
    lead = found.target_sentences(0)[:-1] if len(names) == 1 else [f"{found.n_rows:,} rows of {len(names)} targets."]
    return html_page(
        "evaluation_page",
        {"figures": evaluation_figures(found, n_targets), "values": found.values()},
        title=title or f"Evaluation of {names[0] if len(names) == 1 else f'{len(names)} targets'}",
        headline=[*lead, *found.cautions, *([] if unseen or found.fitted_to is not None else [NOT_LEARNED])],
        tiles=_tiles(found),
        found=found,
        targets=targets,
        group_order="by value"
        if in_order_of_values(found.groups[:MAX_LISTED_GROUPS])
        else "those with most rows first",
        log_axes=has_log_axes(found),
        starred=own_alpha(found) is not None,
        facts=_facts(found),
        facts_title="Facts about the evaluation",
    )


def write_evaluation(
    found: Evaluation, path: str | os.PathLike[str], title: str | None = None, *, unseen: bool = False
) -> None:
    """Write the page of an evaluation as one HTML file, completely or not at all.

    Parameters
    ----------
    found : what `ridgeway.evaluate` returned.
    path : the file to write.
    title : title of the page; None names the targets.
    unseen : True if the model has learned from none of the rows; otherwise the page says what follows if it has.

    Examples
    --------
    >>> import tempfile, numpy as np, ridgeway as rw
    >>> from pathlib import Path
    >>> from ridgeway.report import write_evaluation
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 2))
    >>> y = X @ [1.0, 2.0] + rng.standard_normal(500)
    >>> found = rw.evaluate(rw.RidgePathCV(random_state=0).fit(X[:300], y[:300]), X[300:], y[300:])
    >>> file = Path(tempfile.mkdtemp()) / "evaluation.html"
    >>> write_evaluation(found, file)
    >>> "Intervals of coverage 0.9 hold" in file.read_text(encoding="utf-8")
    True
    """
    if not isinstance(found, Evaluation):
        raise TypeError(f"got a {type(found).__name__}: expected an Evaluation; pass what ridgeway.evaluate returned.")
    write_atomically(path, render_evaluation(found, title, unseen=unseen))


def _tiles(found: Evaluation) -> list[tuple[str, str, str]]:
    """Return the main numbers: value, name, explanation; of several targets those that they share."""
    tiles = []
    if len(found.targets) == 1:
        metrics = found.metrics
        if np.isfinite(metrics.r2[0]):
            tiles.append((f"{metrics.r2[0]:.3f}", "R²", "explained share of the variance"))
        tiles.append((number(float(metrics.rmse[0])), "typical error", "root mean squared"))
        tiles.append((number(float(metrics.mae[0])), "mean absolute error", ""))
        if found.intervals is not None:
            note = f"of rows; asked for {100 * found.intervals.coverage:g}%"
            tiles.append((f"{100 * found.intervals.covered[0]:.1f}%", "within intervals", note))
    else:
        tiles.append((f"{len(found.targets):,}", "targets", "evaluated together"))
    return [*tiles, (f"{found.n_rows:,}", "rows", "compared")]


def _groups(found: Evaluation, target_index: int) -> list[dict[str, Any]]:
    """Return the largest groups as texts, and their typical errors as shares of the largest in percent."""
    shown = largest_groups(found.groups, MAX_LISTED_GROUPS)
    largest = max((float(group.metrics.rmse[target_index]) for group in shown), default=0.0) or 1.0
    rows = []
    for group in shown:
        metrics = group.metrics
        r2, rmse, bias = (float(values[target_index]) for values in (metrics.r2, metrics.rmse, metrics.bias))
        rows.append(
            {
                "name": group.group,
                "rows": f"{metrics.n_rows:,}",
                "r2": f"{r2:.3f}" if np.isfinite(r2) else "-",
                "rmse": number(rmse),
                "width": f"{100 * rmse / largest:.1f}",
                "bias": signed(bias),
                "covered": "-" if group.covered is None else f"{100 * group.covered[target_index]:.1f}%",
            }
        )
    return rows


def _facts(found: Evaluation) -> list[tuple[str, str]]:
    facts = [("Model", scheme_name(found.scheme)), ("Rows", f"{found.n_rows:,}")]
    if found.left_out:
        facts.append(("Rows left out (no target or weight)", f"{found.left_out:,}"))
    if found.intervals is not None:
        facts.append(("Residuals behind the intervals", found.intervals.method))
    return [*facts, ("Versions", versions())]
