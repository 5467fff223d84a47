"""States: objects as plain values and arrays, and their one reader, which checks every entry.

A class that can be stored has ``state()``, a dictionary of None, booleans, numbers, texts, arrays and lists and
dictionaries of them, and ``from_state(stored)``. A file may be damaged or hostile, and compiled loops trust their
arrays. So `Stored` returns an entry only if its type, range and shape are as the class expects.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

State: TypeAlias = dict[str, Any]
Shape: TypeAlias = Sequence[int | None]  # None stands for any length

T = TypeVar("T")

FLOATS = ("float32", "float64")
MAX_NUMBER = sys.float_info.max  # JSON can spell larger ones, which are not finite


class StateError(ValueError):
    """The state is not one that an object of the library can have."""


class Storable(Protocol):
    """An object that can be stored."""

    def state(self) -> State:
        """Return it as plain values and arrays."""


def state_of(value: Storable | None) -> State | None:
    """Return the state of an object, or None if there is none; `Stored.read` reads it."""
    return None if value is None else value.state()


class Stored:
    """A state that was read from a file, whose entries are checked when they are taken.

    Parameters
    ----------
    values : the entries by name.
    place : name of the state, for errors.
    remedy : what the user can do about a wrong state, for errors.

    Examples
    --------
    >>> stored = Stored({"n_steps": 3, "start": np.zeros(2)})
    >>> stored.integer("n_steps"), stored.array("start", (2,)).shape
    (3, (2,))
    >>> stored.array("start", (5,))
    Traceback (most recent call last):
    ridgeway.storage.state.StateError: start has the shape (2,): expected (5,).
    """

    def __init__(self, values: Any, place: str = "", remedy: str = "") -> None:
        self._place, self._remedy = place, remedy
        if not isinstance(values, dict):
            raise self._unexpected("", values, "named entries")
        self._values: State = values

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def raw(self, name: str) -> Any:
        """Return an entry without a check; the caller checks it."""
        if name not in self._values:
            raise self._error(f"{self._named(name)} is missing")
        return self._values[name]

    def flag(self, name: str) -> bool:
        """Return True or False."""
        value = self.raw(name)
        if not isinstance(value, bool):
            raise self._unexpected(name, value, "true or false")
        return value

    def integer(self, name: str, least: int = 0, most: int = 2**53) -> int:
        """Return a whole number from `least` to `most`."""
        value = self.raw(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self._unexpected(name, value, f"a whole number from {least} to {most}")
        return value

    def number(self, name: str, least: float = -MAX_NUMBER, most: float = MAX_NUMBER) -> float:
        """Return a finite number from `least` to `most`."""
        value = self.raw(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            bound = "" if least in (-MAX_NUMBER, -most) else f" of {least} or more"
            raise self._unexpected(name, value, f"a finite number{bound}")
        return float(value)

    def positive(self, name: str) -> float:
        """Return a finite number above 0."""
        if not (value := self.number(name)) > 0:
            raise self._unexpected(name, value, "a number above 0")
        return value

    def text(self, name: str, among: Collection[str] | None = None, max_characters: int | None = None) -> str:
        """Return a text, one of `among` if these are given."""
        value = self.raw(name)
        if not isinstance(value, str) or (among is not None and value not in among):
            raise self._unexpected(name, value, "a text" if among is None else f"one of {', '.join(among)}")
        if max_characters is not None and len(value) > max_characters:
            raise self._unexpected(name, value, f"a text of at most {max_characters:,} characters")
        return value

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        value = self.raw(name)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self._unexpected(name, value, "a list of texts")
        return value

    def levels(self, name: str, most: int, max_characters: int) -> tuple[str, ...]:
        """Return up to `most` different texts, none of them longer than `max_characters`."""
        values = self.texts(name)
        if len(values) > most or len(set(values)) != len(values) or any(len(text) > max_characters for text in values):
            expected = f"at most {most:,} different texts of at most {max_characters:,} characters"
            raise self._unexpected(name, values, expected)
        return tuple(values)

    def array(self, name: str, shape: Shape, dtype: Any = "float64") -> NDArray[Any]:
        """Return an array of finite numbers of this shape and of the dtype, or one of the dtypes."""
        return self._checked(name, self.raw(name), shape, dtype)

    def arrays(self, name: str, shapes: Sequence[Shape]) -> list[NDArray[Any]]:
        """Return a list of float64 arrays, one of each shape."""
        values = self.raw(name)
        if not isinstance(values, list) or len(values) != len(shapes):
            raise self._unexpected(name, values, f"a list of {len(shapes)} arrays")
        return [
            self._checked(f"{name}.{i}", value, shape, "float64")
            for i, (value, shape) in enumerate(zip(values, shapes, strict=True))
        ]

    def part(self, name: str) -> Stored:
        """Return the state of a part."""
        return Stored(self.raw(name), self._named(name), self._remedy)

    def optional(self, name: str) -> Stored | None:
        """Return the state of a part, or None if the entry is None or missing."""
        return self.part(name) if name in self else None

    def read(self, name: str, from_state: Callable[..., T], *arguments: Any) -> T | None:
        """Return ``from_state(part, *arguments)`` of a part, or None if the entry is None or missing."""
        return from_state(self.part(name), *arguments) if name in self else None

    def parts(self, name: str, least: int = 0, most: int = 2**53) -> list[Stored]:
        """Return the states of a list of parts, from `least` to `most` of them."""
        values = self.raw(name)
        if not isinstance(values, list):
            raise self._unexpected(name, values, "a list")
        if not least <= len(values) <= most:
            raise self._unexpected(name, values, f"a list of {least} to {most:,} entries")
        return [Stored(value, f"{self._named(name)}.{i}", self._remedy) for i, value in enumerate(values)]

    def entries(self, name: str) -> tuple[Stored, list[str]]:
        """Return the entries of a list as a state, and the names of its entries."""
        values = self.raw(name)
        if not isinstance(values, list):
            raise self._unexpected(name, values, "a list")
        names = [f"{name}[{i}]" for i in range(len(values))]
        return Stored(dict(zip(names, values, strict=True)), self._place, self._remedy), names

    def require_names(self, names: Collection[str]) -> None:
        """Raise an error if there are entries of other names."""
        if unlike := set(self._values) ^ set(names):
            listed = ", ".join(sorted(map(str, unlike)))
            raise self._error(f"{self._place or 'the state'} has other entries than expected ({listed})")

    def require(self, sound: bool, name: str, expected: str) -> None:
        """Raise an error for an entry unless a condition holds."""
        if not sound:
            raise self._unexpected(name, self._values.get(name), expected)

    def _checked(self, name: str, value: Any, shape: Shape, dtype: Any) -> NDArray[Any]:
        if not isinstance(value, np.ndarray):
            raise self._unexpected(name, value, "an array")
        allowed = [np.dtype(kind) for kind in (dtype if isinstance(dtype, tuple) else (dtype,))]
        if value.dtype not in allowed:
            raise self._error(f"{self._named(name)} holds {value.dtype}: expected {' or '.join(map(str, allowed))}")
        if len(shape) != value.ndim or any(
            n is not None and n != got for n, got in zip(shape, value.shape, strict=True)
        ):
            wanted = f"({', '.join('any' if n is None else str(n) for n in shape)}{',' if len(shape) == 1 else ''})"
            raise self._error(f"{self._named(name)} has the shape {value.shape}: expected {wanted}")
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise self._error(f"{self._named(name)} holds numbers that are not finite")
        return value

    def _named(self, name: str) -> str:
        return ".".join(part for part in (self._place, name) if part)

    def _unexpected(self, name: str, value: Any, expected: str) -> StateError:
        return self._error(f"{self._named(name) or 'the state'} is {reprlib.repr(value)}: expected {expected}")

    def _error(self, said: str) -> StateError:
        return StateError(f"{said}; {self._remedy}." if self._remedy else f"{said}.")
