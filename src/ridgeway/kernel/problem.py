"""What a kernel run is to learn, and how it is to go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.kernel.blocks import Blocks
from ridgeway.kernel.definiteness import NotPositiveDefiniteError
from ridgeway.kernel.flattening import Flattening
from ridgeway.kernel.sweep import KernelSweep
from ridgeway.messages.progress import Progress
from ridgeway.rows import Float
from ridgeway.sgd import LimitedStep
from ridgeway.sgd.step_size import step_from

Mask = NDArray[np.bool_]
OVERLAP = 1.5  # the largest eigenvalue within other mini-batches may be so many times that of one


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be learned.

    Attributes
    ----------
    blocks : the kernel matrix.
    y : (n, targets), standardized, in the order of the kernel matrix's rows.
    weight : (n,), of mean 1, likewise.
    single_target : True when y was 1-D.
    centred : whether each run is centred at the mean of its own targets.
    unit : what a squared error of 1 in standardized targets is in the user's units.
    """

    blocks: Blocks
    y: NDArray[np.float64]
    weight: NDArray[np.float64]
    single_target: bool
    centred: bool
    unit: float

    def __len__(self) -> int:
        return len(self.y)

    @property
    def everything(self) -> Mask:
        """All rows."""
        return np.ones(len(self), bool)

    def mean(self, train: Mask) -> NDArray[np.float64]:
        """Means of the targets over the rows of a run, (targets,); 0 where nothing is centred."""
        if not self.centred:
            return np.zeros(self.y.shape[1])
        mean: NDArray[np.float64] = self.weight[train] @ self.y[train] / self.weight[train].sum()
        return mean

    def longest_step(self, batch_size: int, rng: np.random.Generator) -> LimitedStep:
        """Return the longest step that is safe: the inverse of the largest weight * k(x, x), or a limited one.

        It is limited where few rows are far larger than the others, as with polynomial kernels. The step of
        mini-batches is b over the largest eigenvalue of the kernel matrix within one, with some room.
        """
        q = self.blocks.gram.diagonal() * self.weight
        if not (q >= 0).all():
            raise NotPositiveDefiniteError(f"k(x, x) is {q.min():g} for some row")
        safe = 1 / float(q.max()) if q.max() > 0 else 1.0
        limited = step_from(q, np.ones_like(q))
        longest = limited if limited.size > safe else LimitedStep(safe)
        if batch_size == 1:
            return longest
        rows = rng.permutation(len(self))[:batch_size]
        root = np.sqrt(self.weight[rows])
        within = self.blocks.gram.between(rows, rows).astype(np.float64) * root[:, None] * root
        largest = OVERLAP * float(np.linalg.eigvalsh(within)[-1])
        size = len(rows) * min(longest.size, 1 / largest if largest > 0 else longest.size)
        return LimitedStep(size, longest.limit * len(rows))


@dataclass(frozen=True, eq=False)
class KernelPlan:
    """How to run and what to choose from; see the parameters of `AveragedKernelRegressor`.

    Attributes
    ----------
    family, scheme : what competes, or the average that is given.
    step : None for automatic.
    passes, max_passes, settles : as in `selection.Plan`.
    batch_size, shuffle, one_standard_error, rng, progress : likewise.
    flattening : number of centres, 0 for none; None for automatic.
    most_centres : that memory allows.
    """

    family: str | None
    scheme: Scheme | None
    step: LimitedStep | None
    passes: int
    max_passes: int
    settles: bool
    batch_size: int
    shuffle: bool
    one_standard_error: bool
    flattening: int | None
    most_centres: int
    rng: np.random.Generator
    progress: Progress
    climb: float = 0.0  # kernel runs have constant steps

    def sweep(
        self, problem: Problem, trains: Sequence[Mask], step: LimitedStep, flattening: Flattening | None = None
    ) -> KernelSweep:
        """Return fresh runs over the rows of each mask."""
        layout = problem.blocks.layout
        targets: Float = problem.y[:, None, :] - np.stack([problem.mean(train) for train in trains])
        return KernelSweep(
            problem.blocks,
            targets[layout].astype(problem.blocks.gram.dtype),
            problem.weight[layout],
            [train[layout] for train in trains],
            step,
            self.batch_size if flattening is None else problem.blocks.size,
            flattening,
            self.shuffle,
            self.rng,
            self.progress,
        )
