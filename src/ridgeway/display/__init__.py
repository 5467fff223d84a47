"""Pictures: the path of the coefficients, the choice of the average, what each average does, what theory expects."""

from ridgeway.display.comparison import ComparisonDisplay
from ridgeway.display.diagnosis import DiagnosisDisplay
from ridgeway.display.filters import FilterDisplay
from ridgeway.display.path import PathDisplay
from ridgeway.display.selection import SelectionDisplay
from ridgeway.display.winner_map import WinnerMapDisplay

__all__ = [
    "ComparisonDisplay",
    "DiagnosisDisplay",
    "FilterDisplay",
    "PathDisplay",
    "SelectionDisplay",
    "WinnerMapDisplay",
]
