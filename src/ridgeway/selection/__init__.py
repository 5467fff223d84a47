"""Choice of the average: candidates scored on rows that were not learned from."""

from ridgeway.selection.cross_validation import by_folds, run_all, run_only
from ridgeway.selection.folds import alike, k_folds, split_by
from ridgeway.selection.gcv import by_gcv
from ridgeway.selection.held_out import HeldOut
from ridgeway.selection.holdout import by_holdout, run_holdout_only
from ridgeway.selection.plan import MANY_ROWS, Outcome, Plan, auto_passes
from ridgeway.selection.progressive import Progressive
from ridgeway.selection.table import Scored, Selection

__all__ = [
    "MANY_ROWS",
    "HeldOut",
    "Outcome",
    "Plan",
    "Progressive",
    "Scored",
    "Selection",
    "alike",
    "auto_passes",
    "by_folds",
    "by_gcv",
    "by_holdout",
    "k_folds",
    "run_all",
    "run_holdout_only",
    "run_only",
    "split_by",
]
