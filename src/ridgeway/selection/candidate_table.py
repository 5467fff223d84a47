"""Selection: the table of candidates with their errors, and which one was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from ridgeway.averaging import Geometric, Scheme, Tail, Uniform, scheme_of
from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.storage.state import State, StateError, Stored

PROGRESSIVE = "prediction before learning"  # the method of streams
TIED_ERROR_CHANGE = 1e-12  # errors that differ by a smaller share may differ by rounding


@dataclass(frozen=True)
class Scored:
    """A candidate and how well it predicted rows it had not learned from.

    Attributes
    ----------
    scheme : the average.
    step : the step size of the run it averages.
    error : mean squared error, in squared units of y; with several targets, the mean of their unexplained shares of
        variance. In a choice by folds or hold-out, outliers are capped, at most one row in 2,500: see
        `selection.capped_errors`.
    standard_error : of `error`.
    chosen : True for one row of the table.
    """

    scheme: Scheme
    step: float
    error: float
    standard_error: float
    chosen: bool = False

    def state(self) -> State:
        """Return the row of the table."""
        return {
            "scheme": self.scheme.state(),
            "step": self.step,
            "error": self.error,
            "standard_error": self.standard_error,
            "chosen": self.chosen,
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Scored:
        """Return the row of a state."""
        return cls(
            scheme_of(stored.part("scheme")),
            stored.positive("step"),
            stored.number("error", 0.0),
            stored.number("standard_error", 0.0),
            stored.flag("chosen"),
        )

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
    table : candidates by step size, and for each in the order geometric (by alpha), tail (by start), others.
    halfway : error of the best candidate after half of the steps; NaN if it was not computed.
    solved : whether ridge strengths were solved without steps; the table then has none for them.

    Examples
    --------
    >>> import ridgeway as rw
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = rw.AveragedSGDRegressor(random_state=0).fit(X, y)
    >>> model.selection_.best.scheme == model.selection_.chosen.scheme
    True
    >>> sorted(model.selection_.to_frame().columns)
    ['alpha', 'chosen', 'error', 'scheme', 'standard_error', 'start', 'step']
    """

    method: str
    table: tuple[Scored, ...]
    halfway: float = math.nan
    solved: bool = False

    def state(self) -> State:
        """Return the table."""
        halfway = None if math.isnan(self.halfway) else self.halfway
        solved = {"solved": True} if self.solved else {}
        return {"method": self.method, "halfway": halfway, "table": [row.state() for row in self.table], **solved}

    @classmethod
    def from_state(cls, stored: Stored) -> Selection:
        """Return the table of a state."""
        table = tuple(Scored.from_state(row) for row in stored.parts("table"))
        if sum(row.chosen for row in table) != 1:
            raise StateError(f"{sum(row.chosen for row in table)} candidates are chosen: expected one.")
        halfway = stored.number("halfway", 0.0) if "halfway" in stored else math.nan
        return cls(stored.text("method"), table, halfway, "solved" in stored and stored.flag("solved"))

    @property
    def best(self) -> Scored:
        """The candidate of least error, among those of the step that was chosen."""
        step = self.chosen.step
        return min((row for row in self.table if row.step == step), key=lambda row: row.error)

    @property
    def chosen(self) -> Scored:
        """The candidate that was selected: the best one, or a simpler one by the one-standard-error rule.

        Of several ridge strengths with the same least error (to rounding), an exact fit takes the strongest.
        """
        return next(row for row in self.table if row.chosen)

    @property
    def n_as_good(self) -> int:
        """Number of candidates, beside the chosen one, with an error within one standard error of the best one's."""
        most = self.best.error + self.best.standard_error
        return sum(row.error <= most for row in self.table if not row.chosen)

    @property
    def best_of_kinds(self) -> list[Scored]:
        """The best candidate of each kind and step, and the chosen one; by error."""
        rows, tied = sorted(self.table, key=lambda row: row.error), self._is_tied
        best: dict[tuple[float, type[Scheme]], Scored] = {}
        for row in rows:
            kind = row.step, type(row.scheme)
            if kind not in best or (row.chosen and tied):
                best[kind] = row
        return [row for row in rows if row.chosen or any(row is first for first in best.values())]

    @property
    def _is_tied(self) -> bool:
        """Whether the chosen strength is not the row of least error, but its error equals the least one to rounding.

        If a stronger one is within a standard error of the least error, the rule of one standard error was not used:
        an exact fit took the strongest of several strengths with the same error.
        """
        least, chosen = self.best, self.chosen
        if self.method == PROGRESSIVE or chosen.error <= least.error:
            return False
        if not (isinstance(least.scheme, Geometric) and isinstance(chosen.scheme, Geometric)):
            return False
        limit = least.error + least.standard_error
        stronger = any(row.alpha > chosen.alpha and row.error <= limit for row in self.table)
        return chosen.error <= least.error * (1 + TIED_ERROR_CHANGE) or chosen.error > limit or stronger

    @property
    def note(self) -> str:
        """One sentence on why the chosen candidate does not have the least error of its step; empty if it has."""
        least, chosen = self.best, self.chosen
        if chosen.error <= least.error:
            return ""
        if self._is_tied:
            return "Several strengths have the least error, to rounding; the strongest of them was chosen."
        if self.method != PROGRESSIVE:
            return (
                "The chosen average is not the one with the least error: it has the strongest regularization within "
                f"one standard error ({least.standard_error:.2g}) of the best."
            )
        if isinstance(chosen.scheme, Uniform):
            return (
                "The uniform average is chosen although others have smaller errors, because none of them is better by "
                "more than two standard errors."
            )
        return (
            "The chosen average is not the one with the least error: it is the candidate with the smallest upper bound "
            "(mean plus two standard errors) of its error minus that of the uniform average."
        )

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Scored]:
        return iter(self.table)

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas, or use to_dict().") from None
        return pandas.DataFrame(self.to_dict())

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the table as columns."""
        return {
            "scheme": [type(row.scheme).__name__ for row in self.table],
            "alpha": [row.alpha for row in self.table],
            "start": [float(row.start) for row in self.table],
            "step": [math.nan if self.solved and isinstance(row.scheme, Geometric) else row.step for row in self.table],
            "error": [row.error for row in self.table],
            "standard_error": [row.standard_error for row in self.table],
            "chosen": [row.chosen for row in self.table],
        }

    def __str__(self) -> str:
        shown = self.best_of_kinds
        kinds, steps = {(row.step, type(row.scheme)) for row in shown}, {row.step for row in self.table}
        also = " and the chosen one" if len(shown) > len(kinds) else ""
        lines = [f"{len(self)} candidates, compared by {self.method}; the best of each kind{also}:"]
        lines.append(f"{'error':>12}  {'+-':>8}  scheme")
        for row in shown:
            at = f", step {row.step:.3g}" if len(steps) > 1 else ""
            mark = "  <- chosen" if row.chosen else ""
            lines.append(f"{row.error:>12.5g}  {row.standard_error:>8.2g}  {scheme_name(row.scheme)}{at}{mark}")
        return "\n".join([*lines, self.note] if self.note else lines)

    def __repr__(self) -> str:
        chosen = self.chosen
        return (
            f"Selection({len(self)} candidates by {self.method}: {chosen.scheme}, error {chosen.error:.6g} "
            f"+- {chosen.standard_error:.2g})"
        )


def others_as_good(n: int) -> str:
    """Return the end of a sentence about the chosen candidate: how many others are about as good; empty for none."""
    return f"; {n:,} {'other is' if n == 1 else 'others are'} within one standard error" if n else ""


def marked(
    rows: Sequence[Scored], one_standard_error: bool, others: Sequence[Scored] = (), best: Scored | None = None
) -> tuple[Scored, ...]:
    """Return the table with the chosen row marked: the best one or, by the rule, a more regularized one.

    The one-standard-error rule takes the geometric average of largest alpha whose error is within a standard error of
    the best. If there is none, the best row is chosen. `best` is the row of least error unless it is given. `others`,
    averages of a run with another step, are listed but never chosen.
    """
    best = best or min(rows, key=lambda row: row.error)
    chosen = best
    if one_standard_error:
        good = [row for row in rows if row.alpha >= 0 and row.error <= best.error + best.standard_error]
        chosen = max(good, key=lambda row: row.alpha, default=best)
    table = sorted([*rows, *others], key=_place_in_table)
    return tuple(replace(row, chosen=True) if row is chosen else row for row in table)


def _place_in_table(row: Scored) -> tuple[float, int, float, str]:
    if isinstance(row.scheme, Geometric):
        return row.step, 0, row.scheme.alpha, ""
    if isinstance(row.scheme, Tail):
        return row.step, 1, float(row.scheme.start), ""
    return row.step, 2, 0.0, repr(row.scheme)
