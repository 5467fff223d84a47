"""What a benchmark found, as a plain-text table and as JSON."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.timing import Timing

WIDTHS = (30, 54, 11, 16)  # case, quantity, value, target


@dataclass(frozen=True)
class Target:
    """The range that a value should lie in."""

    low: float = float("-inf")
    high: float = float("inf")

    def __str__(self) -> str:
        if self.low == float("-inf"):
            return f"<= {self.high:g}"
        return f">= {self.low:g}" if self.high == float("inf") else f"{self.low:g} .. {self.high:g}"

    def met(self, value: float) -> bool:
        """Tell whether the value lies within; NaN does not."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Result:
    """One number: a ratio of two timings of the same run unless its name says otherwise."""

    quantity: str
    value: float
    target: Target | None = None

    @property
    def verdict(self) -> str:
        """Say "met" or "MISSED"; nothing where no target is set."""
        if self.target is None:
            return ""
        return "met" if self.target.met(self.value) else "MISSED"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        target = str(self.target) if self.target else None
        met = self.target.met(self.value) if self.target else None
        return {"quantity": self.quantity, "value": self.value, "target": target, "met": met}


@dataclass(frozen=True)
class Case:
    """All that was measured on one set of rows."""

    name: str
    results: Sequence[Result]
    timings: Mapping[str, Timing]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with the seconds behind the ratios."""
        return {
            "case": self.name,
            "results": [result.as_dict() for result in self.results],
            "seconds": {name: timing.as_dict() for name, timing in self.timings.items()},
        }


def header() -> str:
    """Return the first two lines of the table."""
    return f"{_line('case', 'quantity', 'value', 'target')}\n{'-' * (sum(WIDTHS) + 16)}"


def lines(case: Case) -> str:
    """Return one line per result of a case."""
    return "\n".join(
        _line(case.name, result.quantity, f"{result.value:.3g}", str(result.target or ""), result.verdict)
        for result in case.results
    )


def summary(cases: Sequence[Case]) -> str:
    """Count the targets that were met, where there are any."""
    held = [result for case in cases for result in case.results if result.target]
    return f"{sum(result.verdict == 'met' for result in held)} of {len(held)} targets met; " if held else ""


def store(path: Path, suite: str, machine: Mapping[str, str], cases: Sequence[Case]) -> None:
    """Put a suite's cases into the JSON file in place of its older ones; other suites stay as they are.

    The file is written beside its place and then moved there, so that a reader never meets half of it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    suites = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    suites[suite] = {"machine": dict(machine), "cases": [case.as_dict() for case in cases]}
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(suites, file, indent=1, sort_keys=True)
            file.write("\n")
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _line(case: str, quantity: str, value: str, target: str, verdict: str = "") -> str:
    columns = (case.ljust(WIDTHS[0]), quantity.ljust(WIDTHS[1]), value.rjust(WIDTHS[2]), target.rjust(WIDTHS[3]))
    return "  ".join((*columns, verdict)).rstrip()
