"""A claim of the paper: what it says, what is right, and a check whose evidence decides the result."""

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
    """What sort of statement a claim is."""

    CONSTRUCTION = "construction"
    EXPECTATION = "statement in expectation"
    ASSUMPTION = "assumption"
    BOUND = "bound"
    DISCUSSION = "claim of the discussion"
    LEMMA = "lemma"
    QUESTION = "open question"


class Result(Enum):
    """How a claim came out; it is always derived from evidence, see `Evidence.result`."""

    HOLDS = "holds"
    CORRECTED = "holds as corrected"
    FAILS = "does not hold"
    SHOWN = "shown"

    def counted(self, n: int) -> str:
        """Say how many claims came out so.

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
    """Which statement a finding speaks of."""

    PRINTED = "as printed"
    CORRECTED = "as corrected"
    SUPPORT = "beside it"


@dataclass(frozen=True)
class Finding:
    """One measured number and the limit that it has to keep.

    Parameters
    ----------
    form : the statement it speaks of.
    what : what was measured.
    value : the number.
    limit : the largest value (`at_least`: the smallest) with which the statement agrees.
    at_least : whether `limit` bounds from below.
    where : the setting in which the value was found, a counterexample where the limit is broken.

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
        """Whether the statement survives this measurement."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def printed(what: str, value: float, limit: float, where: str = "", at_least: bool = False) -> Finding:
    """Return a finding about the statement as the paper prints it."""
    return Finding(Form.PRINTED, what, float(value), float(limit), at_least, where)


def corrected(what: str, value: float, limit: float, where: str = "", at_least: bool = False) -> Finding:
    """Return a finding about the corrected statement."""
    return Finding(Form.CORRECTED, what, float(value), float(limit), at_least, where)


def support(what: str, value: float, limit: float, where: str = "", at_least: bool = False) -> Finding:
    """Return a finding about something beside the statement that has to be so, for instance what the library does."""
    return Finding(Form.SUPPORT, what, float(value), float(limit), at_least, where)


@dataclass(frozen=True)
class Evidence:
    """What a check computed.

    Parameters
    ----------
    findings : the comparisons that decide.
    numbers : further numbers worth reporting.
    figure : a matplotlib Figure, where one helps.
    caption : what it shows.
    """

    findings: tuple[Finding, ...]
    numbers: dict[str, float] = field(default_factory=dict)
    figure: Figure | None = None
    caption: str = ""

    def __post_init__(self) -> None:
        if not self.findings:
            raise ValueError("evidence without findings decides nothing: expected at least one.")
        for name, number in self.numbers.items():
            if not math.isfinite(number):
                raise ValueError(f"{name}: got {number}, expected a finite number.")

    @property
    def unexpected(self) -> tuple[Finding, ...]:
        """Findings that break although they should not: a correction that is wrong, or a fault of the library."""
        return tuple(f for f in self.findings if f.form is not Form.PRINTED and not f.kept)

    @property
    def counterexamples(self) -> tuple[Finding, ...]:
        """Findings that break the statement as printed."""
        return tuple(f for f in self.findings if f.form is Form.PRINTED and not f.kept)

    @property
    def result(self) -> Result:
        """The result that the findings leave.

        Anything unexpected means that nothing is established. Otherwise the printed statement holds if each of its
        findings is kept; if one is not, the statement holds as corrected where a corrected one was checked, and does
        not hold where there is none. Without a printed statement to check, something was shown.
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
    """What a check may depend on.

    Parameters
    ----------
    seed : every random number follows from it and the claim's number.
    number : the claim's number.
    quick : whether to check fewer settings.

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
        """Return how many settings, draws or steps to take."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Claim:
    """One item of the paper.

    Parameters
    ----------
    number, kind, title : its place in the list, what sort of statement it is, and its name.
    paper : what the paper states, in our words.
    correct : what is right where it differs, or what is added; empty where the paper's statement stands.
    check : computes the evidence.
    """

    number: int
    kind: Kind
    title: str
    paper: str
    correct: str
    check: Callable[[Context], Evidence]
