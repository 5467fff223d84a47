"""Stored results, read back: suites of cases with their values and seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).parents[1] / "results" / "peers.json"


@dataclass(frozen=True)
class Measured:
    """A case: what was found by quantity, and the best seconds by task."""

    name: str
    values: Mapping[str, float]
    seconds: Mapping[str, float]

    @property
    def shape(self) -> str:
        """Rows and columns."""
        return f"{self.values['rows']:,.0f} x {self.values['columns']:,.0f}"


class NotMeasured(KeyError):
    """A suite that the stored results do not have."""


class Suites(dict[str, list[Measured]]):
    """Cases by suite."""

    def __missing__(self, suite: str) -> list[Measured]:
        raise NotMeasured(suite)


@dataclass(frozen=True)
class Results:
    """All suites, and the machine that they were measured on."""

    suites: Mapping[str, list[Measured]]
    machine: Mapping[str, str]

    @classmethod
    def read(cls, path: Path = PATH) -> Results:
        """Read the file."""
        stored = json.loads(path.read_text(encoding="utf-8"))
        suites = {
            suite: [
                Measured(
                    case["case"],
                    {result["quantity"]: result["value"] for result in case["results"]},
                    {task: timing["best"] for task, timing in case["seconds"].items()},
                )
                for case in content["cases"]
            ]
            for suite, content in stored.items()
        }
        return cls(Suites(suites), stored["shapes"]["machine"])
