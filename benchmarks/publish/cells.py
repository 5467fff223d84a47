"""How tables and their numbers are written in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from benchmarks.peers.reference import DIVERGED_ERROR_RATIO
from benchmarks.publish.results import Measured

EXACT_PERCENT, DIVERGED_PERCENT = 0.001, 1000.0  # distances beyond are written as such


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are numbers."""
    lines = [header, ["---"] + ["--:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def by_method(cases: Sequence[Measured], write: Callable[[float | None], str], ending: str = "") -> str:
    """Return a table with methods as rows and cases as columns, of the quantities with an ending or of the others."""
    methods: list[str] = []
    for case in cases:
        place = 0
        for name in case.values:
            if not name.endswith(ending) or (":" in name and not ending):
                continue
            if name not in methods:  # in the order of its case
                methods.insert(place, name)
            place = methods.index(name) + 1
    rows = [[name.removesuffix(ending), *(write(case.values.get(name)) for case in cases)] for name in methods]
    return grid(["", *(case.name for case in cases)], rows)


def times(value: float | None) -> str:
    """Write a ratio of times: two digits, whole numbers beyond 10; a dash for what was not measured."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.095 else f"{value:.1g}"


def error(value: float | None) -> str:
    """Write a ratio of errors: four digits, three beyond 1.1."""
    if value is None:
        return "-"
    if value >= DIVERGED_ERROR_RATIO / 10:
        return "diverges"
    return f"{value:.4f}" if value < 1.1 else f"{value:.2f}"


def percent(value: float | None) -> str:
    """Write a distance in percent: two digits, whole numbers beyond 10."""
    if value is None:
        return "-"
    if value < EXACT_PERCENT:
        return f"< {EXACT_PERCENT:g}"
    if value >= DIVERGED_PERCENT:
        return "diverges"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"
