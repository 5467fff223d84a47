"""The threads of BLAS, a number that all threads of Python share."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from ridgeway.machine.blas import one_thread, threads


@pytest.fixture(autouse=True)
def _no_block_is_open() -> None:
    """Mend what interrupts in other tests have left: such a block ends when it is collected, the next one mends it."""
    gc.collect()
    with one_thread():
        pass


def blas_threads() -> set[int]:
    """Return the numbers of the libraries that are loaded."""
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


# Law: blocks that begin and end in any order, as those of several threads do, keep BLAS to the smallest of their
# numbers, and leave it as it was.
@given(data=st.data())
def test_blocks_overlap(data: st.DataObject) -> None:
    before = blas_threads()
    blocks: list[tuple[int, AbstractContextManager[None]]] = []
    for begins in data.draw(st.lists(st.booleans(), max_size=8)):
        if begins or not blocks:
            number = data.draw(st.integers(1, 2))
            blocks.append((number, threads(number)))
            blocks[-1][1].__enter__()
        else:
            blocks.pop(data.draw(st.integers(0, len(blocks) - 1)))[1].__exit__(None, None, None)
        assert blas_threads() == ({min(number for number, _ in blocks)} if blocks else before)
    while blocks:
        blocks.pop(0)[1].__exit__(None, None, None)
    assert blas_threads() == before


# Law: so do blocks of several threads, whichever of them was the first.
def test_blocks_of_threads() -> None:
    before = blas_threads()
    with one_thread():
        pass
    with ThreadPoolExecutor(2) as pool:
        first, second, third = one_thread(), one_thread(), threads(2)
        pool.submit(first.__enter__).result()
        second.__enter__()
        pool.submit(first.__exit__, None, None, None).result()
        assert blas_threads() == {1}
        pool.submit(third.__enter__).result()
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == {2}
        pool.submit(third.__exit__, None, None, None).result()
    assert blas_threads() == before


# Law: a block that raises ends, too.
def test_error_ends_a_block() -> None:
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), one_thread():
        1 / 0  # noqa: B018
    assert blas_threads() == before
