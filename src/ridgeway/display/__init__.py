"""Pictures: the path of the coefficients, the choice of the average, what each average does, what theory expects."""

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
