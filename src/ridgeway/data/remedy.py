"""What a user can do about a column, on the command line and in Python."""

from __future__ import annotations

import shlex
from collections.abc import Sequence


def kind_remedy(column: str, kind: str) -> str:
    """Return how to declare the kind of a column.

    Examples
    --------
    >>> print(kind_remedy("sold on", "day-first"))
    --kind 'sold on=day-first' (in Python: kinds={'sold on': 'day-first'})
    """
    return f"--kind {shlex.quote(f'{column}={kind}')} (in Python: kinds={{{column!r}: {kind!r}}})"


def drop_remedy(column: str) -> str:
    """Return how to leave a column out.

    Examples
    --------
    >>> print(drop_remedy("id"))
    --drop id (in Python: drop=['id'])
    """
    return f"--drop {shlex.quote(column)} (in Python: drop=[{column!r}])"


def null_remedy(values: Sequence[str]) -> str:
    """Return how to read some texts of CSV files as missing values.

    Examples
    --------
    >>> print(null_remedy(["unknown", "not known"]))
    --null-values unknown --null-values 'not known' (in Python: null_values=['unknown', 'not known'])
    """
    options = " ".join(f"--null-values {shlex.quote(value)}" for value in values)
    return f"{options} (in Python: null_values={list(values)!r})"
