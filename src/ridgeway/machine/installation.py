"""The installation: versions, processor and threads, for bug reports."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

import numpy  # noqa: F401, its BLAS must be loaded to be found
import scipy.linalg  # noqa: F401, and that of scipy
from threadpoolctl import ThreadpoolController

from ridgeway import _core
from ridgeway.version import __version__

REQUIRED = ("numpy", "scipy", "scikit-learn", "threadpoolctl", "narwhals", "safetensors")
OPTIONAL = (
    "adbc-driver-manager",
    "adbc-driver-postgresql",
    "adbc-driver-sqlite",
    "bokeh",
    "click",
    "dask",
    "distributed",
    "duckdb",
    "jinja2",
    "matplotlib",
    "onnx",
    "onnxruntime",
    "pandas",
    "polars",
    "pyarrow",
    "python-calamine",
    "rich",
)


def show_versions() -> None:
    """Print versions, processor and threads, for a bug report.

    Results depend on the versions of the packages and, in the last bits of large products, on BLAS and its threads.
    They do not depend on the instruction level of the compiled core, which is the best that the processor has; the
    variable ``RIDGEWAY_CPU`` forces another one (v2, v3 or v4 on x86-64).

    Examples
    --------
    >>> import ridgeway as rw
    >>> rw.show_versions()
    ridgeway                ...
    compiled core           ...
    Python                  3...
    platform                ...
    processors              ...
    BLAS                    ...
    numpy                   ...
    scipy                   ...
    scikit-learn            1...
    """
    for name, value in installation():
        print(f"{name:<23} {value}")


def installation() -> list[tuple[str, str]]:
    """Return names and values; BLAS comes once for each library that is loaded, optional packages if installed."""
    packages = [(name, _version(name) or "not found") for name in REQUIRED]
    packages += [(name, found) for name in OPTIONAL if (found := _version(name)) is not None]
    return [
        ("ridgeway", __version__),
        ("compiled core", _core.level()),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("platform", platform.platform()),
        ("processors", _processors()),
        *(("BLAS", library) for library in _blas_libraries()),
        *packages,
    ]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processors() -> str:
    """Return the number of processors, and of those that this process may use if the system reports it."""
    there = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else there
    return str(there) if allowed == there else f"{there}, of which this process may use {allowed}"


def _blas_libraries() -> list[str]:
    found = [library for library in ThreadpoolController().info() if library["user_api"] == "blas"]
    return [f"{one['internal_api']} {one['version']}, threads: {one['num_threads']}" for one in found]
