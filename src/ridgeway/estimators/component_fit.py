"""Linear models of components: fits in memory by the engine that costs least, and streams."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.derived import derived_property
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.estimators.component_feed import MAX_MADE_NUMBERS, ComponentRows, component_feed
from ridgeway.estimators.kernel_averages import ComponentAverages
from ridgeway.estimators.kernel_convergence import WEAK_KERNEL_STRENGTHS
from ridgeway.estimators.kernel_solver_choice import choose_component_solver, choose_component_stream
from ridgeway.estimators.options import fit_options, generator
from ridgeway.estimators.ridge_path_cv import RidgePathCV
from ridgeway.kernel.features import FourierFeatures, NystroemFeatures

if TYPE_CHECKING:
    from ridgeway.averaging import Scheme
    from ridgeway.estimators.averages import SelectedModel
    from ridgeway.estimators.solver_choice import SolverChoice
    from ridgeway.kernel.features import Features
    from ridgeway.rows import Batch
    from ridgeway.selection import HeldOut

SHARED_PARAMETERS = (
    "averaging",
    "alpha",
    "cv",
    "one_standard_error",
    "fit_intercept",
    "n_jobs",
    "random_state",
    "verbose",
)
SGD_PARAMETERS = ("passes", "step", "batch_size", "shuffle")
MIN_MADE_ROWS = 4096


@dataclass(frozen=True, eq=False)
class ComponentModel:
    """A fitted linear model of components.

    Attributes
    ----------
    linear : the model.
    features : the components.
    choice : its solver, and why it is this one.
    """

    linear: AveragedSGDRegressor | RidgePathCV
    features: Features
    choice: SolverChoice

    @derived_property
    def selected(self) -> SelectedModel[ComponentAverages]:
        """The selected model."""
        selected = self.linear._fitted()
        averages = ComponentAverages(selected.averages, self.features)
        ridge = averages if selected.ridge is selected.averages else ComponentAverages(selected.ridge, self.features)
        return averages.at(selected.wanted, selected.selection, ridge, selected.noisy)

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the components."""
        features = self.features
        assert isinstance(features, FourierFeatures | NystroemFeatures)
        return features.phases.dtype if isinstance(features, FourierFeatures) else features.whitening.dtype

    @property
    def passes(self) -> float:
        """Passes over the rows; 1 where they were solved exactly."""
        return self.linear.passes_ if isinstance(self.linear, AveragedSGDRegressor) else 1.0

    @property
    def held_out(self) -> HeldOut | None:
        """A sample of rows with predictions of runs that had not learned from them."""
        held_out: HeldOut | None = getattr(self.linear, "held_out_", None)
        return held_out

    def at(self, average: float | str | Scheme | None) -> ComponentModel:
        """Return the model at another alpha or scheme."""
        return replace(self, linear=self.linear.at(average))

    def with_rows(self, batch: Batch) -> ComponentModel:
        """Return the model after more rows; this one stays as it is."""
        linear = copy.copy(self.linear)
        targets = batch.y[:, 0] if batch.single_target else batch.y
        at_once = max(MIN_MADE_ROWS, MAX_MADE_NUMBERS // self.features.n_features)
        for first in range(0, len(batch), at_once):
            part = slice(first, min(first + at_once, len(batch)))
            made = self.features.of(batch.rows.between(part.start, part.stop))
            linear.partial_fit(made, targets[part], batch.weight[part])
        return replace(self, linear=linear)


def begin_components(estimator: Any, features: Features) -> ComponentModel:
    """Return a model that has not learned from any row yet, for a stream."""
    choice = choose_component_stream(estimator, features.n_features)
    return ComponentModel(unfitted(estimator, choice.solver), features, choice)


def fit_components(
    estimator: Any, batch: Batch, features: Features, cache_bytes: float, given: tuple[Any, Any]
) -> ComponentModel:
    """Fit the components of rows in memory.

    Parameters
    ----------
    estimator : whose parameters say how.
    batch : the user's rows, finite.
    features : the components.
    cache_bytes : memory for features.
    given : X and y as the user gave them, for splitters.
    """
    choice = choose_component_solver(estimator, batch, features.n_features, cache_bytes)
    if choice.solver == "sgd":
        sgd = unfitted_sgd(estimator)
        feed = component_feed(
            batch, features, bool(estimator.fit_intercept), cache_bytes, generator(estimator.random_state)
        )
        sgd._fit_feed(feed, fit_options(sgd), *given)
        sgd.n_features_in_ = features.n_features
        return ComponentModel(sgd, features, choice)
    rows = ComponentRows.of(batch.rows, features)
    if 2 * rows.nbytes > cache_bytes:
        return ComponentModel(unfitted(estimator, choice.solver), features, choice).with_rows(batch)
    linear = unfitted_exact(estimator, choice.solver)
    linear.n_features_in_ = features.n_features
    linear._solve(choice, replace(batch, rows=rows.made()), given, keep_rows=False)
    return ComponentModel(linear, features, choice)


def unfitted(estimator: Any, solver: str) -> AveragedSGDRegressor | RidgePathCV:
    """Return a linear estimator with the parameters of a kernel estimator."""
    return unfitted_sgd(estimator) if solver == "sgd" else unfitted_exact(estimator, solver)


def unfitted_sgd(estimator: Any) -> AveragedSGDRegressor:
    """Return the estimator that runs SGD."""
    return AveragedSGDRegressor(
        **{name: getattr(estimator, name) for name in (*SHARED_PARAMETERS, *SGD_PARAMETERS)}, scale=False
    )


def unfitted_exact(estimator: Any, solver: str) -> RidgePathCV:
    """Return the estimator that solves exactly, with warnings that are worded for kernel models."""
    linear = RidgePathCV(solver=solver, **{name: getattr(estimator, name) for name in SHARED_PARAMETERS}, scale=False)
    linear._weak_strengths, linear._watches_drift = WEAK_KERNEL_STRENGTHS, False
    return linear
