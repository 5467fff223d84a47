"""Prefetch: a thread computes the next items of an iterator while the consumer works."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.1  # interval at which a thread checks whether the other side has ended


class _End:
    """The end of the queue: the end of the iterator, or its error."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def prefetch(items: Iterable[T], depth: int = 2) -> Iterator[T]:
    """Yield the items, computed ahead by a background thread; at most `depth` of them wait.

    An error of the iterator is raised here, after the items made before it. The thread ends when this generator is
    closed, exhausted or abandoned.

    Examples
    --------
    >>> list(prefetch(range(5)))
    [0, 1, 2, 3, 4]
    """
    waiting: queue.Queue[T | _End] = queue.Queue(maxsize=depth)
    stopped = threading.Event()

    def put(item: T | _End) -> bool:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=POLL_SECONDS)
            except queue.Full:
                continue
            return True
        return False

    def produce() -> None:
        end = _End()
        iterator = iter(items)
        try:
            for item in iterator:
                if not put(item):
                    break
        except BaseException as error:  # raised in the consumer
            end = _End(error)
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:
                close()
        put(end)

    thread = threading.Thread(target=produce, name="ridgeway-prefetch", daemon=True)
    thread.start()
    try:
        while True:
            item = waiting.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
            del item  # the consumer may have freed it: hold no memory while waiting
    finally:
        stopped.set()
        thread.join()
