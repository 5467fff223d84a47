"""The parameters of an estimator, checked and converted."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ridgeway.averaging import Geometric, Last, Scheme, Uniform
from ridgeway.rows import Batch
from ridgeway.selection import Averaging, CrossValidation, FitOptions
from ridgeway.selection.cross_validation import METHODS_OF_SGD
from ridgeway.sgd import GrowingStep
from ridgeway.sgd.step_size import check_step
from ridgeway.trajectory import Layout
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import UNPENALIZED, counted, ridge_strength, whole_number

FIXED_AVERAGES = {"uniform": Uniform(), "last": Last()}


def check_averaging(averaging: Any, alpha: Any) -> Averaging:
    """Return the average that `averaging` and `alpha` request together."""
    known = is_name(averaging, "auto", "geometric", "tail", *FIXED_AVERAGES)
    if not known and not isinstance(averaging, Scheme):
        raise ValueError(
            f"averaging={averaging!r}: expected 'auto', 'geometric', 'tail', {', '.join(map(repr, FIXED_AVERAGES))} or "
            "a scheme such as Tail(0.5)."
        )
    if not is_name(alpha, "auto"):
        if isinstance(alpha, str):
            raise ValueError(f"alpha={alpha!r}: expected 'auto' or a number, 0 or more.")
        strength = ridge_strength(alpha, UNPENALIZED)
        if is_name(averaging, "auto", "geometric"):
            return Averaging(Geometric(strength), None)
        raise ValueError(
            f"alpha={alpha} has no meaning for averaging={averaging!r}: only geometric averages have a ridge strength; "
            "leave alpha at 'auto' or set averaging='geometric'."
        )
    if isinstance(averaging, Scheme):
        return Averaging(averaging, None)
    return Averaging(FIXED_AVERAGES[averaging], None) if averaging in FIXED_AVERAGES else Averaging(None, averaging)


def check_passes(passes: Any) -> int | None:
    """Return the number of passes, None for "auto"."""
    if is_name(passes, "auto"):
        return None
    return counted("passes", passes, "expected 'auto' or an integer of 1 or more")


def check_cv(cv: Any) -> CrossValidation:
    """Return how SGD chooses the average."""
    return CrossValidation.of(cv, ("holdout", *METHODS_OF_SGD))


def check_progressive(cv: CrossValidation, step: Any, family: str | None) -> None:
    """Refuse a growing step of the user's in a choice by prediction before learning.

    It splits outlying rows over the whole pass, so there is no moment before which a row was not learned from.
    """
    if cv.method == "progressive" and isinstance(step, GrowingStep) and family is not None:
        raise ValueError(
            f"cv='progressive' with step={step}: expected step='auto', a number or a LimitedStep, as growing steps "
            "learn from outlying rows throughout the pass. Choose cv=5 or cv='holdout', or call partial_fit with "
            "GrowingStep(size, climb=...)."
        )


def check_store(store: Any) -> str | Layout:
    """Return what the runs store; "auto" is the sketch, which needs no rows afterwards."""
    if isinstance(store, Layout) or is_name(store, "sketch", "replay"):
        return store
    if is_name(store, "auto"):
        return "sketch"
    raise ValueError(f"store={store!r}: expected 'auto', 'sketch', 'replay' or a Layout.")


def check_jobs(n_jobs: Any) -> int:
    """Return the number of threads; None is 1, -1 one per core, -2 one less."""
    if n_jobs is None:
        return 1
    jobs = whole_number("n_jobs", n_jobs, "expected None, a number of threads or -1 for all cores")
    if jobs == 0:
        raise ValueError("n_jobs=0: expected None, a number of threads or -1 for all cores.")
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def check_loss(loss: Any) -> None:
    """Refuse every loss but the squared one."""
    if loss != "squared":
        raise ValueError(f"loss={loss!r}: expected 'squared', the only supported loss.")


def require_rows(batch: Batch) -> None:
    """Refuse a first batch without a row of positive weight."""
    if len(batch) == 0:
        raise ValueError("sample_weight is zero for all rows: expected at least one positive weight.")


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator from a seed, a generator or scikit-learn's RandomState."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def fit_options(estimator: Any) -> FitOptions:
    """Check the parameters of an estimator that decide how a fit goes."""
    asked = check_averaging(estimator.averaging, estimator.alpha)
    cv, step = check_cv(estimator.cv), estimator.step
    check_progressive(cv, step, asked.family)
    return FitOptions(
        asked=asked,
        step=step if isinstance(step, GrowingStep) else check_step(step),
        passes=check_passes(estimator.passes),
        cv=cv,
        batch_size=counted("batch_size", estimator.batch_size),
        shuffle=bool(estimator.shuffle),
        store=check_store(estimator.store),
        n_jobs=check_jobs(estimator.n_jobs),
        one_standard_error=bool(estimator.one_standard_error),
    )
