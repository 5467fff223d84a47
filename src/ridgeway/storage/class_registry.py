"""`ClassRegistry`: the classes that a state may name, and how an object is made from such a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ridgeway.storage.state import Stored

T = TypeVar("T")


class ClassRegistry(Mapping[str, type[T]]):
    """Classes by the names used in states. Other names are refused, and nothing is imported for a state.

    Parameters
    ----------
    entry : the entry of a state that names the class.
    classes : the classes by name, or a sequence of classes, whose own names are used.

    Examples
    --------
    >>> from ridgeway.averaging import Last, Uniform
    >>> registry = ClassRegistry("scheme", (Last, Uniform))
    >>> registry.class_of(Stored(Last().state())).__name__
    'Last'
    >>> registry.class_of(Stored({"scheme": "os.system"}))
    Traceback (most recent call last):
    ridgeway.storage.state.StateError: scheme is 'os.system': expected one of Last, Uniform.
    """

    def __init__(self, entry: str, classes: Mapping[str, type[T]] | Iterable[type[T]]) -> None:
        self._entry = entry
        named = classes if isinstance(classes, Mapping) else {kind.__name__: kind for kind in classes}
        self._classes: dict[str, type[T]] = dict(named)

    def __getitem__(self, name: str) -> type[T]:
        return self._classes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def class_of(self, stored: Stored) -> type[T]:
        """Return the class that a state names."""
        return self._classes[stored.text(self._entry, tuple(self._classes))]

    def from_state(self, stored: Stored) -> T:
        """Return the object of a state."""
        kind: Any = self.class_of(stored)
        made: T = kind.from_state(stored)
        return made
