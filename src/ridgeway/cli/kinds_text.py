"""The columns of a table by their kinds, and those that were left out, as text."""

from __future__ import annotations

from ridgeway.data.description import TableDescription
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.schema import listed_names
from ridgeway.report.write import PLURALS


def kinds_text(description: TableDescription) -> list[str]:
    r"""Return a line with the columns of each kind, and one with those that were left out and why, if there are any.

    Parameters
    ----------
    description : of the encoding.

    Examples
    --------
    >>> import pyarrow as pa, ridgeway as rw
    >>> table = pa.table({"size": [1.5, 2.0], "shop": ["a", "b"], "year": [2020, 2020]})
    >>> print("\n".join(kinds_text(rw.TableEncoder().fit(table).describe())))
    Numbers: 'size'. Categories: 'shop'.
    Left out: 'year' (constant).
    """
    kinds: dict[str, list[str]] = {}
    reasons: dict[str, list[str]] = {}
    for row in description:
        if row.kind == Dropped.kind:
            reasons.setdefault(Dropped.short_reason(row.done), []).append(row.column)
        else:
            kinds.setdefault(PLURALS[row.kind], []).append(row.column)
    used = " ".join(f"{kind.capitalize()}: {listed_names(names)}." for kind, names in kinds.items())
    left_out = ", ".join(f"{listed_names(names)} ({reason})" for reason, names in reasons.items())
    return [*([used] if used else []), *([f"Left out: {left_out}."] if left_out else [])]
