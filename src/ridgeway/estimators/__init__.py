"""Estimators in scikit-learn's idiom."""

from ridgeway.estimators.averaged_kernel import AveragedKernelRegressor
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.estimators.ridge_path_cv import RidgePathCV

__all__ = ["AveragedKernelRegressor", "AveragedSGDRegressor", "RidgePathCV"]
