"""Diagnose data: compare the errors that theory predicts with those that a fit measures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.estimators.steps import constant_step
from ridgeway.rows import Batch, check_batch
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization
from ridgeway.sgd import LimitedStep
from ridgeway.sgd.step_size import check_step
from ridgeway.theory.assumptions import assumptions_of
from ridgeway.theory.closed_risk import Modes
from ridgeway.theory.diagnosis import Diagnosis, Predicted
from ridgeway.theory.fourth_moments import largest_stable_step, require_stable
from ridgeway.theory.reservoir import Reservoir
from ridgeway.theory.risk import risk_in_modes
from ridgeway.theory.sample_moments import SampleMoments
from ridgeway.validation.scalars import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

MAX_STEP_RATIO = 4.0  # largest ratio of the automatic step to the largest step that clips no row
N_FOLDS = 5
DIAGNOSIS_HELD_OUT_SHARE = 0.2  # share of a stream's rows
MAX_DIAGNOSIS_HELD_OUT_ROWS = 20_000
MAX_SAMPLE_ENTRIES = 2**25  # largest number of entries of the sample
MAX_DIRECTIONS = 2000  # largest number of directions that are estimated


def diagnose(
    X: Any,
    y: ArrayLike | None = None,
    step: Any = "auto",
    *,
    batch_size: int = 1,
    scale: bool = True,
    fit_intercept: bool = True,
    sample_rows: int = 20_000,
    random_state: int | None = 0,
) -> Diagnosis:
    """Predict the error of every average of one pass over these rows, and measure it.

    Spectrum, fourth moments, signal and noise are estimated from a sample of the rows; with them `excess_risk` gives
    the error of each average for rows of independent coordinates. It is compared with the error that
    `AveragedSGDRegressor` measures in one pass: with five folds on arrays, or on held-out rows of a stream.
    `Diagnosis.assumptions` lists which assumptions hold for the rows; if one fails, the two curves may differ.

    Parameters
    ----------
    X : array, data frame or scipy sparse matrix of shape (n_rows, n_features); or, with y left out, a stream: an
        iterable of batches (X, y), which is read once and never held in memory.
    y : (n_rows,).
    step : a constant step: a number, a LimitedStep, or "auto", which sets it from the row norms and clips outliers.
    batch_size : rows per step.
    scale, fit_intercept : as in `AveragedSGDRegressor`.
    sample_rows : number of rows to estimate from; fewer are used if there are many columns.
    random_state : seed of the sample, the folds and the orders.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.theory import diagnose
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 30))
    >>> y = 0.05 * X.sum(axis=1) + rng.standard_normal(2000)
    >>> seen = diagnose(X, y)
    >>> seen.reliable
    True
    >>> bool(0.1 < seen.predicted_alpha / seen.measured_alpha < 10)
    True
    """
    model = AveragedSGDRegressor(
        passes=1,
        step=step,
        batch_size=batch_size,
        scale=scale,
        fit_intercept=fit_intercept,
        cv=N_FOLDS,
        random_state=random_state,
    )
    rng = np.random.default_rng(random_state)
    most = counted("sample_rows", sample_rows, "expected an integer of 1 or more; some 20,000 are enough")
    check_step(step)
    if y is None:
        return _of_stream(X, model, most, rng)
    batch = check_batch(X, y, target_dtype=np.dtype(np.float64))
    if not batch.single_target:
        raise ValueError(f"y has {batch.y.shape[1]} targets: expected one; diagnose each column of y by itself.")
    standardization = Standardization.of(batch, bool(scale), bool(fit_intercept))
    constant = _constant_step(step, Feed(batch, standardization))
    model.set_params(step=constant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one pass, whether or not the error has stopped falling
        model.fit(X, y)
    assert model.selection_ is not None
    measured = [_Measured(row.scheme, row.error, row.standard_error) for row in model.selection_]
    sample = batch.take(np.sort(rng.permutation(len(batch))[: _sample_size(most, batch.rows.shape[1])]))
    run = _Run(constant.size, max(1, model.n_steps_ * (N_FOLDS - 1) // N_FOLDS), batch_size, constant.limit)
    return _diagnosis(sample, standardization, measured, run, model.selection_.method, shuffled=True)


def _constant_step(step: Any, feed: Feed) -> LimitedStep:
    """Return the step; the automatic one is reduced slightly if it then clips no row, as the theory assumes."""
    constant = constant_step(step, feed)
    safe = 1 / max(float(feed.weighted_norms().max()), np.finfo(np.float64).tiny)
    if check_step(step) is None and safe * MAX_STEP_RATIO > constant.size > safe:
        return LimitedStep(safe, constant.limit)
    return constant


@dataclass(frozen=True)
class _Run:
    """Step, number of steps, rows per step and limit of the run that was measured."""

    step: float
    n_steps: int
    batch_size: int
    limit: float


@dataclass(frozen=True)
class _Measured:
    scheme: Scheme
    error: float
    standard_error: float


def _of_stream(batches: Any, model: AveragedSGDRegressor, most: int, rng: np.random.Generator) -> Diagnosis:
    if isinstance(batches, np.ndarray) or scipy.sparse.issparse(batches) or not isinstance(batches, Iterable):
        raise ValueError(
            f"y is None and X is a {type(batches).__name__}: expected X and y, or an iterable of batches (X, y)."
        )
    held, sample, first = Reservoir(MAX_DIAGNOSIS_HELD_OUT_ROWS, rng), Reservoir(most, rng), None
    for part in batches:
        try:
            X, y = part
        except (TypeError, ValueError) as error:
            raise ValueError("a batch of the stream is not a pair: expected tuples (X, y).") from error
        batch = check_batch(X, y, target_dtype=np.dtype(np.float64))
        if not batch.single_target:
            raise ValueError(f"y has {batch.y.shape[1]} targets: expected one; diagnose each target separately.")
        if first is None:
            first = Standardization.of(batch, bool(model.scale), bool(model.fit_intercept))
            sample.most = _sample_size(most, batch.rows.shape[1])
            model.set_params(step=constant_step(model.step, Feed(batch, first)))
        rows: Any = X
        rows = rows.tocsr() if scipy.sparse.issparse(X) else np.asarray(rows)
        labels = np.asarray(y, dtype=np.float64)
        apart = rng.random(len(labels)) < DIAGNOSIS_HELD_OUT_SHARE
        held.add(rows[apart], labels[apart])
        sample.add(rows, labels)
        if not apart.all():
            model.partial_fit(rows[~apart], labels[~apart])
    if first is None or held.rows is None or len(held.labels) < N_FOLDS:
        raise ValueError("the stream is too short: expected at least some hundred rows.")
    run = _Run(model.step.size, model.n_steps_, model.batch_size, model.step.limit)
    kept = check_batch(sample.rows, sample.labels, target_dtype=np.dtype(np.float64))
    measured = _held_out_errors(model, held.rows, held.labels, run)
    return _diagnosis(kept, first, measured, run, f"{len(held.labels):,} rows held out from the stream", shuffled=False)


def _held_out_errors(model: AveragedSGDRegressor, rows: Any, labels: Array, run: _Run) -> list[_Measured]:
    alphas = np.geomspace(1e-2 / (run.step * run.n_steps), 1e2 / run.step, 49)
    trajectory = model.trajectory_
    tails = dict.fromkeys(trajectory.nearest(Tail(start)) for start in np.linspace(0.05, 0.95, 19).tolist())
    schemes: list[Scheme] = [*(Geometric(alpha) for alpha in alphas.tolist()), *tails, Uniform(), Last()]
    measured = []
    for scheme in schemes:
        squares = (labels - model.at(scheme).predict(rows)) ** 2
        measured.append(_Measured(scheme, float(squares.mean()), float(squares.std() / np.sqrt(len(squares)))))
    return measured


def _sample_size(most: int, n_columns: int) -> int:
    """Return the number of rows to estimate from, bounded by memory and by the eigendecomposition."""
    return max(2, min(most, MAX_SAMPLE_ENTRIES // n_columns, most if n_columns <= MAX_DIRECTIONS else MAX_DIRECTIONS))


def _diagnosis(
    sample: Batch,
    standardization: Standardization,
    measured: list[_Measured],
    run: _Run,
    method: str,
    *,
    shuffled: bool,
) -> Diagnosis:
    seen = standardization.batch(sample)
    rows = np.asarray(seen.rows.times(np.eye(standardization.n_columns)), dtype=np.float64)
    labels = np.asarray(seen.y[:, 0], dtype=np.float64)
    moments = SampleMoments.of(rows, labels, run.step, run.limit)
    unit = float(standardization.target_scale[0]) ** 2
    s = moments.eigenvalues
    largest = largest_stable_step(s, moments.kurtosis, run.batch_size)
    # The risk of the model is infinite for an unstable step. Then its kurtosis is lowered, and an assumption fails.
    kurtosis = moments.kurtosis
    while largest_stable_step(s, kurtosis, run.batch_size) <= run.step and kurtosis > 1:
        kurtosis = max(1.0, 0.8 * kurtosis)
    require_stable(s, run.step, kurtosis, run.batch_size)
    modes = Modes(s, run.step, kurtosis, run.batch_size)
    table = []
    for row in measured:
        risk = risk_in_modes(row.scheme, modes, moments.bias, moments.noise_variance, run.n_steps)
        predicted = unit * (moments.noise_variance + risk.total)
        table.append(Predicted(row.scheme, predicted, row.error, row.standard_error))
    assumptions = assumptions_of(moments, run.step, largest, None if shuffled else labels)
    return Diagnosis(tuple(table), moments, assumptions, run.step, run.n_steps, unit, method)
