"""Names as arguments: words such as "auto", which a parameter takes beside other values, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard


def is_name(value: object, *names: str) -> TypeGuard[str]:
    """Return whether `value` is one of these words; an array, which compares by element, is none.

    Examples
    --------
    >>> is_name("loo", "loo", "holdout"), is_name(5, "loo")
    (True, False)
    """
    return isinstance(value, str) and value in names


def listed_texts(parameter: str, values: object) -> tuple[str, ...]:
    """Return texts as a tuple; a single text is one of them, and not its characters.

    Parameters
    ----------
    parameter : its name, for messages.
    values : a text, or several.

    Examples
    --------
    >>> listed_texts("drop", "name"), listed_texts("drop", ["name", "id"])
    (('name',), ('name', 'id'))
    """
    if isinstance(values, str):
        return (values,)
    if isinstance(values, Iterable):
        found = tuple(values)
        if all(isinstance(value, str) for value in found):
            return tuple(map(str, found))
        values = next(value for value in found if not isinstance(value, str))
    raise TypeError(
        f"{parameter} holds {values!r} ({type(values).__name__}): expected a text, or a list of texts; write "
        f"{parameter}=[{str(values)!r}]."
    )
