"""The public surface, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import ridgeway as rw
from ridgeway import _core

PUBLIC = {
    "AveragedKernelRegressor",
    "AveragedSGDRegressor",
    "FilterDisplay",
    "PathDisplay",
    "Scored",
    "Selection",
    "SelectionDisplay",
    "dask",
    "theory",
    "Chains",
    "DivergenceError",
    "ExactRidgePath",
    "Exponential",
    "Geometric",
    "GrowingStep",
    "Last",
    "Layout",
    "LimitedStep",
    "ModelFileError",
    "NegativeBinomial",
    "PathResult",
    "Poisson",
    "Replay",
    "RidgePathCV",
    "SGDRun",
    "Scheme",
    "Sketch",
    "Spectrum",
    "Staircase",
    "TableEncoder",
    "Tail",
    "Trajectory",
    "Uniform",
    "load",
    "load_flights",
    "merge",
    "run_sgd",
    "show_versions",
}


# Law: exactly these names are public, and each has a docstring.
def test_surface() -> None:
    assert set(rw.__all__) == PUBLIC
    assert set(dir(rw)) == PUBLIC | {"__version__"}
    for name in PUBLIC:
        assert getattr(rw, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'Ridge'"):
        getattr(rw, "Ridge")  # noqa: B009, the name is unknown to type checkers
    assert files("ridgeway").joinpath("py.typed").is_file()


def python(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=environment or None,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# Law: importing the package imports nothing heavy.
def test_import_is_light() -> None:
    heavy = python("import sys, ridgeway; print([m for m in ('numpy', 'scipy', 'sklearn') if m in sys.modules])")
    assert heavy == "[]"


# Law: a linear model imports nothing of kernels or tables, and all that a fit needs comes with its estimator: the first
# fit waits for no import.
def test_fit_imports_nothing() -> None:
    code = (
        "import sys, numpy as np, scipy.sparse, ridgeway as rw\n"
        "kind, X = rw.AveragedSGDRegressor, np.random.default_rng(0).standard_normal((99, 3))\n"
        "print([m for m in sys.modules if m in ('ridgeway.kernel', 'ridgeway.data', 'pyarrow.parquet')])\n"
        "before = set(sys.modules)\n"
        "for rows in (X, X.astype(np.float32), scipy.sparse.csr_array(X)):\n"
        "    kind(random_state=0).fit(rows, X[:, 0]), kind(alpha=1.0).partial_fit(rows, X[:, 0]).predict(rows)\n"
        "print(sorted(set(sys.modules) - before))"
    )
    assert python(code) == "[]\n[]"


# Law: the parts that are packages of their own come when they are asked for.
def test_parts_come_when_asked_for() -> None:
    code = "import sys, ridgeway as rw; print('ridgeway.theory' in sys.modules, rw.theory.bound.__name__)"
    assert python(code) == "False bound"


# Law: without pyarrow the package imports, and what needs it says so.
def test_without_pyarrow() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import ridgeway as rw\n"
        "try:\n    rw.TableEncoder\nexcept ModuleNotFoundError as error:\n    print(error)"
    )
    assert python(code).startswith("pyarrow is not installed: files and tables need it; pip install")


# Law: an install where no cache can be written imports and runs.
def test_read_only_install_without_cache(tmp_path: Path) -> None:
    package, installed = tmp_path / "ridgeway", Path(str(rw.__file__)).parent
    for source in installed.rglob("*.py"):
        target = package / source.relative_to(installed)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    core = Path(str(_core.__file__))
    (package / core.name).write_bytes(core.read_bytes())
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("a file stands where the cache folder would be made")
    code = (
        "import sys; sys.meta_path[:] = [one for one in sys.meta_path if isinstance(one, type)]\n"  # none of editables
        "import numpy as np, ridgeway as rw; print(rw.__file__)\n"
        "print(rw.run_sgd(np.eye(3), np.ones(3), step=0.5).coef(rw.Last()))"
    )
    output = python(
        code, PYTHONPATH=str(tmp_path), HOME="/dev/null", XDG_CACHE_HOME="/dev/null", PYTHONDONTWRITEBYTECODE="1"
    )
    assert output.splitlines() == [str(package / "__init__.py"), "[0.5 0.5 0.5]"]
