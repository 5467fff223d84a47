"""Atomic methods: they change their object completely or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])


def shallow_copy(value: T) -> T:
    """Return an object with the same attributes; ten times as fast as `copy.copy`, which uses the pickle protocol."""
    new = object.__new__(type(value))
    new.__dict__.update(value.__dict__)
    return new


def atomic(method: Method) -> Method:
    """Make a method change its object completely or, if it raises anything, not at all. The method returns the object.

    The method works on a shallow copy, and one assignment puts the attributes of the copy in place of those of the
    object. This covers `KeyboardInterrupt`: Python delivers it at calls and jumps, of which there is none from the
    assignment to the return. The method has to replace what its attributes refer to, and must not change it in place.

    Examples
    --------
    >>> class Account:
    ...     paid = received = 0
    ...     @atomic
    ...     def transfer(self, amount):
    ...         self.paid = self.paid + amount
    ...         self.received = self.received + 1 / (amount > 0)
    >>> account = Account()
    >>> account.transfer(-3)
    Traceback (most recent call last):
    ZeroDivisionError: division by zero
    >>> account.paid
    0
    """

    @wraps(method)
    def whole_or_not(self: Any, *args: Any, **kwargs: Any) -> Any:
        changed = shallow_copy(self)
        method(changed, *args, **kwargs)
        self.__dict__ = changed.__dict__
        return self

    return cast("Method", whole_or_not)
