"""Estimators in scikit-learn's idiom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ridgeway.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from ridgeway.estimators.averaged_kernel import AveragedKernelRegressor
    from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
    from ridgeway.estimators.ridge_path_cv import RidgePathCV
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "averaged_kernel": ("AveragedKernelRegressor",),
            "averaged_sgd": ("AveragedSGDRegressor",),
            "ridge_path_cv": ("RidgePathCV",),
        },
    )

__all__ = ["AveragedKernelRegressor", "AveragedSGDRegressor", "RidgePathCV"]
