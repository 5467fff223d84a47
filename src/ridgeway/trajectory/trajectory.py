"""`Trajectory`: averages of the iterates of a finished run, for any scheme."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway.averaging import Geometric, Scheme, Staircase
from ridgeway.derived import derived_property
from ridgeway.messages.user_warning import warn_user
from ridgeway.rows import Float
from ridgeway.storage.state import State, Stored
from ridgeway.validation.scalars import ridge_strengths


@dataclass(frozen=True)
class RunFacts:
    """Facts about a run.

    Attributes
    ----------
    sizes : the step sizes.
    n_steps : number of increments that were made.
    length : number of increments of each chain, on which survival depends; n_steps for a single run.
    limited : number of clipped updates, in all passes.
    sum_q, sum_q2 : sums of q = weight * |x|^2 and of q^2 over the rows seen.
    split : number of rows that were split into several steps, in all passes.
    mean_weight : mean weight of a step: 1, or less if outlying rows were split, as a step is then a share of a row.
    """

    sizes: Staircase
    n_steps: int
    length: int
    limited: int
    sum_q: float
    sum_q2: float
    split: int = 0
    mean_weight: float = 1.0

    @derived_property
    def steps(self) -> Staircase:
        """Step sizes times `mean_weight`, on which survival depends."""
        return self.sizes.scaled(self.mean_weight)

    def state(self) -> State:
        """Return the values to store."""
        return {
            "sizes": self.sizes.state(),
            "n_steps": self.n_steps,
            "length": self.length,
            "limited": self.limited,
            "sum_q": self.sum_q,
            "sum_q2": self.sum_q2,
            "split": self.split,
            "mean_weight": self.mean_weight,
        }

    @classmethod
    def from_state(cls, stored: Stored) -> RunFacts:
        """Return the facts of a state; format 1 had one constant step and no splitting."""
        sizes = stored.optional("sizes")
        return cls(
            sizes=Staircase((stored.positive("step"),)) if sizes is None else Staircase.from_state(sizes),
            n_steps=stored.integer("n_steps"),
            length=stored.integer("length", most=stored.integer("n_steps")),
            limited=stored.integer("limited"),
            sum_q=stored.number("sum_q", 0.0),
            sum_q2=stored.number("sum_q2", 0.0),
            split=0 if sizes is None else stored.integer("split"),
            mean_weight=1.0 if sizes is None else stored.positive("mean_weight"),
        )


class Trajectory(ABC):
    """What one SGD run stores: enough to average its iterates by any scheme later.

    Every average of the iterates w_0 .. w_T is w_0 plus the increments weighted by a survival function,

        average = w_0 + sum_j S(j) Delta_j ,

    so a trajectory stores only sums of increments.
    """

    def __init__(self, facts: RunFacts) -> None:
        self._facts = facts

    @property
    def n_steps(self) -> int:
        """Number of increments, of all chains together; a mini-batch makes one."""
        return self._facts.n_steps

    @property
    def length(self) -> int:
        """Number of increments of a single chain (the longest), on which survival depends; n_steps for a single run."""
        return self._facts.length

    @property
    def step(self) -> float:
        """The step size eta; the last one, if steps grow."""
        return self._facts.sizes.last

    @property
    def sizes(self) -> Staircase:
        """The step sizes."""
        return self._facts.sizes

    @property
    def steps(self) -> Staircase:
        """Step sizes times the mean weight of a step, on which survival depends."""
        return self._facts.steps

    @property
    def elapsed(self) -> float:
        """Time that elapsed in a chain, the sum of its `steps`."""
        return float(self.steps.elapsed(self.length))

    @property
    def limited(self) -> int:
        """Number of clipped updates, counted in each pass."""
        return self._facts.limited

    @property
    def split(self) -> int:
        """Number of rows that were split into several steps, counted in each pass."""
        return self._facts.split

    @property
    def mean_squared_norm(self) -> float:
        """Mean of q = weight * |x|^2 over the rows seen."""
        return self._facts.sum_q / max(self._facts.n_steps * self._facts.mean_weight, 1.0)

    @property
    def r2(self) -> float:
        """R^2 of the rows, the squared norm that bounds the step: sum q^2 / sum q, q = weight * |x|^2."""
        return squared_scale(self._facts.sum_q, self._facts.sum_q2)

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of a coefficient: (d,), or (targets, d) when y was 2-D."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the rows and of the averages."""

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Largest error of a survival value: averages have an error of at most tolerance * sum_j |Delta_j|."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory of the trajectory itself, in bytes; rows that it refers to are not counted."""

    @abstractmethod
    def iterate(self, k: int) -> Float:
        """Return the iterate w_k: (d,), or (targets, d) when y was 2-D."""

    @abstractmethod
    def state(self) -> State:
        """Return the state from which averages can be computed later, without the rows."""

    def nearest(self, scheme: Scheme) -> Scheme:
        """Return the scheme that is used for `scheme`: itself, or a tail moved to a block edge of a sketch."""
        return scheme

    def _tell_moved(self, schemes: Sequence[Scheme]) -> None:
        """Warn about every scheme that is replaced by another one."""
        for asked in schemes:
            answered = self.nearest(asked)
            if asked != answered:
                warn_user(
                    f"{asked} is replaced by {answered}, the sketch's nearest block edge (length {self.length}); "
                    "run with store='replay' for the exact start.",
                )

    @abstractmethod
    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        """Return the averages by the nearest schemes, shape (n_schemes, d) or (n_schemes, targets, d)."""

    def average(self, schemes: Sequence[Scheme]) -> Float:
        """Average the iterates by each of several schemes.

        Parameters
        ----------
        schemes : sequence of schemes.

        Returns
        -------
        (n_schemes, d), or (n_schemes, targets, d) when y was 2-D, in the precision of the rows.
        """
        if isinstance(schemes, Scheme):
            raise TypeError(f"schemes={schemes} is a single scheme: expected a list; coef({schemes}) takes one.")
        schemes = list(schemes)
        if not schemes:
            raise ValueError("schemes is empty: expected at least one averaging scheme.")
        _require_schemes(schemes)
        self._tell_moved(schemes)
        return self._averages(schemes)

    def nearest_average(self, schemes: Sequence[Scheme]) -> Float:
        """Return `average` of the `nearest` schemes, without a warning about moved tails."""
        return self._averages(list(schemes))

    def coef(self, scheme: Scheme) -> Float:
        """Average the iterates by one scheme: (d,), or (targets, d) when y was 2-D."""
        _require_schemes([scheme])
        self._tell_moved([scheme])
        coef: Float = self._averages([scheme])[0]
        return coef

    def path(self, alphas: ArrayLike) -> Float:
        """Geometric averages, one per ridge strength: (L, d), or (L, targets, d) when y was 2-D."""
        return self._ridge_averages(ridge_strengths(alphas))

    def _ridge_averages(self, strengths: list[float]) -> Float:
        """Geometric averages of checked strengths."""
        return self._averages([Geometric(alpha) for alpha in strengths])

    def _require_iterate(self, k: int) -> None:
        """Raise an error unless k is the index of an iterate."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k <= self.length:
            raise ValueError(f"k={k!r}: expected the index of an iterate, an integer from 0 to {self.length}.")

    def _finished(self, sums: NDArray[np.float64], start: Float, single_target: bool) -> Float:
        """Return the averages w_0 + sums, shaped for the user and in the precision of the rows."""
        with np.errstate(over="ignore"):
            answer: Float = (start + sums).astype(self.dtype)
        if not np.isfinite(answer).all():
            raise ValueError(f"coefficients exceed {self.dtype}: scale y down or X up, or pass X as float64.")
        return answer[:, 0] if single_target else answer


def squared_scale(sum_q: float, sum_q2: float) -> float:
    """R^2 = sum q^2 / sum q, the mean of q weighted by q; 0 if all rows are 0."""
    return sum_q2 / sum_q if sum_q > 0 else 0.0


def _require_schemes(schemes: Sequence[Scheme]) -> None:
    for scheme in schemes:
        if not isinstance(scheme, Scheme):
            raise TypeError(
                f"{scheme!r} is not an averaging scheme: expected for instance Geometric(alpha=0.1) or Tail(0.5)."
            )
