"""Asking for rows ahead: it changes nothing that is computed, and no address is wrong."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from ridgeway.compiled import compiled
from ridgeway.rows import Float, check_batch
from ridgeway.sgd import SGDRun
from ridgeway.sgd.prefetch import AHEAD, NARROW, fetch_lines


@compiled
def _fetch(address: int) -> None:
    fetch_lines(address)


@pytest.mark.parametrize("address", [0, 1, 64, 2**46, 2**62])
def test_any_address_may_be_asked_for(address: int) -> None:
    _fetch(address)


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("store", ["sketch", "replay"])
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_rows_as_they_lie_and_rows_by_their_numbers_give_the_same_bits(dtype: type, store: str, beyond: int) -> None:
    # only the former are asked for, if they are narrow
    n_columns = NARROW // np.dtype(dtype).itemsize + beyond
    X: Float = np.random.default_rng(0).standard_normal((300, n_columns)).astype(dtype)
    batch = check_batch(X, X[:, 0] - X[:, -1], None)
    paths = []
    for order in (None, np.arange(len(X))):
        run = SGDRun(step=0.5 / n_columns, store=store)
        run.advance(batch, order)
        paths.append(run.trajectory().path([0.0, 0.1]))
    np.testing.assert_array_equal(paths[0], paths[1])


def test_the_last_rows_may_end_where_memory_ends() -> None:
    pages = mmap.mmap(-1, 4 * mmap.PAGESIZE)
    X = np.frombuffer(pages, np.float32).reshape(-1, 32)
    assert X[-1].ctypes.data + 2 * X[-1].nbytes < X.ctypes.data + X.nbytes + AHEAD  # what is asked for lies beyond
    run = SGDRun(step=0.1)
    run.update(X, np.ones(len(X)))
    assert not run.trajectory().path([0.1]).any()  # rows of zeros
