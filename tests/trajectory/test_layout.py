"""Laws of the blocks of a sketch."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Thread
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway import Geometric, Layout, Staircase
from ridgeway.trajectory import TimeBlocks, time_blocks
from ridgeway.trajectory.expansion import expand
from ridgeway.trajectory.layout import EARLY_STEPS, _truncation
from ridgeway.trajectory.time_blocks import MAX_CHUNK_STEPS, ONE_STAIR, Block

LAYOUTS = [Layout(q, m, *c) for q in (1, 2, 4, 8) for m in (3, 6, 9, 12) for c in ((64, 2), (1024, 2), (256, 1))]


# Law: blocks follow each other without gap, and chunks divide them.
@pytest.mark.parametrize("layout", LAYOUTS)
def test_blocks_tile_time(layout: Layout) -> None:
    blocks = layout.blocks(3_000_000)
    assert blocks[0].start == 0
    assert all(a.stop == b.start for a, b in pairwise(blocks))
    for block in blocks:
        assert block.length % block.chunk == 0
        assert block.raw == (block.start == 0)
        assert block.raw or block.length > block.moments
        assert all(layout.block(step) == block for step in (block.start, block.stop - 1))


# Law: the blocks ahead are those that the steps to come fall into.
@settings(deadline=None, derandomize=True)
@given(n=st.integers(0, 10**6), more=st.integers(1, 10**6), layout=st.sampled_from(LAYOUTS))
def test_blocks_ahead(n: int, more: int, layout: Layout) -> None:
    assert TimeBlocks.of(layout, ONE_STAIR).ahead(n, more) == tuple(
        block for block in layout.blocks(n + more) if block.stop > n
    )


# Law: after n steps fewer than m (q log2(n) + 8) numbers are kept per coefficient, q blocks per octave.
@settings(deadline=None, derandomize=True)
@given(n=st.integers(2, 10**12), layout=st.sampled_from(LAYOUTS))
def test_memory(n: int, layout: Layout) -> None:
    bound = layout.moments * (layout.blocks_per_octave * np.log2(n) + 8)
    assert layout.numbers(n) < max(bound, layout.head + 1)


# Law: on every block the geometric family is a polynomial up to the tolerance.
@pytest.mark.parametrize("layout", LAYOUTS)
def test_tolerance_bounds_the_truth(layout: Layout) -> None:
    n_steps, step = 5000, 0.01
    schemes = [Geometric(alpha) for alpha in (0, *np.logspace(-6, 6, 60))]
    blocks = layout.blocks(n_steps)
    coefficients, errors = expand(schemes, blocks, n_steps, Staircase((step,)))
    before = 0
    for block in blocks:
        part = coefficients[:, before : before + block.moments]
        before += block.moments
        if block.raw:
            continue
        steps = np.arange(block.start + 1, min(block.stop, n_steps) + 1)
        places = 2 * (steps - 1 - block.start) / (block.length - 1) - 1
        approximation = np.polynomial.chebyshev.chebval(places, part.T)
        truth = np.array([scheme.survival(steps, n_steps, step) for scheme in schemes])
        assert np.abs(approximation - truth).max() <= layout.tolerance + 1e-15
    assert errors.max() <= 3 * layout.tolerance + 1e-15


# Law: kinks are allowed at block edges, at each of the first steps and at the end.
def test_edges() -> None:
    layout = Layout(4, 9)
    edges = layout.edges(1000)
    assert set(range(65)) <= set(edges.tolist())
    assert {80, 96, 128, 512, 640, 768, 896, 1000} <= set(edges.tolist())
    assert edges.max() == 1000
    assert np.array_equal(layout.edges(10), np.arange(11))


# Law: the chosen layout fits the budget; wider models get coarser ones, and too wide ones an error with the remedy.
@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.dtype(np.float64)])
def test_choice(dtype: np.dtype[np.float64]) -> None:
    tolerances = []
    for n_coefs in (10, 10_000, 2**17, 2**18, 2**19, 2**20):
        layout = Layout.choose(dtype, n_coefs)
        assert layout.numbers(2**30) * n_coefs * 8 <= 2**30
        tolerances.append(layout.tolerance)
    assert tolerances == sorted(tolerances)
    assert tolerances[0] < (1e-11 if dtype == np.float64 else 1e-6)
    with pytest.raises(ValueError, match=r"needs at least 2\.\d GiB, more than the budget of 1\.0 GiB.*store='replay'"):
        Layout.choose(dtype, 2**22)
    assert Layout.choose(dtype, 2**22, memory_budget=2**36).tolerance == tolerances[0]


@pytest.mark.parametrize(
    "bad", [{"blocks_per_octave": 3}, {"moments": 0}, {"steps_per_chunk": 1.5}, {"moments": True}, {"chunk_degree": 3}]
)
def test_bad_layouts(bad: dict[str, int]) -> None:
    with pytest.raises((ValueError, TypeError), match=r"power of two|expected an integer|expected 1 or 2"):
        Layout(**bad)


# Law: early chunks of degree 1 give way to longer ones of degree 2 where these err less, and to none that err more.
@pytest.mark.parametrize("steps_per_chunk", [1, 4, 16, 64, 256, 1024])
@pytest.mark.parametrize("degree", [1, 2])
def test_early_chunks(steps_per_chunk: int, degree: int) -> None:
    layout = Layout(4, 6, steps_per_chunk, degree)
    early, late = layout.block(EARLY_STEPS // 2), layout.block(EARLY_STEPS)
    per_chunk = steps_per_chunk if early.degree == degree else steps_per_chunk // 4
    assert early.chunk == min(EARLY_STEPS // 2 // per_chunk, early.length, MAX_CHUNK_STEPS)
    assert late.degree == degree
    assert _truncation(per_chunk, early.degree + 1) <= _truncation(steps_per_chunk, degree + 1)
    assert (steps_per_chunk, degree) != (256, 1) or early.degree == 2  # those of float32 rows


# Law: an interrupt at any line leaves blocks that any thread can go on with.
def test_interrupts_leave_no_lock() -> None:
    def interrupt_line(line: int, blocks: TimeBlocks) -> bool:
        seen = 0

        def trace(frame: FrameType, event: str, _argument: object) -> Any:
            nonlocal seen
            if frame.f_code.co_filename != time_blocks.__file__:  # callbacks of the garbage collector come in between
                return None
            seen += event == "line"
            if event == "line" and seen == line:
                raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            blocks.until(3000)
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    layout = Layout.choose(np.dtype(np.float64), 5000)
    expected = TimeBlocks(layout, ONE_STAIR).until(5000)
    line, interrupted = 1, True
    while interrupted:
        blocks = TimeBlocks(layout, ONE_STAIR)
        interrupted = interrupt_line(line, blocks)
        found: list[tuple[Block, ...]] = []
        thread = Thread(target=lambda: found.append(blocks.until(5000)), daemon=True)  # noqa: B023
        thread.start()
        thread.join(timeout=20)
        assert found == [expected]
        line += 7
    assert line > 100


# Law: threads that extend the blocks at the same time leave each block once.
def test_threads_make_the_same_blocks() -> None:
    layout = Layout.choose(np.dtype(np.float64), 5000)
    expected = TimeBlocks(layout, ONE_STAIR).until(10**9)
    blocks = TimeBlocks(layout, ONE_STAIR)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(blocks.until, [10**k for k in range(1, 10)] * 4))
    finally:
        sys.setswitchinterval(interval)
    assert found[8] == expected
    assert blocks.until(10**9) == expected
