"""Plots with matplotlib: coefficient paths, the comparison of averages, and the filters of averages."""

from ridgeway.display.filters import FilterDisplay
from ridgeway.display.path import PathDisplay
from ridgeway.display.selection import SelectionDisplay
from ridgeway.theory.comparison_display import ComparisonDisplay
from ridgeway.theory.diagnosis_display import DiagnosisDisplay
from ridgeway.theory.winner_map_display import WinnerMapDisplay

__all__ = [
    "ComparisonDisplay",
    "DiagnosisDisplay",
    "FilterDisplay",
    "PathDisplay",
    "SelectionDisplay",
    "WinnerMapDisplay",
]
