"""`UnsolvedStream`: sums over the rows of a stream, which are solved when the model is first read."""

from __future__ import annotations

from dataclasses import dataclass

from ridgeway.derived import derived_property
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.estimators.exact_fit import UNCHOSEN
from ridgeway.estimators.exact_model import ExactModel
from ridgeway.exact.fold_moments import FoldMoments
from ridgeway.exact.gram_fit import GramFit, fit_sums
from ridgeway.exact.gram_sums import GramSums
from ridgeway.exact.rated_candidates import selection_of
from ridgeway.exact.spectrum_residuals import held_out_of, with_errors_of_all
from ridgeway.machine.blas import threads
from ridgeway.selection.held_out import HeldOut
from ridgeway.selection.plan import Averaging, warn_nothing_to_choose
from ridgeway.selection.target_variance import variance_of_sums
from ridgeway.storage.state import State


@dataclass(frozen=True, eq=False)
class UnsolvedStream:
    """The sums of a stream, and the parameters by which they are solved.

    Attributes
    ----------
    sums : of all rows so far.
    asked : the average, or the family that it is chosen from.
    one_standard_error, scale : as in `RidgePathCV`.
    n_jobs : threads of BLAS.
    """

    sums: GramSums
    asked: Averaging
    one_standard_error: bool
    scale: bool
    n_jobs: int

    @derived_property
    def fit(self) -> GramFit:
        """The solution for these sums; computed when it is first read, not at every batch."""
        with threads(self.n_jobs):
            return fit_sums(self.sums, self.asked.family, self.scale)

    @derived_property
    def held_out(self) -> HeldOut | None:
        """A sample of the rows with their predictions, each by the model of the other folds; errors are of all rows."""
        fit, sums, scheme = self.fit, self.sums, self.selected.wanted
        if sums.sample is None or fit.rating is None:
            return None
        batch = sums.sample.smallest().batch
        held_out = held_out_of(scheme, batch, fit.standardization, "folds", fit.held_rows, fit.held_out)
        if held_out is None:
            return None
        rows = FoldMoments.pooled([part for part in sums.parts if part is not None])
        variance = variance_of_sums(rows.yy, rows.co.weight) * sums.standardization.target_scale**2
        return with_errors_of_all(held_out, fit.rating, fit.standardization.target_scale, variance, rows.n_rows)

    @derived_property
    def selected(self) -> SelectedModel[Averages]:
        """The model at the average that was chosen or given."""
        fit, scheme, selection = self.fit, self.asked.scheme, None
        if fit.scored:
            method = f"{len(self.sums.parts)} folds, Gram matrices"
            selection = selection_of(fit.scored, method, fit.standardization.unit, self.one_standard_error)
            scheme = selection.chosen.scheme
        elif scheme is None:
            warn_nothing_to_choose(self.sums.total_rows, UNCHOSEN)
        sums = self.sums
        averages = Averages.about_means(fit.spectrum, fit.standardization, sums.sparse, sums.single_target)
        return averages.at(scheme or UNCHOSEN, selection)

    @property
    def solved(self) -> ExactModel:
        """The solved path; it does not refer to rows."""
        return ExactModel(self.selected, self.held_out, self.sums)

    def moved(self, selected: SelectedModel[Averages]) -> ExactModel:
        """Return the solved path with another selected model."""
        return self.solved.moved(selected)

    def state(self, n_threads: int) -> State:
        """Return what a model file holds."""
        return self.solved.state(n_threads)
