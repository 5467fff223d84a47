"""Estimators in scikit-learn's idiom."""

from ridgeway.estimators.averaged_kernel import AveragedKernelRegressor
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor

__all__ = ["AveragedKernelRegressor", "AveragedSGDRegressor"]
