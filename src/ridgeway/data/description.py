"""The table that describes how an encoder encodes each column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ridgeway.messages.quantity import quantity


@dataclass(frozen=True)
class ColumnDescription:
    """One column.

    Attributes
    ----------
    column : its name.
    kind : "number", "boolean", "category", "time", "text" or "dropped".
    done : its encoding, in words.
    features : its number of features.
    """

    column: str
    kind: str
    done: str
    features: int


@dataclass(frozen=True)
class TableDescription:
    """All columns of a table in their order.

    Examples
    --------
    >>> import pyarrow as pa, ridgeway as rw
    >>> encoder = rw.TableEncoder().fit(pa.table({"size": [1.5, 2.0, None], "shop": ["a", "a", "b"]}))
    >>> print(encoder.describe())
    2 columns became 5 features:
      column  kind      features  what was done
      size    number           2  as it is; 33.3% missing (of 3 rows): the mean 1.75 and an indicator
      shop    category         3  2 levels (a, b)
    """

    table: tuple[ColumnDescription, ...]

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[ColumnDescription]:
        return iter(self.table)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the table as columns."""
        return {name: [getattr(row, name) for row in self.table] for name in ("column", "kind", "done", "features")}

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas, or use to_dict().") from None
        return pandas.DataFrame(self.to_dict())

    def __str__(self) -> str:
        width = max([len(row.column) for row in self.table] + [6])
        n_features = sum(row.features for row in self.table)
        lines = [f"{quantity(len(self), 'column')} became {quantity(n_features, 'feature')}:"]
        lines.append(f"  {'column':<{width}}  {'kind':<8}  features  what was done")
        lines += [f"  {row.column:<{width}}  {row.kind:<8}  {row.features:>8,}  {row.done}" for row in self.table]
        return "\n".join(lines)
