"""Constant-step SGD: kernels, step sizes, the divergence guard, and the runs that use them."""

from ridgeway.sgd.divergence import DivergenceError
from ridgeway.sgd.run import SGDRun
from ridgeway.sgd.run_sgd import run_sgd
from ridgeway.sgd.step_size import LimitedStep

__all__ = ["DivergenceError", "LimitedStep", "SGDRun", "run_sgd"]
