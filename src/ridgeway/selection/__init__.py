"""Choice of the average: candidates are scored on rows that their runs have not learned from."""

from ridgeway.selection.candidate_table import Scored, Selection
from ridgeway.selection.choice import by_folds, by_holdout, run_all, run_given
from ridgeway.selection.cross_validation import CrossValidation
from ridgeway.selection.engine import Engine
from ridgeway.selection.folds import alike, k_folds
from ridgeway.selection.gcv import by_gcv
from ridgeway.selection.held_out import HeldOut
from ridgeway.selection.memory_engine import MemoryEngine
from ridgeway.selection.plan import AutomaticSteps, Averaging, FitOptions, Plan, decide_plan
from ridgeway.selection.progressive import Progressive
from ridgeway.selection.run_outcome import Outcome

__all__ = [
    "AutomaticSteps",
    "Averaging",
    "CrossValidation",
    "Engine",
    "FitOptions",
    "HeldOut",
    "MemoryEngine",
    "Outcome",
    "Plan",
    "Progressive",
    "Scored",
    "Selection",
    "alike",
    "by_folds",
    "by_gcv",
    "by_holdout",
    "decide_plan",
    "k_folds",
    "run_all",
    "run_given",
]
