"""Pictures of a fit: the path of the coefficients, the choice of the average, and what each average does."""

from ridgeway.display.filters import FilterDisplay
from ridgeway.display.path import PathDisplay
from ridgeway.display.selection import SelectionDisplay

__all__ = ["FilterDisplay", "PathDisplay", "SelectionDisplay"]
