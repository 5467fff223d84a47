"""Properties that are computed once and stored outside of their object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload
from weakref import WeakKeyDictionary

Owner = TypeVar("Owner")
Value = TypeVar("Value")


class derived_property(Generic[Owner, Value]):
    """A property that is computed once, like `functools.cached_property`, but does not change its object.

    The value is kept in a table with weak references to the objects, so pickles, copies and ``vars`` of an object are
    the same before and after the property is read. The object must be hashable and must not change.

    Examples
    --------
    >>> class Square:
    ...     def __init__(self, side):
    ...         self.side = side
    ...     @derived_property
    ...     def area(self):
    ...         return self.side**2
    >>> square = Square(3.0)
    >>> square.area, vars(square)
    (9.0, {'side': 3.0})
    """

    def __init__(self, make: Callable[[Owner], Value]) -> None:
        self._make = make
        self._values: WeakKeyDictionary[Owner, Value] = WeakKeyDictionary()
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type[Any]) -> derived_property[Owner, Value]: ...

    @overload
    def __get__(self, owner: Owner, kind: type[Any]) -> Value: ...

    def __get__(self, owner: Owner | None, kind: type[Any]) -> derived_property[Owner, Value] | Value:
        if owner is None:
            return self
        try:
            return self._values[owner]
        except KeyError:
            return self._values.setdefault(owner, self._make(owner))
