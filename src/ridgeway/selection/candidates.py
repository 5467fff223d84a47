"""Candidates: the averages that compete, from almost no regularization to almost constant predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform

ALPHAS_PER_DECADE = 8
ROUGH_ALPHAS_PER_DECADE = 2  # per decade
MIN_ALPHA_TIME = 1e-2  # alpha times the time elapsed at the weak end: the average is nearly uniform
MAX_ALPHA_STEP = 1e2  # eta * alpha at the strong end: hardly one step counts
EXTENSION_DECADES = 4.0  # decades that are added where the best candidate lies at an end
N_REFINEMENTS = 2  # how often the grid is made finer around the best alpha
REFINED_ALPHAS = 7  # new alphas between the neighbours of the best, each time
N_TAILS = 20


@dataclass(frozen=True)
class Candidates:
    """Schemes to choose from.

    Attributes
    ----------
    alphas : ridge strengths of geometric averages, increasing.
    starts : where tails start, as fractions of the run.
    ends : whether the uniform average and the last iterate take part.
    """

    alphas: tuple[float, ...]
    starts: tuple[float, ...]
    ends: bool

    @classmethod
    def of(cls, family: str, elapsed: float, step: float, rough: bool = False) -> Candidates:
        """Return the candidates of a family ("auto", "geometric" or "tail") after some time, fewer if `rough`.

        The alphas cover the range in which the average changes: below MIN_ALPHA_TIME / elapsed it is uniform, and above
        MAX_ALPHA_STEP / step it is the start, 0.
        """
        return cls.over(family, MIN_ALPHA_TIME / elapsed, MAX_ALPHA_STEP / step, rough)

    @classmethod
    def over(cls, family: str, weakest: float, strongest: float, rough: bool = False) -> Candidates:
        """Return the candidates of a family whose alphas cover a range."""
        alphas: tuple[float, ...] = ()
        if family in ("auto", "geometric"):
            alphas = _grid(
                math.log10(weakest), math.log10(strongest), ROUGH_ALPHAS_PER_DECADE if rough else ALPHAS_PER_DECADE
            )
        starts: tuple[float, ...] = ()
        if family in ("auto", "tail"):
            starts = tuple(float(start) for start in np.linspace(0, 1, N_TAILS + 2)[1:-1])
        return cls(alphas, starts, ends=family != "geometric")

    def schemes(self) -> list[Scheme]:
        """Return all of them, geometric ones first."""
        schemes: list[Scheme] = [Geometric(alpha) for alpha in self.alphas]
        schemes += [Tail(start) for start in self.starts]
        return [*schemes, Uniform(), Last()] if self.ends else [*schemes, Uniform()]


def _grid(lowest: float, highest: float, per_decade: int = ALPHAS_PER_DECADE) -> tuple[float, ...]:
    """Strengths with round logarithms that cover 10^lowest .. 10^highest."""
    first, last = math.floor(lowest * per_decade), math.ceil(highest * per_decade)
    return tuple(10.0 ** (i / per_decade) for i in range(first, last + 1))


def stronger(alphas: Sequence[float]) -> tuple[float, ...]:
    """Return alphas beyond the strongest of these."""
    top = math.log10(max(alphas))
    return tuple(alpha for alpha in _grid(top, top + EXTENSION_DECADES) if alpha > max(alphas) * 1.0001)


def between(alphas: Sequence[float], best: float) -> tuple[float, ...]:
    """Return new alphas between the neighbours of the best one in the increasing sequence `alphas`."""
    place = alphas.index(best)
    low, high = alphas[max(place - 1, 0)], alphas[min(place + 1, len(alphas) - 1)]
    inner = np.geomspace(low, high, REFINED_ALPHAS + 2)[1:-1]
    return tuple(float(alpha) for alpha in inner if not np.isclose(alpha, best, rtol=1e-9))
