"""What a kernel model is to learn: a kernel matrix, standardized targets and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.rows import FLOAT64, numbered
from ridgeway.selection.held_out import HeldOut, sample_held_out
from ridgeway.selection.residual_path import ResidualPart, ResidualPath, method_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.averaging import Scheme
    from ridgeway.kernel.kernel_entries import KernelEntries
    from ridgeway.rows import Batch
    from ridgeway.rows.standardization import Standardization
    from ridgeway.selection.folds import Fold

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class KernelProblem:
    """What is to be learned.

    Attributes
    ----------
    entries : of the kernel matrix of the rows.
    batch : the rows.
    standardization : of targets and weights.
    cache_bytes : memory for the kernel matrix.
    n_threads : threads of the products with it.
    """

    entries: KernelEntries
    batch: Batch
    standardization: Standardization
    cache_bytes: float
    n_threads: int

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def y(self) -> Array:
        """Standardized targets, (n, targets)."""
        return np.asarray(self.standardization.targets(self.batch.y, FLOAT64), np.float64)

    @cached_property
    def weight(self) -> Array:
        """Weights of mean 1, (n,)."""
        weight: Array = self.batch.weight.astype(np.float64) / self.standardization.weight_scale
        return weight

    @property
    def centred(self) -> bool:
        """Whether targets are learned about the mean of the rows learned from."""
        return self.standardization.constant != 0

    def mean(self, train: Mask) -> Array:
        """Means of the targets over some rows, (targets,); 0 where nothing is centred."""
        if not self.centred:
            return np.zeros(self.y.shape[1])
        mean: Array = self.weight[train] @ self.y[train] / self.weight[train].sum()
        return mean

    def held_out(
        self, scheme: Scheme, folds: list[Fold], left: list[Array], parts: Sequence[ResidualPart] = ()
    ) -> HeldOut:
        """Return a sample of held-out rows with their predictions.

        Parameters
        ----------
        scheme : what predicted them.
        folds : which rows were held out.
        left : for each fold what is left of their standardized targets, (k, targets).
        parts : rows with their residuals at every scheme, numbered as the rows of the fit; may be empty.
        """
        rows, scale, path = np.concatenate([fold.test for fold in folds]), self.standardization.target_scale, None
        if parts:
            kept = np.concatenate([part.numbers for part in parts])
            numbers = numbered(self.batch.numbers)
            named = [replace(part, numbers=numbers[part.numbers].astype(np.int64)) for part in parts]
            path = ResidualPath(method_of(len(folds)), named, self.batch.y[kept].astype(np.float64), scale)
        return sample_held_out(scheme, self.batch, rows, np.concatenate(left) * scale, path)
