"""Reading ahead: order, errors, ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from ridgeway.data import prefetch


def threads() -> int:
    return sum(thread.name == "ridgeway-prefetch" for thread in threading.enumerate())


# Law: the items in their order, and then the end or the error.
@pytest.mark.parametrize("depth", [1, 3])
def test_order_and_errors(depth: int) -> None:
    def failing() -> Iterator[int]:
        yield from range(5)
        raise OSError("the disk is gone")

    assert list(prefetch(range(100), depth)) == list(range(100))
    stream = prefetch(failing(), depth)
    assert [next(stream) for _ in range(5)] == list(range(5))
    with pytest.raises(OSError, match="the disk is gone"):
        next(stream)
    assert threads() == 0


# Law: at most `depth` items wait, beside the one in the making.
def test_bounded() -> None:
    made = []

    def items() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    stream = prefetch(items(), 2)
    next(stream)
    time.sleep(0.3)
    assert len(made) == 1 + 2 + 1
    stream.close()  # type: ignore[attr-defined]
    assert threads() == 0


# Law: when the consumer stops, the thread ends and the iterator is closed, also after an error of the consumer.
def test_consumer_stops() -> None:
    closed = []

    def items() -> Iterator[int]:
        try:
            while True:
                yield 0
        finally:
            closed.append(True)

    def consume() -> None:
        for _ in prefetch(items()):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        consume()
    for _ in prefetch(items()):
        break
    assert closed == [True, True]
    assert threads() == 0
