"""Trials of kernel runs: averages of each fold's run against the rows it has not learned from.

Held-out rows are predicted from the same kernel blocks that the runs read, and all folds share one reading of these.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.kernel.blocks import Blocks
from ridgeway.rows import Float
from ridgeway.selection.capped_errors import Errors, allowance, reference_places
from ridgeway.selection.error_moments import models_of
from ridgeway.selection.folds import Fold
from ridgeway.selection.held_out_errors import HeldOutErrors
from ridgeway.trajectory import Trajectory


class KernelTrial:
    """The averages of one run against rows that it has not seen.

    Parameters
    ----------
    together : predicts for all folds.
    fold : rows to learn from and to try on.
    trajectory : of the run.
    y : (n, targets), standardized targets, rows in the order of the kernel matrix.
    weight : (n,).
    centre : (targets,), mean of the targets that the run has learned from.
    n_folds : how many folds there are, for the groups of rows.
    allowed : how many rows may have their errors capped.
    """

    def __init__(
        self,
        together: KernelTrials,
        fold: Fold,
        trajectory: Trajectory,
        y: NDArray[np.float64],
        weight: NDArray[np.float64],
        centre: NDArray[np.float64],
        n_folds: int,
        allowed: int,
    ) -> None:
        self._together, self.fold, self.trajectory = together, fold, trajectory
        self._y, self._weight, self._centre = y[fold.test], weight[fold.test], centre
        self._groups = np.cumsum([len(group) for group in fold.groups(n_folds)])
        self._allowed = allowed
        self.predicted: dict[Scheme, Float] = {}  # (test rows, targets), without the centre
        self._references: list[Scheme] = []  # whose errors decide which rows are badly predicted

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Predict the held-out rows, of all folds; a few of these schemes decide which rows are badly predicted."""
        self._together.predict(schemes)
        if self._allowed:
            self._references = [schemes[place] for place in reference_places(len(schemes)).tolist()]

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group of rows, (groups,)."""
        return np.array([self._weight[part].sum() for part in self._parts()])

    def errors(self, schemes: Sequence[Scheme]) -> Errors:
        """Errors in standardized targets."""
        together = list(dict.fromkeys([*schemes, *self._references]))
        self._together.predict(together)
        row_vectors = np.empty((*self._y.shape, len(together) + 2))
        row_vectors[:, :, 0] = 1
        row_vectors[:, :, 1] = self._y
        for place, scheme in enumerate(together):
            row_vectors[:, :, place + 2] = self.predicted[scheme]
        models = models_of(np.eye(len(together)), np.tile(self._centre, (len(together), 1)))
        asked, references = (list(map(together.index, some)) for some in (schemes, self._references))
        directions = np.zeros((len(together), self._y.shape[1], 1))  # the rows are known by their predictions
        held = HeldOutErrors(directions, False, models[:, references], self._allowed)
        for part in self._parts():
            held.add_row_vectors(row_vectors[part], self._weight[part])
        return held.errors(models[:, asked])

    def residuals(self, scheme: Scheme) -> NDArray[np.float64]:
        """What is left of the standardized targets of the held-out rows, (test rows, targets)."""
        self._together.predict([scheme])
        residuals: NDArray[np.float64] = self._y - self._centre - self.predicted[scheme]
        return residuals

    def _parts(self) -> list[slice]:
        return [slice(first, last) for first, last in zip([0, *self._groups[:-1]], self._groups, strict=True)]


class KernelTrials:
    """The trials of all folds, which share each reading of the kernel blocks.

    Parameters
    ----------
    blocks : the kernel matrix.
    folds : one per run.
    trajectories : of the runs.
    y, weight : (n, targets) and (n,), in the order of the kernel matrix's rows.
    centres : (folds, targets), means that the targets of each run were centred at.
    """

    def __init__(
        self,
        blocks: Blocks,
        folds: Sequence[Fold],
        trajectories: Sequence[Trajectory],
        y: NDArray[np.float64],
        weight: NDArray[np.float64],
        centres: NDArray[np.float64],
    ) -> None:
        self._blocks = blocks
        allowed = allowance([len(fold.test) for fold in folds])
        self.trials = [
            KernelTrial(self, fold, trajectory, y, weight, centre, len(folds), allowed)
            for fold, trajectory, centre in zip(folds, trajectories, centres, strict=True)
        ]

    def predict(self, schemes: Sequence[Scheme]) -> None:
        """Predict the held-out rows of every fold by these schemes, if that has not been done before."""
        new = [scheme for scheme in dict.fromkeys(schemes) if scheme not in self.trials[0].predicted]
        if not new:
            return
        layout, dtype = self._blocks.layout, self._blocks.entries.dtype
        place_in_test, tables, answers = [], [], []
        for trial in self.trials:
            coefs = trial.trajectory.nearest_average(new)
            coefs = coefs.reshape(len(new), -1, len(layout))  # (L, targets, n)
            tables.append(np.ascontiguousarray(coefs.reshape(-1, len(layout))[:, layout].T, dtype))
            where = np.full(len(layout), -1)
            where[trial.fold.test] = np.arange(len(trial.fold.test))
            place_in_test.append(where[layout])
            answers.append(np.empty((len(trial.fold.test), *coefs.shape[:2]), dtype))
        for place, block in self._blocks.all():
            for where, table, answer in zip(place_in_test, tables, answers, strict=True):
                here = np.flatnonzero(where[place] >= 0)
                if len(here):
                    answer[where[place][here]] = (block[here] @ table).reshape(len(here), *answer.shape[1:])
        for trial, answer in zip(self.trials, answers, strict=True):
            for number, scheme in enumerate(new):
                trial.predicted[scheme] = answer[:, number]
