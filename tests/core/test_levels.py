"""Bits depend neither on the instruction level of the compiled core nor on threads or processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.core.fitted_bits import digests

from ridgeway import _core

ROOT = Path(__file__).parents[2]
LEVELS = ("v2", "v3", "v4") if _core.level() != "baseline" else ("baseline",)
# Their runs are short, and say so.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def bits() -> dict[str, str]:
    """The bits of all fits, made one after the other."""
    return digests()


def at_level(level: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with a level of the compiled core."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "RIDGEWAY_CPU": level},
        capture_output=True,
        text=True,
        check=False,
    )


# Law: every level gives the same bits; one that the processor lacks is refused, and those that it has are named.
@pytest.mark.parametrize("level", LEVELS)
def test_levels(level: str, bits: dict[str, str]) -> None:
    done = at_level(level, "-W", "ignore", "-m", "tests.core.fitted_bits")
    if done.returncode:
        named = done.stderr.partition(f"RIDGEWAY_CPU={level}: expected one of ")[2].partition(", which")[0].split(", ")
        assert _core.level() in named
        assert level not in named
        pytest.skip(f"the processor has {' and '.join(named)} only")
    assert json.loads(done.stdout) == {"level": level, "bits": bits}


# Law: a level that does not exist is refused, and those that the processor has are named; an empty one is none.
def test_unknown_level() -> None:
    done = at_level("v9", "-c", "import ridgeway._core")
    assert done.returncode == 1
    assert "RIDGEWAY_CPU=v9: expected one of " in done.stderr
    assert _core.level() in done.stderr
    assert at_level("", "-c", "import ridgeway._core").returncode == 0


# Law: eight threads at once give the bits of one.
def test_threads(bits: dict[str, str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert [made.result() for made in [pool.submit(digests) for _ in range(8)]] == [bits] * 8


# Law: forked processes give the bits of the one that they come from.
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_forked_processes(bits: dict[str, str]) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert pool.map(_made, range(4)) == [bits] * 4


def _made(_: int) -> dict[str, str]:
    return digests()
