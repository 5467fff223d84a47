"""Trials of kernel runs: averages of each fold's run against the rows it has not learned from.

The coefficients of all candidates of a run are mixtures of some twenty (`basis_of`), so each held-out row is predicted
some twenty times, from the same kernel blocks that the runs read, and all folds share one reading of these.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.kernel.blocks import Blocks
from ridgeway.rows import Float
from ridgeway.selection.folds import Fold
from ridgeway.selection.outlying import Errors, OutlyingRows, allowance
from ridgeway.selection.residuals import Residuals, models_of
from ridgeway.selection.span import orthonormal_rows
from ridgeway.selection.trial import REFERENCES
from ridgeway.trajectory import Trajectory


class KernelTrial:
    """The averages of one run against rows that it has not seen, all predicted at once.

    Parameters
    ----------
    together : reads the kernel blocks for all folds.
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
        y: Float,
        weight: Float,
        centre: NDArray[np.float64],
        n_folds: int,
        allowed: int,
    ) -> None:
        self._together, self.fold, self._trajectory = together, fold, trajectory
        self._y, self._weight, self._centre = y, weight, centre
        self._n_folds, self._allowed = n_folds, allowed
        self._schemes: Sequence[Scheme] = ()
        self._outlying: OutlyingRows | None = None
        self._residuals: Residuals | None = None
        self.basis: Float = np.empty((0, 0, 0))  # (r, targets, n)
        self._given = np.empty((0, 0))
        self._known: Float = np.empty((0, 0, 0))  # (test rows, targets, r + 2)

    def spread(self, schemes: Sequence[Scheme]) -> None:
        """Find the coefficients that those of all these schemes are mixtures of."""
        self._schemes = schemes
        coefs = self._coefs(schemes)
        rows = orthonormal_rows(coefs.reshape(len(schemes), -1).astype(np.float64))
        self._given = coefs.reshape(len(schemes), -1) @ rows.T
        self.basis = rows.reshape(-1, *coefs.shape[1:])

    def take_in(self, predicted: Float) -> None:
        """Take in predictions of the held-out rows by the basis, (rows of the test, r, targets)."""
        n_rows, r, n_targets = predicted.shape
        known = np.empty((n_rows, n_targets, r + 2))
        known[:, :, 0] = 1
        known[:, :, 1] = self._y[self.fold.test]
        known[:, :, 2:] = predicted.transpose(0, 2, 1)
        self._known = known
        weight = self._weight[self.fold.test]
        self._residuals = Residuals(np.zeros((r, n_targets, 1)), padded=False)
        self._outlying = None
        if self._allowed:
            some = np.linspace(0, len(self._schemes) - 1, REFERENCES).astype(int)
            self._outlying = OutlyingRows(self._allowed, self._models(self._given[some]))
        groups = self.fold.groups(self._n_folds)
        for part in np.split(np.arange(n_rows), np.cumsum([len(group) for group in groups])[:-1]):
            counted = weight[part]
            if self._outlying is not None and (apart := self._outlying.set_apart(known[part], counted)).any():
                counted = np.where(apart, 0, counted)
            self._residuals.add_known(known[part], counted)

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Predict the held-out rows; the first fold that is asked lets all of them be."""
        if self._schemes is not schemes:
            self._together.read(schemes)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group of rows, (groups,)."""
        assert self._residuals is not None
        ordinary = self._residuals.weight
        return ordinary if self._outlying is None else ordinary + self._outlying.weight

    def errors(self, schemes: Sequence[Scheme]) -> Errors:
        """Errors in standardized targets, of schemes that are mixtures of the basis."""
        assert self._residuals is not None
        models = self._models(self._given if schemes is self._schemes else self._mixture(schemes))
        errors = self._residuals.errors(models)
        if self._outlying is None:
            return Errors(errors, errors)
        return Errors(*(errors + apart for apart in self._outlying.errors(models)))

    def residuals(self, scheme: Scheme) -> NDArray[np.float64]:
        """What is left of the standardized targets of the held-out rows, (test rows, targets)."""
        (models,) = self._models(self._mixture([scheme])).transpose(1, 0, 2)  # (targets, r + 2)
        residuals: NDArray[np.float64] = np.einsum("ikr,kr->ik", self._known, models)
        return residuals

    def _mixture(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Coordinates of schemes along the basis, (L, r)."""
        coefs = self._coefs(schemes).reshape(len(schemes), -1).astype(np.float64)
        return coefs @ self.basis.reshape(len(self.basis), -1).T

    def _coefs(self, schemes: Sequence[Scheme]) -> Float:
        """(L, targets, n)."""
        coefs = self._trajectory.nearest_average(schemes)
        return coefs.reshape(len(schemes), -1, coefs.shape[-1])

    def _models(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        return models_of(coordinates, np.tile(self._centre, (len(coordinates), 1)))


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
        y: Float,
        weight: Float,
        centres: NDArray[np.float64],
    ) -> None:
        self._blocks = blocks
        allowed = allowance([len(fold.test) for fold in folds])
        self.trials = [
            KernelTrial(self, fold, trajectory, y, weight, centre, len(folds), allowed)
            for fold, trajectory, centre in zip(folds, trajectories, centres, strict=True)
        ]

    def read(self, schemes: Sequence[Scheme]) -> None:
        """Predict the held-out rows of every fold along what the schemes are mixtures of."""
        layout = self._blocks.layout
        place_in_test, tables, answers = [], [], []
        for trial in self.trials:
            trial.spread(schemes)
            r, n_targets, n_rows = trial.basis.shape
            tables.append(trial.basis.reshape(-1, n_rows)[:, layout].T.astype(self._blocks.gram.dtype, copy=False))
            where = np.full(n_rows, -1)
            where[trial.fold.test] = np.arange(len(trial.fold.test))
            place_in_test.append(where[layout])
            answers.append(np.empty((len(trial.fold.test), r, n_targets)))
        for place, block in self._blocks.all():
            for where, table, answer in zip(place_in_test, tables, answers, strict=True):
                here = np.flatnonzero(where[place] >= 0)
                if len(here):
                    answer[where[place][here]] = (block[here] @ table).reshape(len(here), *answer.shape[1:])
        for trial, answer in zip(self.trials, answers, strict=True):
            trial.take_in(answer)
