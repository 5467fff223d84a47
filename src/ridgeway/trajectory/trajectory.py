"""What every trajectory answers: averages of the iterates of a finished run, for any scheme."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.rows import Float


@dataclass(frozen=True)
class RunFacts:
    """How a run went.

    Attributes
    ----------
    step : the step size eta.
    n_steps : number of increments.
    limited : number of rows whose own step was limited.
    r2 : sum |x|^4 / sum |x|^2 over the rows seen, the squared row norm that a step has to respect.
    """

    step: float
    n_steps: int
    limited: int
    r2: float


class Trajectory(ABC):
    """The memory of one SGD run: enough of it to average its iterates by any scheme, after the fact.

    Every average of the iterates w_0 .. w_T is w_0 plus the increments weighted by a survival function,

        average = w_0 + sum_j S(j) Delta_j ,

    so a trajectory only has to know sums of increments.
    """

    def __init__(self, facts: RunFacts) -> None:
        self._facts = facts

    @property
    def n_steps(self) -> int:
        """Number of increments; a mini-batch makes one."""
        return self._facts.n_steps

    @property
    def step(self) -> float:
        """The step size eta."""
        return self._facts.step

    @property
    def limited(self) -> int:
        """Number of rows whose own step was limited."""
        return self._facts.limited

    @property
    def r2(self) -> float:
        """R^2 as seen in the rows: sum |x|^4 / sum |x|^2."""
        return self._facts.r2

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Largest error of a survival value: answers are off by at most tolerance * sum_j |Delta_j|."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory that the trajectory itself holds; rows it refers to are not counted."""

    @abstractmethod
    def iterate(self, k: int) -> Float:
        """Return the iterate w_k: (d,), or (targets, d) when y was 2-D."""

    @abstractmethod
    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        """Return the averages, shape (n_schemes, d) or (n_schemes, targets, d)."""

    def average(self, schemes: Sequence[Scheme]) -> Float:
        """Average the iterates by each of several schemes.

        Parameters
        ----------
        schemes : sequence of schemes.

        Returns
        -------
        (n_schemes, d), or (n_schemes, targets, d) when y was 2-D, in the precision of the rows.
        """
        schemes = list(schemes)
        for scheme in schemes:
            if not isinstance(scheme, Scheme):
                raise TypeError(
                    f"{scheme!r} is not an averaging scheme: expected for instance Geometric(alpha=0.1) or Tail(0.5)."
                )
        if not schemes:
            raise ValueError("schemes is empty: expected at least one averaging scheme.")
        return self._averages(schemes)

    def coef(self, scheme: Scheme) -> Float:
        """Average the iterates by one scheme: (d,), or (targets, d) when y was 2-D."""
        coef: Float = self.average([scheme])[0]
        return coef

    def path(self, alphas: ArrayLike) -> Float:
        """Geometric averages, one per ridge strength: (L, d), or (L, targets, d) when y was 2-D."""
        strengths: NDArray[Any] = np.atleast_1d(np.asarray(alphas))
        if strengths.ndim != 1:
            raise ValueError(f"alphas has shape {strengths.shape}: expected a list of ridge strengths.")
        return self.average([Geometric(alpha) for alpha in strengths.tolist()])
