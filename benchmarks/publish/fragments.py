"""All that pages can show, by name."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.publish import accuracy_tables, speed_tables
from benchmarks.publish.results import Results

NOT_PACKAGES = ("cpu", "cores", "system", "python", "date")


def machine(results: Results) -> str:
    """What it was measured on."""
    facts = results.machine
    versions = ", ".join(f"{name} {facts[name]}" for name in facts if name not in NOT_PACKAGES)
    return f"{facts['cpu']}, one thread, Python {facts['python']}; {versions}; {facts['date']}."


FRAGMENTS: dict[str, Callable[[Results], str]] = {
    "machine": machine,
    "one-pass": accuracy_tables.one_pass,
    "one-pass-summary": accuracy_tables.one_pass_summary,
    "defaults": accuracy_tables.defaults,
    "defaults-summary": accuracy_tables.defaults_summary,
    "defaults-time": accuracy_tables.defaults_time,
    "selection": accuracy_tables.selection,
    "race": accuracy_tables.race,
    "short-race": accuracy_tables.short_race,
    "text": accuracy_tables.text,
    "kernels": accuracy_tables.kernels,
    "distance": accuracy_tables.distance,
    "distance-largest": accuracy_tables.distance_largest,
    "distance-one-pass": accuracy_tables.distance_one_pass,
    "shapes": speed_tables.shapes,
    "shapes-error": speed_tables.shapes_error,
    "strengths": speed_tables.strengths,
    "sparsity": speed_tables.sparsity,
    "sparsity-error": speed_tables.sparsity_error,
    "memory": speed_tables.memory,
    "disk": speed_tables.disk,
    "readme": speed_tables.readme,
}
