"""SGD: step sizes and schedules, the divergence guard, and the runs that use them."""

from ridgeway.sgd.divergence import DivergenceError
from ridgeway.sgd.in_memory import run_sgd
from ridgeway.sgd.run import SGDRun
from ridgeway.sgd.schedule import GrowingStep, Schedule, schedule_of
from ridgeway.sgd.step_size import LimitedStep

__all__ = ["DivergenceError", "GrowingStep", "LimitedStep", "SGDRun", "Schedule", "run_sgd", "schedule_of"]
