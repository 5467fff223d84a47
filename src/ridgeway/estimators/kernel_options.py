"""The parameters of a kernel estimator, checked and converted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ridgeway.averaging import Uniform
from ridgeway.estimators.options import check_averaging, check_cv, check_passes, generator
from ridgeway.kernel.features import Features, FourierFeatures, NystroemFeatures, Scaling
from ridgeway.kernel.function import OF_DISTANCES, Kernel, positive_gamma, takes_gamma
from ridgeway.kernel.gamma_choice import median_gamma
from ridgeway.machine.available_memory import MB, require_memory
from ridgeway.rows import Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import FitOptions
from ridgeway.sgd.step_size import check_step
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import counted, real_number

COMPONENT_KINDS = ("auto", "fourier", "nystroem")


def check_gamma(kernel: Any, gamma: Any, n_features: int) -> float | None:
    """Return gamma as the kernel takes it; 1 / n_features for None, and for "auto" until it is chosen."""
    if isinstance(gamma, str):
        if gamma != "auto":
            raise ValueError(f"gamma={gamma!r}: expected a positive number, None for 1 / n_features, or 'auto'.")
        if not is_name(kernel, *OF_DISTANCES):
            raise ValueError(
                f"gamma='auto' with kernel={kernel!r}: expected kernel={' or '.join(map(repr, OF_DISTANCES))}, where a "
                "choice of gamma is cheap; give gamma as a number."
            )
        return 1 / n_features
    if gamma is None:
        return 1 / n_features if takes_gamma(kernel) else None
    return positive_gamma(gamma)


def kernel_of(estimator: Any, n_features: int) -> Kernel | None:
    """Return the kernel that the parameters of an estimator ask for; None when its matrix is precomputed."""
    gamma = check_gamma(estimator.kernel, estimator.gamma, n_features)
    if is_name(estimator.kernel, "precomputed"):
        return None
    params = estimator.kernel_params
    if params is not None and not isinstance(params, dict):
        raise TypeError(
            f"kernel_params={params!r}: expected a dict of keyword arguments of a callable kernel, or None."
        )
    return Kernel(estimator.kernel, gamma, estimator.degree, estimator.coef0, dict(params or {}))


def check_features(features: Any, kernel: Any) -> str:
    """Return "fourier" or "nystroem"."""
    if features not in COMPONENT_KINDS:
        raise ValueError(f"features={features!r}: expected one of {', '.join(map(repr, COMPONENT_KINDS))}.")
    if features == "auto":
        return "fourier" if kernel == "rbf" else "nystroem"
    if features == "fourier" and kernel != "rbf":
        raise ValueError(f"features='fourier' with kernel={kernel!r}: expected 'rbf'; take features='nystroem'.")
    return str(features)


def check_cache(cache_size: Any) -> float:
    """Return the size of the cache in bytes."""
    size = real_number("cache_size", cache_size, "expected megabytes, 0 or more")
    if size < 0:
        raise ValueError(f"cache_size={size:g} is negative: expected megabytes, 0 or more.")
    return size * MB


def kernel_fit_options(estimator: Any, n_rows: int) -> FitOptions:
    """Check the parameters of a kernel estimator that decide how a fit goes; few rows choose nothing."""
    return FitOptions(
        asked=check_averaging(estimator.averaging, estimator.alpha).of_rows(n_rows, Uniform()),
        step=check_step(estimator.step),
        passes=check_passes(estimator.passes),
        cv=check_cv(estimator.cv),
        batch_size=counted("batch_size", estimator.batch_size),
        shuffle=bool(estimator.shuffle),
        store="sketch",
        n_jobs=1,
        one_standard_error=bool(estimator.one_standard_error),
    )


def new_features(estimator: Any, batch: Batch) -> tuple[Features, float | None]:
    """Return components made from a first batch, and gamma; "auto" is the median heuristic here."""
    n_components = counted("n_components", estimator.n_components, "expected None or an integer of 1 or more")
    if is_name(estimator.kernel, "precomputed"):
        raise ValueError("n_components with kernel='precomputed': expected None, as the rows are unknown.")
    kind = check_features(estimator.features, estimator.kernel)
    kernel = kernel_of(estimator, batch.rows.shape[1])
    assert kernel is not None
    scale, rng = bool(estimator.scale), generator(estimator.random_state)
    itemsize = batch.rows.dtype.itemsize
    numbers = batch.rows.shape[1] if kind == "fourier" else batch.rows.shape[1] + 4 * n_components
    require_memory(
        itemsize * n_components * (numbers + 4096.0),
        f"n_components={n_components:,}",
        "take fewer components",
    )
    standardization = Standardization.of(batch, scale, centre=True)
    scaling = Scaling.of(batch, standardization, scale)
    if isinstance(estimator.gamma, str):
        few = rng.permutation(len(batch))[:500]
        kernel = kernel.with_gamma(median_gamma(kernel, scaling.rows(batch.rows.take(few)), rng))
    if kind == "fourier":
        assert kernel.gamma is not None
        shape = batch.rows.shape[1], n_components
        return FourierFeatures.draw(scaling, kernel.gamma, shape, batch.rows.dtype, rng), kernel.gamma
    if n_components > len(batch):
        raise ValueError(
            f"n_components={n_components} with {len(batch)} rows to begin with: expected at most one component per "
            "row; take fewer components, or begin with more rows."
        )
    centres = batch.rows.take(np.sort(rng.permutation(len(batch))[:n_components]))
    return NystroemFeatures.at(kernel, scaling, scaling.rows(centres)), kernel.gamma
