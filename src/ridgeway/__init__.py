"""ridgeway: the whole regularization path from one fit.

Names are imported when they are first used, so that `import ridgeway` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ridgeway.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from ridgeway import dask, theory
    from ridgeway.averaging import (
        Exponential,
        Geometric,
        Last,
        NegativeBinomial,
        Poisson,
        Scheme,
        Staircase,
        Tail,
        Uniform,
    )
    from ridgeway.data import TableEncoder
    from ridgeway.datasets import load_flights
    from ridgeway.display import FilterDisplay, PathDisplay, SelectionDisplay
    from ridgeway.estimators import AveragedKernelRegressor, AveragedSGDRegressor, RidgePathCV
    from ridgeway.evaluation import Evaluation, evaluate
    from ridgeway.exact import ExactRidgePath
    from ridgeway.loading import load
    from ridgeway.machine.installation import show_versions
    from ridgeway.path.path_result import PathResult
    from ridgeway.selection import Scored, Selection
    from ridgeway.sgd import DivergenceError, GrowingStep, LimitedStep, SGDRun, run_sgd
    from ridgeway.storage import ModelFileError
    from ridgeway.trajectory import Chains, Layout, Replay, Sketch, Spectrum, Trajectory, merge
    from ridgeway.version import __version__ as __version__
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "averaging": (
                "Exponential",
                "Geometric",
                "Last",
                "NegativeBinomial",
                "Poisson",
                "Scheme",
                "Staircase",
                "Tail",
                "Uniform",
            ),
            "dask": ("dask",),
            "data": ("TableEncoder",),
            "datasets": ("load_flights",),
            "display": ("FilterDisplay", "PathDisplay", "SelectionDisplay"),
            "estimators": ("AveragedKernelRegressor", "AveragedSGDRegressor", "RidgePathCV"),
            "evaluation": ("Evaluation", "evaluate"),
            "exact": ("ExactRidgePath",),
            "machine.installation": ("show_versions",),
            "loading": ("load",),
            "storage": ("ModelFileError",),
            "path.path_result": ("PathResult",),
            "selection": ("Scored", "Selection"),
            "sgd": ("DivergenceError", "GrowingStep", "LimitedStep", "SGDRun", "run_sgd"),
            "theory": ("theory",),
            "trajectory": ("Chains", "Layout", "Replay", "Sketch", "Spectrum", "Trajectory", "merge"),
            "version": ("__version__",),
        },
    )

__all__ = [
    "AveragedKernelRegressor",
    "AveragedSGDRegressor",
    "Chains",
    "DivergenceError",
    "Evaluation",
    "ExactRidgePath",
    "Exponential",
    "FilterDisplay",
    "Geometric",
    "GrowingStep",
    "Last",
    "Layout",
    "LimitedStep",
    "ModelFileError",
    "NegativeBinomial",
    "PathDisplay",
    "PathResult",
    "Poisson",
    "Replay",
    "RidgePathCV",
    "SGDRun",
    "Scheme",
    "Scored",
    "Selection",
    "SelectionDisplay",
    "Sketch",
    "Spectrum",
    "Staircase",
    "TableEncoder",
    "Tail",
    "Trajectory",
    "Uniform",
    "dask",
    "evaluate",
    "load",
    "load_flights",
    "merge",
    "run_sgd",
    "show_versions",
    "theory",
]
