"""Names as arguments: words such as "auto", which a parameter takes beside numbers, arrays or objects."""

from __future__ import annotations

from typing import TypeGuard


def is_name(value: object, *names: str) -> TypeGuard[str]:
    """Return whether `value` is one of these words; an array, which compares by element, is none.

    Examples
    --------
    >>> is_name("loo", "loo", "holdout"), is_name(5, "loo")
    (True, False)
    """
    return isinstance(value, str) and value in names
