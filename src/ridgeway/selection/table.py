"""Selection: the table of candidates with their errors, and which one was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ridgeway.averaging import Geometric, Scheme, Tail

SHOWN = 12  # rows in the text form of a long table


@dataclass(frozen=True)
class Scored:
    """A candidate and how well it predicted rows it had not learned from.

    Attributes
    ----------
    scheme : the average.
    error : mean squared error, in squared units of y; with several targets their mean share of unexplained variance.
    standard_error : of `error`.
    chosen : True for one row of the table.
    """

    scheme: Scheme
    error: float
    standard_error: float
    chosen: bool = False

    @property
    def alpha(self) -> float:
        """Ridge strength of a geometric average, NaN for others."""
        return self.scheme.alpha if isinstance(self.scheme, Geometric) else math.nan

    @property
    def start(self) -> float:
        """Where a tail starts, as a fraction of the run or a step; NaN for others."""
        return self.scheme.start if isinstance(self.scheme, Tail) else math.nan


@dataclass(frozen=True)
class Selection:
    """How the average was chosen.

    Attributes
    ----------
    method : in words, for instance "5 folds in one sweep".
    table : candidates in the order geometric (by alpha), tail (by start), others.
    halfway : error of the best candidate when half of the steps were made; NaN where it was not looked at.

    Examples
    --------
    >>> import ridgeway as rw
    >>> X, y = rw.load_flights().X[:2000], rw.load_flights().y[:2000]
    >>> model = rw.AveragedSGDRegressor(random_state=0).fit(X, y)
    >>> model.selection_.best.scheme == model.selection_.chosen.scheme
    True
    >>> sorted(model.selection_.to_frame().columns)
    ['alpha', 'chosen', 'error', 'scheme', 'standard_error', 'start']
    """

    method: str
    table: tuple[Scored, ...]
    halfway: float = math.nan

    @property
    def best(self) -> Scored:
        """The candidate of least error."""
        return min(self.table, key=lambda row: row.error)

    @property
    def chosen(self) -> Scored:
        """The candidate that the model stands at: the best, or by the one-standard-error rule a simpler one."""
        return next(row for row in self.table if row.chosen)

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Scored]:
        return iter(self.table)

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas, or use to_dict().") from None
        return pd.DataFrame(self.to_dict())

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the table as columns."""
        return {
            "scheme": [type(row.scheme).__name__ for row in self.table],
            "alpha": [row.alpha for row in self.table],
            "start": [float(row.start) for row in self.table],
            "error": [row.error for row in self.table],
            "standard_error": [row.standard_error for row in self.table],
            "chosen": [row.chosen for row in self.table],
        }

    def __str__(self) -> str:
        rows = sorted(self.table, key=lambda row: row.error)
        shown = rows[:SHOWN] + [row for row in rows[SHOWN:] if row.chosen]
        lines = [f"{len(self)} candidates, compared by {self.method}", f"{'error':>12}  {'+-':>10}  scheme"]
        for row in shown:
            mark = "  <- chosen" if row.chosen else ""
            lines.append(f"{row.error:>12.6g}  {row.standard_error:>10.2g}  {row.scheme}{mark}")
        if len(shown) < len(self):
            lines.append(f"{'...':>12}  and {len(self) - len(shown)} others")
        return "\n".join(lines)

    def __repr__(self) -> str:
        chosen = self.chosen
        return (
            f"Selection({len(self)} candidates by {self.method}: {chosen.scheme}, error {chosen.error:.6g} "
            f"+- {chosen.standard_error:.2g})"
        )


def marked(rows: Sequence[Scored], one_standard_error: bool) -> tuple[Scored, ...]:
    """Mark the chosen row: the best or, by the rule, the strongest regularization within its standard error.

    Among geometric averages that is the largest alpha; if none of them is good enough, the best stays.
    """
    best = min(rows, key=lambda row: row.error)
    chosen = best
    if one_standard_error:
        good = [row for row in rows if row.alpha >= 0 and row.error <= best.error + best.standard_error]
        chosen = max(good, key=lambda row: row.alpha, default=best)
    return tuple(
        Scored(row.scheme, row.error, row.standard_error, row is chosen) for row in sorted(rows, key=_place_in_table)
    )


def _place_in_table(row: Scored) -> tuple[int, float, str]:
    if isinstance(row.scheme, Geometric):
        return 0, row.scheme.alpha, ""
    if isinstance(row.scheme, Tail):
        return 1, float(row.scheme.start), ""
    return 2, 0.0, repr(row.scheme)
