"""The outcome of a claim: its result, numbers and figure as plain values, which can be sent between processes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ridgeway.machine.blas import one_thread
from ridgeway.paper.claim import Claim, Context, Finding, Result
from ridgeway.paper.svg_figures import as_svg


@dataclass(frozen=True)
class Outcome:
    """The outcome of the check of a claim.

    Attributes
    ----------
    number : number of the claim.
    result : derived from the findings.
    findings : the comparisons.
    unexpected : findings beyond their limit that should not be.
    numbers : further numbers.
    svg : the figure as SVG text, or an empty string.
    caption : caption of the figure.
    seconds : duration of the check.
    """

    number: int
    result: Result
    findings: tuple[Finding, ...]
    unexpected: tuple[Finding, ...]
    numbers: dict[str, float]
    svg: str
    caption: str
    seconds: float

    def row(self, claim: Claim) -> dict[str, Any]:
        """Return the row of the JSON file; everything except `seconds` is determined by the seed."""
        values = {f"{finding.what} ({finding.form.value})": finding.value for finding in self.findings}
        return {
            "number": self.number,
            "kind": claim.kind.value,
            "title": claim.title,
            "result": self.result.value,
            "numbers": values | {name: float(number) for name, number in self.numbers.items()},
            "findings": [
                {
                    "form": finding.form.value,
                    "what": finding.what,
                    "value": finding.value,
                    "at least" if finding.at_least else "at most": finding.limit,
                    "kept": finding.kept,
                    "where": finding.where,
                }
                for finding in self.findings
            ],
            "unexpected": [finding.what for finding in self.unexpected],
            "seconds": round(self.seconds, 3),
        }


def outcome_of(claim: Claim, context: Context) -> Outcome:
    """Run the check of a claim."""
    begun = time.perf_counter()
    with one_thread():
        evidence = claim.check(context)
    svg = as_svg(evidence.figure) if evidence.figure is not None else ""
    return Outcome(
        claim.number,
        evidence.result,
        evidence.findings,
        evidence.unexpected,
        evidence.numbers,
        svg,
        evidence.caption,
        time.perf_counter() - begun,
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return the numbers of claims with each result, in words."""
    counts = [(result, sum(outcome.result is result for outcome in outcomes)) for result in Result]
    said = ", ".join(result.counted(n) for result, n in counts if n)
    return f"{len(outcomes)} item{'' if len(outcomes) == 1 else 's'}: {said}"
