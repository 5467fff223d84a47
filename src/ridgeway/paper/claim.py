"""A claim of the paper: its statement, the correct statement, and a check whose evidence decides the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure


ONE_UP_TO_ROUNDING = 1 + 1e-9  # limit of a ratio that may be 1: up to rounding


class Kind(Enum):
    """Kind of statement of a claim."""

    CONSTRUCTION = "construction"
    EXPECTATION = "statement in expectation"
    ASSUMPTION = "assumption"
    BOUND = "bound"
    DISCUSSION = "claim of the discussion"
    LEMMA = "lemma"
    QUESTION = "open question"


class Result(Enum):
    """Result of a claim, always derived from evidence: see `Evidence.result`."""

    HOLDS = "holds"
    CORRECTED = "holds as corrected"
    FAILS = "does not hold"
    SHOWN = "shown"

    def counted(self, n: int) -> str:
        """Return a number of claims with this result, in words.

        Examples
        --------
        >>> Result.HOLDS.counted(18), Result.FAILS.counted(1), Result.SHOWN.counted(3)
        ('18 hold', '1 does not hold', '3 are shown')
        """
        one, several = _VERBS[self]
        return f"{n} {one if n == 1 else several}"


_VERBS = {
    Result.HOLDS: ("holds", "hold"),
    Result.CORRECTED: ("holds as corrected", "hold as corrected"),
    Result.FAILS: ("does not hold", "do not hold"),
    Result.SHOWN: ("is shown", "are shown"),
}


class Form(Enum):
    """Which statement a finding is about."""

    PRINTED = "as printed"
    CORRECTED = "as corrected"
    SUPPORT = "beside it"


@dataclass(frozen=True)
class Finding:
    """One measured number and its limit.

    Parameters
    ----------
    form : the statement it is about.
    what : what was measured.
    value : the number.
    limit : the largest value (with `at_least`, the smallest) that agrees with the statement.
    at_least : True if `limit` is a lower bound.
    where : the setting in which the value was found; a counterexample if the limit is violated.

    Examples
    --------
    >>> Finding(Form.PRINTED, "worst exact risk / bound", 0.49, limit=1.0).kept
    True
    """

    form: Form
    what: str
    value: float
    limit: float
    at_least: bool = False
    where: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and math.isfinite(self.limit)):
            raise ValueError(f"{self.what}: got {self.value} with limit {self.limit}, expected finite numbers.")

    @property
    def kept(self) -> bool:
        """Whether the number is within its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def printed(what: str, value: float, limit: float, where: str = "", at_least: bool = False) -> Finding:
    """Return a finding about the statement as the paper prints it."""
    return Finding(Form.PRINTED, what, float(value), float(limit), at_least, where)


def corrected(what: str, value: float, limit: float, where: str = "", at_least: bool = False) -> Finding:
    """Return a finding about the corrected statement."""
    return Finding(Form.CORRECTED, what, float(value), float(limit), at_least, where)


def support(what: str, value: float, limit: float, where: str = "", at_least: bool = False) -> Finding:
    """Return a finding about a further fact that must hold, for instance the behaviour of the library."""
    return Finding(Form.SUPPORT, what, float(value), float(limit), at_least, where)


@dataclass(frozen=True)
class Evidence:
    """The results of a check.

    Parameters
    ----------
    findings : the comparisons that decide the result.
    numbers : further numbers to report.
    figure : a matplotlib Figure, or None.
    caption : caption of the figure.
    """

    findings: tuple[Finding, ...]
    numbers: dict[str, float] = field(default_factory=dict)
    figure: Figure | None = None
    caption: str = ""

    def __post_init__(self) -> None:
        if not self.findings:
            raise ValueError("the evidence has no findings: expected at least one.")
        for name, number in self.numbers.items():
            if not math.isfinite(number):
                raise ValueError(f"{name}: got {number}, expected a finite number.")

    @property
    def unexpected(self) -> tuple[Finding, ...]:
        """Findings beyond their limit that should not be: a wrong correction, or an error of the library."""
        return tuple(f for f in self.findings if f.form is not Form.PRINTED and not f.kept)

    @property
    def counterexamples(self) -> tuple[Finding, ...]:
        """Findings that contradict the statement as printed."""
        return tuple(f for f in self.findings if f.form is Form.PRINTED and not f.kept)

    @property
    def result(self) -> Result:
        """The result that follows from the findings.

        With an unexpected finding, nothing is established. Otherwise the printed statement holds if all its findings
        are within their limits. If one is not, the statement holds as corrected if a corrected statement was checked,
        and does not hold if there is none. If there is no printed statement, the result is `SHOWN`.
        """
        forms = {finding.form for finding in self.findings}
        if self.unexpected:
            return Result.FAILS
        if Form.PRINTED not in forms:
            return Result.SHOWN
        if not self.counterexamples:
            return Result.HOLDS
        return Result.CORRECTED if Form.CORRECTED in forms else Result.FAILS


@dataclass(frozen=True)
class Context:
    """The inputs of a check.

    Parameters
    ----------
    seed : seed of all random numbers, together with the claim's number.
    number : the claim's number.
    quick : True checks fewer settings.

    Examples
    --------
    >>> Context(seed=0, number=18, quick=True).pick(full=5000, quick=500)
    500
    """

    seed: int
    number: int
    quick: bool = False

    def rng(self) -> np.random.Generator:
        """Return the generator of this claim, the same at each call."""
        return np.random.default_rng([self.seed, self.number])

    def pick(self, full: int, quick: int) -> int:
        """Return the number of settings, draws or steps to use."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Claim:
    """One item of the paper.

    Parameters
    ----------
    number, kind, title : its number in the list, its kind of statement, and its name.
    paper : the statement of the paper, in our words.
    correct : the correct statement or an addition; empty if the paper's statement is correct.
    check : computes the evidence.
    """

    number: int
    kind: Kind
    title: str
    paper: str
    correct: str
    check: Callable[[Context], Evidence]
