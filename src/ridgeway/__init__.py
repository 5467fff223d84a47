"""ridgeway: the whole regularization path from one pass of SGD.

Names are imported when they are first used, so that `import ridgeway` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ridgeway.version import __version__ as __version__

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
    from ridgeway.exact import ExactRidgePath
    from ridgeway.loading import load
    from ridgeway.model import ModelFileError
    from ridgeway.path_result import PathResult
    from ridgeway.selection import Scored, Selection
    from ridgeway.sgd import DivergenceError, GrowingStep, LimitedStep, SGDRun, run_sgd
    from ridgeway.trajectory import Chains, Layout, Replay, Sketch, Spectrum, Trajectory, merge

_HOME = {
    "ridgeway.averaging": (
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
    "ridgeway.data": ("TableEncoder",),
    "ridgeway.datasets": ("load_flights",),
    "ridgeway.display": ("FilterDisplay", "PathDisplay", "SelectionDisplay"),
    "ridgeway.estimators": ("AveragedKernelRegressor", "AveragedSGDRegressor", "RidgePathCV"),
    "ridgeway.exact": ("ExactRidgePath",),
    "ridgeway.loading": ("load",),
    "ridgeway.model": ("ModelFileError",),
    "ridgeway.path_result": ("PathResult",),
    "ridgeway.selection": ("Scored", "Selection"),
    "ridgeway.sgd": ("DivergenceError", "GrowingStep", "LimitedStep", "SGDRun", "run_sgd"),
    "ridgeway.trajectory": ("Chains", "Layout", "Replay", "Sketch", "Spectrum", "Trajectory", "merge"),
}

__all__ = [
    "AveragedKernelRegressor",
    "AveragedSGDRegressor",
    "Chains",
    "DivergenceError",
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
    "load",
    "load_flights",
    "merge",
    "run_sgd",
    "theory",
]


def __getattr__(name: str) -> Any:
    if name in ("dask", "theory"):
        return import_module(f"ridgeway.{name}")
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'ridgeway' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
