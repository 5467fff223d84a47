"""What a file holds of a fitted kernel model, and how files of version 0.1 are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ridgeway.averaging import scheme_of
from ridgeway.estimators.component_fit import ComponentModel, unfitted
from ridgeway.estimators.kernel_averages import KernelAverages
from ridgeway.estimators.solver_choice import SolverChoice
from ridgeway.estimators.solver_facts import SOLVER_FACTS
from ridgeway.kernel.features import GivenFeatures, features_of
from ridgeway.selection import HeldOut
from ridgeway.selection.candidate_table import Selection
from ridgeway.storage.state import StateError, Stored, state_of

if TYPE_CHECKING:
    from ridgeway.storage.state import State

OF_OLD = SolverChoice("sgd", "the only solver of version 0.1")


def kernel_fit_state(estimator: Any) -> State:
    """Return what the fit of an `AveragedKernelRegressor` left behind."""
    components = estimator._components
    own: State = {
        "gamma": estimator.gamma_,
        "components": components is not None,
        "solver": estimator.solver_,
        "reason": estimator.solver_reason_,
    }
    if components is not None:
        return {**own, "features": components.features.state(), "linear": components.linear._fit_state()}
    selected = estimator._fitted()
    return {
        **own,
        "averages": selected.averages.state(),
        "wanted": selected.wanted.state(),
        "selection": state_of(selected.selection),
        "held_out": state_of(estimator._held_out),
        "n_rows": estimator.n_rows_,
        "passes": estimator.passes_,
    }


def restore_kernel_fit(estimator: Any, stored: Stored) -> None:
    """Set what the fit of an `AveragedKernelRegressor` left behind."""
    estimator.gamma_ = stored.positive("gamma") if "gamma" in stored else None
    estimator.gamma_errors_ = None
    choice = SolverChoice(stored.text("solver", SOLVER_FACTS), stored.text("reason")) if "solver" in stored else OF_OLD
    if stored.flag("components"):
        features = features_of(stored.part("features"), estimator.n_features_in_)
        linear = unfitted(estimator, choice.solver)
        linear.n_features_in_ = features.n_features
        linear._restore(stored.part("linear"))
        if linear.coef_.shape[-1] != features.n_features:
            raise StateError(f"{linear.coef_.shape[-1]} coefficients of {features.n_features} components.")
        estimator._set_fit(ComponentModel(linear, features, choice))
        return
    averages = KernelAverages.from_state(stored.part("averages"), estimator.n_features_in_)
    if (estimator.kernel == "precomputed") != isinstance(averages.features, GivenFeatures):
        raise StateError(f"features of another kernel than {estimator.kernel!r}.")
    chosen = stored.read("selection", Selection.from_state)
    estimator._components = None
    estimator._selected_model = averages.at(scheme_of(stored.part("wanted")), chosen)
    estimator.solver_, estimator.solver_reason_ = choice
    estimator._held_out = stored.read("held_out", HeldOut.from_state, len(averages.target_scale))
    estimator.n_rows_, estimator.passes_ = stored.integer("n_rows", 1), stored.number("passes", 0.0)
