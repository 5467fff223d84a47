"""Asking for rows ahead: no address is wrong."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from ridgeway.compiled import compiled
from ridgeway.prefetch import AHEAD, fetch_line
from ridgeway.sgd import SGDRun
from ridgeway.trajectory import Layout


@compiled
def _fetch(address: int) -> None:
    fetch_line(address)


@pytest.mark.parametrize("address", [0, 1, 64, 2**46, 2**62])
def test_any_address_may_be_asked_for(address: int) -> None:
    _fetch(address)


@pytest.mark.kernel
@pytest.mark.parametrize("n_columns", [32, 512])
def test_the_last_rows_may_end_where_memory_ends(n_columns: int) -> None:
    pages = mmap.mmap(-1, 3 * AHEAD)
    X = np.frombuffer(pages, np.float32).reshape(-1, n_columns)
    run = SGDRun(step=1e-3, store=Layout(blocks_per_octave=1, moments=3, steps_per_chunk=1, chunk_degree=1))
    run.update(X, np.ones(len(X)))
    assert not run.trajectory().path([0.1]).any()  # rows of zeros
