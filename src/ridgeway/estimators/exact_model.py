"""`ExactModel`: what an exact fit leaves behind, with the standard errors of its coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme, scheme_of
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.exact.gram_sums import GramSums
from ridgeway.exact.second_read import SecondRead, robust_standard_errors
from ridgeway.machine.blas import threads
from ridgeway.rows import Batch
from ridgeway.selection.candidate_table import Selection
from ridgeway.selection.held_out import HeldOut
from ridgeway.storage.state import State, Stored, state_of
from ridgeway.trajectory import Spectrum

MAX_SAVED_PRODUCTS = 10**10  # rows times squared columns up to which a model file gets errors of the coefficients


@dataclass(frozen=True, eq=False)
class ExactModel:
    """A solved path and the model of it that is selected.

    Attributes
    ----------
    selected : the selected model.
    held_out : a sample of held-out rows with their predictions; None where nothing was held out.
    sums : of the Gram engine, to which more rows can be added; None after the Krylov engine.
    rows : of the fit, for standard errors; neither pickled nor saved.
    saved_errors : standard errors of a loaded model, with the scheme that it was saved at.
    """

    selected: SelectedModel[Averages]
    held_out: HeldOut | None
    sums: GramSums | None
    rows: Batch | None = None
    saved_errors: tuple[Scheme, NDArray[np.float64]] | None = None

    @property
    def solved(self) -> ExactModel:
        """The model itself: unlike an `UnsolvedStream`, it is solved already."""
        return self

    def moved(self, selected: SelectedModel[Averages]) -> ExactModel:
        """Return the fit with another selected model."""
        return replace(self, selected=selected)

    def standard_errors(self, n_threads: int, rows: Batch | None = None) -> NDArray[np.float64] | None:
        """Return HC3 standard errors in the user's units, in the shape of the coefficients; None without rows.

        Parameters
        ----------
        n_threads : threads of BLAS.
        rows : of the fit, where the model does not refer to them.
        """
        batch = self.rows if rows is None else rows
        if batch is None:
            scheme, errors = self.saved_errors or (None, None)
            return errors if scheme == self.selected.scheme else None
        averages = self.selected.averages
        assert isinstance(averages.trajectory, Spectrum)
        with threads(n_threads):
            read = SecondRead(batch, averages.standardization, averages.trajectory)
            errors = robust_standard_errors(read, self.selected.scheme)
        slopes = errors[:, : len(averages.standardization.scale)]
        shape = self.selected.model.coefs[0].shape
        return np.asarray(averages.standardization.user_coefs(slopes), np.float64).reshape(shape)

    def state(self, n_threads: int) -> State:
        """Return what a model file holds."""
        selected = self.selected
        return {
            "wanted": selected.wanted.state(),
            "selection": state_of(selected.selection),
            "averages": selected.averages.state(),
            "sums": state_of(self.sums),
            "held_out": state_of(self.held_out),
            "coef_errors": self._errors_to_save(n_threads),
        }

    @classmethod
    def from_state(cls, stored: Stored) -> ExactModel:
        """Return the model of a state."""
        averages = Averages.from_state(stored.part("averages"))
        selected = averages.at(scheme_of(stored.part("wanted")), stored.read("selection", Selection.from_state))
        saved_errors = None
        if "coef_errors" in stored:
            errors = stored.array("coef_errors", selected.model.coefs[0].shape)
            stored.require(bool((errors >= 0).all()), "coef_errors", "numbers of 0 or more")
            saved_errors = selected.scheme, errors
        n_targets = len(averages.standardization.target_scale)
        held_out = stored.read("held_out", HeldOut.from_state, n_targets)
        return cls(selected, held_out, stored.read("sums", GramSums.from_state), saved_errors=saved_errors)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rows": None}

    def _errors_to_save(self, n_threads: int) -> NDArray[np.float64] | None:
        rows = self.rows
        if rows is not None and (self.sums is None or len(rows) * rows.rows.shape[1] ** 2 > MAX_SAVED_PRODUCTS):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            errors = self.standard_errors(n_threads)
        return errors if errors is not None and np.isfinite(errors).all() else None
