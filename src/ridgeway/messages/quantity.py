"""A number of things, in words."""

from __future__ import annotations


def quantity(n: int, thing: str, things: str | None = None) -> str:
    """Return a number with the noun that belongs to it.

    Parameters
    ----------
    n : how many.
    thing : the noun of one.
    things : the noun of several; None adds an s.

    Examples
    --------
    >>> quantity(1, "row"), quantity(2400, "row"), quantity(0, "category", "categories")
    ('1 row', '2,400 rows', '0 categories')
    """
    return f"{n:,} {thing if n == 1 else things or f'{thing}s'}"
