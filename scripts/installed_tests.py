"""Run tests, and the examples, against the installed package, in a folder that does not hold its sources.

`python scripts/installed_tests.py [--examples] [--no-compiler] [TESTS ...]`; by default all tests but those of the
source tree.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = (
    "benchmarks",
    "docs",
    "examples",
    "scripts",
    "tests",
    "CONTRIBUTING.md",
    "Makefile",
    "README.md",
    "pyproject.toml",
)
# These read the sources, or how the project is set up.
TREE_TESTS = ("tests/test_imports.py", "tests/test_release.py", "tests/test_tree.py")


def copy_without_sources(folder: Path) -> None:
    """Copy what the tests read into a folder, without `src/`."""
    ignored = shutil.ignore_patterns("__pycache__", "_build", "gallery", ".venv*")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)


def bare_environment(no_compiler: bool) -> dict[str, str]:
    """Return the variables of this process without a way to other packages and, if wanted, to compilers."""
    hidden = {"PYTHONPATH", *(("CC", "CXX", "PATH") if no_compiler else ())}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return {"PATH": str(Path(sys.executable).parent), **environment, "MPLBACKEND": "Agg"}


def run(folder: Path, environment: dict[str, str], *arguments: str) -> int:
    """Run Python in a folder and return its exit code."""
    print("+ python", *arguments, flush=True)
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=False).returncode


def main() -> int:
    """Return 0 if the tests and examples pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", action="store_true", help="also run the examples")
    parser.add_argument("--no-compiler", action="store_true", help="hide all programs but those of the environment")
    parser.add_argument("--jobs", default="2", help="processes of the tests (default 2)")
    parser.add_argument("tests", nargs="*", help="tests to run, as pytest takes them")
    options = parser.parse_args()
    environment = bare_environment(options.no_compiler)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_without_sources(folder)
        where = (
            "import pathlib, sys, ridgeway; place = pathlib.Path(ridgeway.__file__).resolve(); print(place); "
            f"sys.exit(place.is_relative_to({str(ROOT / 'src')!r}))"
        )
        if run(folder, environment, "-c", where):
            print("error: this is the source tree; install a wheel: pip install dist/ridgeway-*.whl", file=sys.stderr)
            return 1
        tests = options.tests or ["tests", *(f"--ignore={test}" for test in TREE_TESTS)]
        failed = run(folder, environment, "-m", "pytest", "-q", "-n", options.jobs, "-p", "no:cacheprovider", *tests)
        if options.examples:
            for example in sorted((folder / "examples").glob("plot_*.py")):
                script = str(example.relative_to(folder))
                failed |= run(folder, environment, "-W", "error::DeprecationWarning:ridgeway", script)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
