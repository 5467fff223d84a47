"""`SGDModel`: the model of a `RidgePathCV` that was fitted by SGD, in the form of its exact models."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.selection.held_out import HeldOut
from ridgeway.storage.state import State


@dataclass(frozen=True, eq=False)
class SGDModel:
    """A fitted `AveragedSGDRegressor`, with the attributes of `ExactModel`.

    Attributes
    ----------
    sgd : the fitted estimator; it is replaced and never changed.
    sums : None, as SGD has no Gram matrices.
    """

    sgd: AveragedSGDRegressor
    sums: ClassVar[None] = None

    @property
    def selected(self) -> SelectedModel[Averages]:
        """The selected model; that of a stream is selected when it is read."""
        return self.sgd._fitted()

    @property
    def held_out(self) -> HeldOut | None:
        """A sample of held-out rows with their predictions; None where nothing was held out."""
        return self.sgd.held_out_

    def moved(self, selected: SelectedModel[Averages]) -> SGDModel:
        """Return the fit with another selected model."""
        sgd = copy.copy(self.sgd)
        sgd._move(selected)
        return SGDModel(sgd)

    def state(self, n_threads: int) -> State:
        """Return what a model file holds; no errors of coefficients, which would take threads."""
        return {"sgd": self.sgd._fit_state()}
