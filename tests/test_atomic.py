"""Methods that change their object as a whole or not at all."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from ridgeway.atomic import atomic


class Ledger:
    """Two entries that belong together."""

    def __init__(self) -> None:
        self.paid, self.received = 0, 0

    @atomic
    def enter(self, amount: int, error: BaseException | None = None) -> Ledger:
        """Enter an amount on both sides; an error comes between them."""
        self.paid = self.paid + amount
        if error is not None:
            raise error
        self.received = self.received + amount
        return self

    @atomic
    def forget(self) -> Ledger:
        """Delete an entry."""
        del self.paid
        return self


# Law: an exception of any kind, between any two changes, changes nothing.
@pytest.mark.parametrize("error", [ValueError(), KeyboardInterrupt(), SystemExit(), MemoryError()])
def test_an_exception_changes_nothing(error: BaseException) -> None:
    ledger = Ledger().enter(3)
    with pytest.raises(type(error)):
        ledger.enter(4, error)
    assert vars(ledger) == {"paid": 3, "received": 3}


# Law: a call that ends well changes the object itself, which it returns, and deletes what it deleted.
def test_a_call_that_ends_well_changes_the_object() -> None:
    ledger = Ledger()
    assert ledger.enter(5) is ledger
    assert vars(ledger) == {"paid": 5, "received": 5}
    assert vars(ledger.forget()) == {"received": 5}


# Law: the object of a call that was interrupted by a signal is as before, and of one that returned as after it.
@pytest.mark.signals
def test_a_signal_comes_before_or_after() -> None:
    ledger, returned = Ledger(), 0

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for moment in range(1, 300):
            try:
                signal.setitimer(signal.ITIMER_REAL, moment * 1e-6)
                while True:
                    ledger.enter(1)
                    returned += 1
            except KeyboardInterrupt:
                assert ledger.paid == ledger.received == returned
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
