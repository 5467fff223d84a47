"""Summarize a fitted model: the numbers and texts of its report."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ridgeway.averaging import Scheme, Staircase
from ridgeway.estimators import AveragedKernelRegressor, AveragedSGDRegressor, RidgePathCV
from ridgeway.estimators.coefficient_intervals import coefficient_intervals
from ridgeway.estimators.column_scale import column_scale
from ridgeway.estimators.solver_facts import describe_solver
from ridgeway.evaluation import Evaluation
from ridgeway.exact import ExactRidgePath
from ridgeway.intervals.conformal import SHOWN_COVERAGE
from ridgeway.kernel.flattened import Flattened
from ridgeway.machine.blas import one_thread
from ridgeway.messages.strength_warnings import no_strength_warnings
from ridgeway.report.candidate_grid import candidate, compare, make_grid, stopping_places
from ridgeway.report.effects import effects_on, level_spreads, with_targets
from ridgeway.report.evaluated_rows import evaluated_rows
from ridgeway.report.mean_effects import MeanEffects
from ridgeway.report.paths import make_paths
from ridgeway.report.predicted_rows import Predictions, given_rows, held_out_rows, require_both
from ridgeway.report.report_summary import (
    FORMAT,
    Candidate,
    Comparison,
    Encoded,
    EvaluatedRows,
    Grid,
    Interval,
    Path,
    ReportSummary,
    Run,
    Target,
)
from ridgeway.report.sentences import in_words, versions
from ridgeway.report.table_facts import options_of_table, table_model_of
from ridgeway.trajectory import Spectrum

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MAX_SHOWN_COLUMNS, MIN_COLUMNS_PER_TARGET = 60, 20
MAX_SHOWN_TARGETS = 6


def summarize(
    fitted: Any,
    *,
    X: Any = None,
    y: ArrayLike | None = None,
    unseen: bool = False,
    encoder: Any = None,
    feature_names: Sequence[str] | None = None,
    target_names: Sequence[str] | None = None,
    title: str | None = None,
    seconds: float | None = None,
    facts: Mapping[str, Any] | None = None,
    test: EvaluatedRows | Evaluation | None = None,
    logarithms: bool = False,
) -> ReportSummary:
    """Return what the report of a fitted model shows; the data are not needed.

    The prediction error comes from held-out rows of the fit (folds, hold-out, or rows of a stream before they were
    learned). Pass X and y to show other rows. Unless `unseen` is True, the report warns that errors on rows the model
    has learned are smaller than on new rows.

    Parameters
    ----------
    fitted : a `TableModel`, or a fitted `RidgePathCV`, `AveragedSGDRegressor`, `AveragedKernelRegressor` or
        `ExactRidgePath`. Effects of the columns of a kernel model are means over rows that it keeps. A table model
        brings its encoder, names, title and facts.
    X, y : rows to show instead of the held-out rows, in the form of the rows of the fit.
    unseen : True if the model has learned from none of these rows.
    encoder : a fitted encoder of tables with ``describe()``, a table of column, kind, what was done, number of
        features.
    feature_names : names of the model's columns; None takes those of the encoder or of the fit, or x0, x1, ...
    target_names : names of the targets; None takes y, or y0, y1, ...
    title : title of the page.
    seconds : duration of the fit.
    facts : more facts to list, by name.
    test : what `ridgeway.evaluate` found on test rows, to be stated first.
    logarithms : whether the targets are logarithms, whose intervals are factors; a table model tells it itself.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> from ridgeway.report import summarize
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 2))
    >>> model = rw.AveragedSGDRegressor(random_state=0).fit(X, X @ [3.0, 1.0] + rng.standard_normal(300))
    >>> summary = summarize(model, feature_names=["age", "size"], target_names=["price"])
    >>> summary.targets[0].path.features, summary.rows_source
    (('age', 'size'), 'held-out')
    """
    if (table := table_model_of(fitted)) is not None:
        named = {"encoder": encoder, "feature_names": feature_names, "target_names": target_names, "title": title}
        own = options_of_table(table, X=X, y=y, facts=facts, seconds=seconds, test=test, **named)
        return summarize(table.model, **own)
    if not isinstance(fitted, RidgePathCV | AveragedSGDRegressor | AveragedKernelRegressor | ExactRidgePath):
        raise TypeError(
            f"a {type(fitted).__name__} cannot be reported: expected a table model, or a fitted RidgePathCV, "
            "AveragedSGDRegressor, AveragedKernelRegressor or ExactRidgePath."
        )
    check_is_fitted(fitted)
    require_both(X, y)
    n_features = int(fitted.n_features_in_)
    with no_strength_warnings():
        coefs, _ = with_targets(fitted.path([1.0]))
    n_targets = coefs.shape[1]
    names = _feature_names(fitted, encoder, feature_names, n_features)
    targets = _target_names(target_names, n_targets)
    with one_thread(), no_strength_warnings():
        grid, stops, paths, comparison = _averages(fitted, names, min(n_targets, MAX_SHOWN_TARGETS))
    predictions = _predictions(fitted, X, y, unseen, in_words(stops[0]))
    left_out = _left_out_errors(fitted, n_targets)
    intervals = _intervals(fitted, n_targets, held_out=predictions is None or predictions.source == "held-out")
    return ReportSummary(
        format=FORMAT,
        title=title or f"A model of {targets[0] if n_targets == 1 else f'{n_targets} targets'}",
        estimator=type(fitted).__name__,
        n_features=n_features,
        n_targets=n_targets,
        scale=_scale_word(fitted),
        grid=grid,
        stops=stops,
        comparison=comparison,
        targets=tuple(
            _target(name, path, k, predictions, len(paths), left_out, intervals[k])
            for k, (name, path) in _pairs(targets, paths)
        ),
        rows_source="none" if predictions is None else predictions.source,
        n_source_rows=0 if predictions is None else predictions.n_rows,
        predicted_by="" if predictions is None else predictions.by,
        run=_run(fitted, seconds),
        encoded=_encoded(encoder),
        facts=_facts({**_solver_facts(fitted), **(facts or {})}),
        test=evaluated_rows(test, file=test.fitted_to) if isinstance(test, Evaluation) else test,
        logarithms=logarithms,
    )


def _averages(
    fitted: Any, names: Sequence[str], n_targets: int
) -> tuple[Grid, tuple[Candidate, ...], list[Path], Comparison | None]:
    most = max(MIN_COLUMNS_PER_TARGET, MAX_SHOWN_COLUMNS // n_targets)
    if isinstance(fitted, ExactRidgePath):
        scale = np.asarray(column_scale(fitted), np.float64)
        alpha = float(fitted.alpha_)
        stop = Candidate("exact", f"alpha={alpha:.3g}", alpha, None, None, None, None, chosen=False, selected=True)
        coefs, intercepts = with_targets(fitted.path([alpha]))
        alphas = [alpha] if alpha > 0 else []
        widest = make_grid(None, None, alphas)
        models = coefs * scale, intercepts
        effects = effects_on(fitted, widest)
        grid, paths = make_paths(effects, widest, alphas, models, scale, names, n_targets, most)
        return grid, (stop,), paths, None
    length, selection = fitted.trajectory_.length, fitted.selection_
    places = stopping_places(fitted.averaging_, selection)
    wanted = fitted._fitted().wanted
    if all(scheme not in (wanted, fitted.averaging_) for scheme, _ in places):
        places.insert(0, (wanted, None))
    is_selected = [scheme in (wanted, fitted.averaging_) for scheme, _ in places]
    order = sorted(range(len(places)), key=lambda i: not is_selected[i])
    schemes: list[Scheme] = [places[i][0] for i in order]
    nearest = fitted.trajectory_.nearest  # the scheme whose average is returned
    stops = tuple(candidate(nearest(places[i][0]), length, places[i][1], is_selected[i]) for i in order)
    alphas = [stop.alpha for stop in stops if stop.alpha]
    widest = make_grid(fitted.step_, fitted.trajectory_.elapsed, alphas)
    if isinstance(fitted, AveragedKernelRegressor):
        means = MeanEffects.of(fitted)
        scale, models, effects = means.scale, means.at(schemes), means.on(widest)
    else:
        scale = np.asarray(column_scale(fitted), np.float64)
        coefs, intercepts = with_targets(fitted._fitted().averages.models(schemes))
        models, effects = (coefs * scale, intercepts), effects_on(fitted, widest)
    shown = coefficient_intervals(fitted), level_spreads(fitted)
    grid, paths = make_paths(effects, widest, alphas, models, scale, names, n_targets, most, *shown)
    return grid, stops, paths, None if selection is None else compare(selection, length, grid)


def _predictions(fitted: Any, X: Any, y: Any, unseen: bool, selected: str) -> Predictions | None:
    if X is not None:
        return given_rows(fitted, X, y, selected, unseen)
    rows = getattr(fitted, "held_out_", None)
    return None if rows is None else held_out_rows(rows, fitted.trajectory_.length)


def _left_out_errors(fitted: Any, n_targets: int) -> tuple[float | None, float | None]:
    """Return the chosen average's error on left-out rows, and that of the mean, where their predictions are not kept.

    Errors over several targets are known of all of them together only.
    """
    if not isinstance(fitted, RidgePathCV) or fitted.selection_ is None or n_targets > 1 or not fitted.fit_intercept:
        return None, None
    averages, chosen = fitted._fitted().averages, fitted.selection_.chosen
    if averages.trajectory.nearest(chosen.scheme) != fitted.averaging_:
        return None, None  # the model was changed to another average
    return float(chosen.error), averages.standardization.unit


def _target(
    name: str,
    path: Path,
    number: int,
    predictions: Predictions | None,
    n_shown: int,
    left_out: tuple[float | None, float | None],
    interval: Interval | None,
) -> Target:
    if predictions is None:
        return Target(name, path, None, *left_out, interval)
    error = None if predictions.errors is None else float(predictions.errors[number])
    rows, variance = predictions.rows(number, n_shown), float(predictions.variance[number])
    return Target(name, path, rows, error, variance, interval)


def _intervals(fitted: Any, n_targets: int, held_out: bool) -> list[Interval | None]:
    """Return the prediction interval of each target; None where there is none.

    Held-out rows are shown as the chosen average predicts them. A model that was moved to another average has other
    intervals, which do not belong to these predictions.
    """
    none: list[Interval | None] = [None] * n_targets
    rows, method = getattr(fitted, "held_out_", None), getattr(fitted, "interval_method_", None)
    if rows is None or method is None:
        return none
    if held_out and fitted.trajectory_.nearest(rows.scheme) != fitted.averaging_:
        return none
    try:
        width = fitted.interval_width(SHOWN_COVERAGE)
    except ValueError:  # too few rows were held out, or none of this average
        return none
    return [Interval(SHOWN_COVERAGE, float(size), method) for size in width.sizes]


def _pairs(names: Sequence[str], paths: Sequence[Path]) -> Iterable[tuple[int, tuple[str, Path]]]:
    return enumerate(zip(names[: len(paths)], paths, strict=True))


def _run(fitted: Any, seconds: float | None) -> Run:
    if isinstance(fitted, ExactRidgePath):
        return Run(None, (), None, None, None, None, None, None, None, seconds)
    run = fitted.trajectory_
    if isinstance(run, Spectrum):
        return Run(None, (), None, None, int(fitted.n_rows_), None, None, None, None, seconds)
    plain = not isinstance(run, Flattened)  # all directions share one step and one discount
    return Run(
        float(run.step) if plain else None,
        _stairs(run.steps, run.length) if plain else (),
        int(run.length) if plain else None,
        int(run.n_steps),
        int(fitted.n_rows_),
        float(getattr(fitted, "passes_", 1.0)),
        int(run.limited),
        int(run.split),
        float(run.r2),
        None if seconds is None else float(seconds),
    )


def _scale_word(fitted: Any) -> str:
    """Return the unit of a column in its effect, one of `SCALES`."""
    if not fitted.scale:
        return "unit"
    if not isinstance(fitted, AveragedSGDRegressor | RidgePathCV):
        return "deviation"
    averages = fitted._fitted().averages
    if not averages.sparse:
        return "deviation"
    return "unit" if (averages.standardization.scale == 1).all() else "largest"


def _feature_names(fitted: Any, encoder: Any, given: Sequence[str] | None, n_features: int) -> list[str]:
    names = given
    if names is None and encoder is not None:
        names = encoder.get_feature_names_out()
    if names is None:
        names = getattr(fitted, "feature_names_in_", None)
    if names is None:
        names = [f"x{i}" for i in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"{len(names)} feature_names: expected {n_features}, one for each column of the model.")
    return [str(name) for name in names]


def _target_names(given: Sequence[str] | None, n_targets: int) -> list[str]:
    if given is None:
        return ["y"] if n_targets == 1 else [f"y{i}" for i in range(n_targets)]
    if isinstance(given, str) or len(given) != n_targets:
        raise ValueError(f"target_names={given!r}: expected a list of {n_targets}, one for each target of the model.")
    return [str(name) for name in given]


def _encoded(encoder: Any) -> tuple[Encoded, ...]:
    """Read the table that describes the columns of an encoder: records of four entries, in any usual form."""
    if encoder is None:
        return ()
    table = encoder.describe()
    if hasattr(table, "to_dict") and hasattr(table, "columns"):  # a data frame
        table = table.to_dict("records")
    rows = []
    for record in table:
        if dataclasses.is_dataclass(record):
            entries = [getattr(record, field.name) for field in dataclasses.fields(record)]
        else:
            entries = list(record.values() if isinstance(record, Mapping) else record)
        if len(entries) < 4:
            raise ValueError(
                f"describe() of the encoder gave {record!r}: expected column, kind, what was done, number of features."
            )
        column, kind, done, n_features = entries[:4]
        rows.append(Encoded(str(column), str(kind), str(done), int(n_features)))
    return tuple(rows)


def _solver_facts(fitted: Any) -> dict[str, str]:
    """Return which solver ran, and why, where there is a choice of solvers."""
    if isinstance(fitted, RidgePathCV | AveragedKernelRegressor):
        return {"Solver": describe_solver(fitted.solver_, fitted.solver_reason_)}
    return {}


def _facts(facts: Mapping[str, Any] | None) -> tuple[tuple[str, str], ...]:
    given = [(str(name), _in_words(value)) for name, value in (facts or {}).items()]
    return (*given, ("Versions", versions()))


def _in_words(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _stairs(steps: Staircase, length: int) -> tuple[tuple[float, int], ...]:
    """Return the step sizes of a run and of the step after it, each with its number of steps."""
    ends = [min(edge, length + 1) for edge in (*steps.edges, length + 1)]
    counts = [end - before for before, end in pairwise([0, *ends])]
    return tuple((float(size), count) for size, count in zip(steps.sizes, counts, strict=True) if count > 0)
