"""`ReportSummary`: everything that a report shows, as numbers and texts, independent of data and model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ridgeway.messages.quantity import quantity
from ridgeway.storage.record import from_plain, to_plain

FORMAT = 3  # version of the dictionary
SCALES = ("deviation", "largest", "unit")
SOURCES = ("held-out", "given", "learned", "none")


@dataclass(frozen=True)
class Grid:
    """Ridge strengths with equally spaced logarithms.

    Attributes
    ----------
    low : log10 of the first strength.
    per_decade : strengths per factor of ten.
    n : number of strengths.
    """

    low: float
    per_decade: int
    n: int

    @property
    def alphas(self) -> tuple[float, ...]:
        """All strengths, increasing."""
        return tuple(10 ** (self.low + i / self.per_decade) for i in range(self.n))


@dataclass(frozen=True)
class Candidate:
    """An average that was compared with others, or that the report can show.

    Attributes
    ----------
    kind : "geometric", "tail", "uniform", "last", "exact" or, for any other scheme, "other".
    name : the scheme with its parameters.
    alpha : ridge strength, of a geometric average.
    start : where a tail starts, as a share of the run.
    step : step size of its run.
    error, standard_error : mean squared error on rows that were not learned from.
    chosen : True for the average that the comparison chose.
    selected : True for the average that the model uses.
    """

    kind: str
    name: str
    alpha: float | None
    start: float | None
    step: float | None
    error: float | None
    standard_error: float | None
    chosen: bool
    selected: bool


@dataclass(frozen=True)
class Comparison:
    """How the average was chosen.

    Attributes
    ----------
    method : the method, in words.
    candidates : all averages that were compared.
    n_as_good : how many of them, beside the chosen one, have an error within one standard error of the best one's.
    errors, standard_errors : errors of geometric averages on the grid of strengths; empty if none were compared.
    """

    method: str
    candidates: tuple[Candidate, ...]
    n_as_good: int
    errors: tuple[float, ...]
    standard_errors: tuple[float, ...]


@dataclass(frozen=True)
class Path:
    """Effects of the columns shown, for every strength: effect k at grid point i is coordinates[i] . basis[k].

    An effect is a coefficient times the scale of its column: the change of the prediction when the column rises by
    its scale.

    Attributes
    ----------
    features : names of the columns, largest effect first.
    scales : scales of these columns.
    coordinates : (n, r) on the grid.
    basis : (columns, r).
    stops : (stops, columns), effects of the averages that the reader can select.
    intercepts : intercept of each of these averages.
    share : sum of squared effects of the columns shown, as a share of that of all columns, for the model's average.
    intervals : (columns, 2), effects at the ends of the intervals of the model's coefficients; empty if there are none.
    spreads : standard deviations of these columns, where they are not their scales: of levels in sparse rows.
    """

    features: tuple[str, ...]
    scales: tuple[float, ...]
    coordinates: tuple[tuple[float, ...], ...]
    basis: tuple[tuple[float, ...], ...]
    stops: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    share: float
    intervals: tuple[tuple[float, float], ...]
    spreads: tuple[float, ...] = ()


@dataclass(frozen=True)
class Rows:
    """A sample of rows with their predictions.

    Attributes
    ----------
    numbers : row numbers in the data or stream, increasing.
    actual, predicted : values in units of the target.
    """

    numbers: tuple[int, ...]
    actual: tuple[float, ...]
    predicted: tuple[float, ...]


@dataclass(frozen=True)
class Interval:
    """The prediction interval of new rows: the prediction, plus and minus a half-width.

    Attributes
    ----------
    coverage : share of new rows that it is to hold.
    half_width : in units of the target.
    method : how the rows behind it were held out, in words.
    """

    coverage: float
    half_width: float
    method: str


@dataclass(frozen=True)
class Target:
    """One predicted quantity.

    Attributes
    ----------
    name : its name.
    path : effects of the columns on it.
    rows : predicted rows; None if there are none.
    mean_squared_error : error of the held-out predictions; None if unknown.
    variance : mean squared error of always predicting the mean, on the same rows.
    interval : prediction interval of new rows; None if no residuals are known of the average that predicted the rows.
    """

    name: str
    path: Path
    rows: Rows | None
    mean_squared_error: float | None
    variance: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Encoded:
    """What an encoder did with one column of a table."""

    column: str
    kind: str
    done: str
    n_features: int


@dataclass(frozen=True)
class Run:
    """How the fit ran. Entries are None if they are not known or do not apply.

    Attributes
    ----------
    step : step size, in units of scaled features; the last one if steps grow.
    stairs : step sizes of a whole row, each with its number of steps, including the step after the last.
    length : number of steps of a chain.
    n_steps : number of steps in all.
    n_rows, passes, limited, split, r2, seconds : as in the estimator: rows, passes, clipped steps, rows that were
        split, R^2 of the squared norms of the rows, and seconds.
    """

    step: float | None
    stairs: tuple[tuple[float, int], ...]
    length: int | None
    n_steps: int | None
    n_rows: int | None
    passes: float | None
    limited: int | None
    split: int | None
    r2: float | None
    seconds: float | None


@dataclass(frozen=True)
class EvaluatedRows:
    """What an evaluation on test rows found, which the fit did not see.

    Attributes
    ----------
    which : which rows they are, in words.
    r2, rmse : of each target; R^2 is None where it does not exist.
    result : the result, in words.
    caution : why it differs from the error of held-out rows, in words; may be empty.
    page : address of the page of the test rows, relative to the report; None if there is none.
    """

    which: str
    r2: tuple[float | None, ...]
    rmse: tuple[float, ...]
    result: str
    caution: str
    page: str | None


@dataclass(frozen=True, repr=False)
class ReportSummary:
    """What a report shows.

    `summarize` makes it. `to_dict` returns a dictionary that JSON can hold; `from_dict` reads it with checks.

    Attributes
    ----------
    format : version of the dictionary.
    title : title of the page.
    estimator : class of the model.
    n_features, n_targets : those of the model; the report shows the largest effects and the first targets.
    scale : unit of a column in its effect: "deviation", "largest" (its largest value) or "unit".
    grid : strengths of the slider.
    stops : averages that the reader can select, with the model's own first.
    comparison : how the average was chosen; None if it was given.
    targets : the targets shown.
    rows_source : "held-out", "given" (new rows that were given), "learned" (the model learned from them) or "none".
    n_source_rows : number of rows from which the shown ones were drawn.
    predicted_by : the average that predicted the rows, in words.
    run : how the fit ran.
    encoded : what an encoder did; empty without one.
    facts : more facts, as pairs of texts.
    test : what an evaluation on test rows found; None without test rows.
    logarithms : whether the model predicts logarithms of the targets.
    """

    format: int
    title: str
    estimator: str
    n_features: int
    n_targets: int
    scale: str
    grid: Grid
    stops: tuple[Candidate, ...]
    comparison: Comparison | None
    targets: tuple[Target, ...]
    rows_source: str
    n_source_rows: int
    predicted_by: str
    run: Run
    encoded: tuple[Encoded, ...]
    facts: tuple[tuple[str, str], ...]
    test: EvaluatedRows | None = None
    logarithms: bool = False

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(
                f"the summary has format {self.format}: expected {FORMAT}; write the report with the version of "
                "ridgeway that made it, or again from the model."
            )
        self._require_sense()
        n, n_stops = self.grid.n, len(self.stops)
        for target in self.targets:
            path, rows = target.path, target.rows
            k, ranks = len(path.features), {len(row) for row in (*path.coordinates, *path.basis)}
            fits = (
                len(path.coordinates) == n
                and len(path.scales) == len(path.basis) == k
                and len(ranks) == 1
                and len(path.stops) == len(path.intercepts) == n_stops
                and all(len(row) == k for row in path.stops)
                and len(path.intervals) in (0, k)
                and len(path.spreads) in (0, k)
                and (rows is None or len(rows.numbers) == len(rows.actual) == len(rows.predicted))
            )
            if not fits:
                raise ValueError(
                    f"the entries of target {target.name!r} do not match: expected {n} strengths, "
                    f"{n_stops} averages and {k} columns throughout; write the report again from the model."
                )
        if self.comparison and {len(self.comparison.errors), len(self.comparison.standard_errors)} - {0, n}:
            raise ValueError(f"the summary has errors off its grid: expected {n} of them, or none.")

    def _require_sense(self) -> None:
        """Raise an error for values that no model can have."""
        grid, compared = self.grid, self.comparison.candidates if self.comparison else ()
        per_decade = grid.per_decade >= 1 and grid.n >= 2
        sizes = [number for t in self.targets for number in (t.mean_squared_error, t.variance)]
        sizes += [number for row in (*self.stops, *compared) for number in (row.alpha, row.error, row.standard_error)]
        for sound, what in (
            (per_decade and abs(grid.low) <= 300 and grid.low + grid.n / grid.per_decade <= 300, "strengths of a grid"),
            (bool(self.stops) and bool(self.targets), "an average and a target to show"),
            (self.scale in SCALES, f"a scale among {', '.join(SCALES)}"),
            (self.rows_source in SOURCES, f"a source of rows among {', '.join(SOURCES)}"),
            (self.comparison is None or sum(row.chosen for row in compared) == 1, "one chosen average"),
            (all(number is None or number >= 0 for number in sizes), "strengths and errors of 0 or more"),
            (all(scale > 0 for t in self.targets for scale in t.path.scales), "scales above 0"),
            (
                self.run.step is None or (self.run.step > 0 and (self.run.length or 0) > 0 and bool(self.run.stairs)),
                "a step, stairs and a length above 0",
            ),
            (
                all(size > 0 and count > 0 for size, count in self.run.stairs),
                "stairs of sizes and numbers of steps above 0",
            ),
        ):
            if not sound:
                raise ValueError(f"the summary is not valid: expected {what}; write the report again from the model.")

    def __repr__(self) -> str:
        features = quantity(self.n_features, "feature")
        return f"ReportSummary({self.title!r}: {self.estimator} of {features}, {quantity(self.n_targets, 'target')})"

    def to_dict(self) -> dict[str, Any]:
        """Return dictionaries, lists, finite numbers and texts."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, stored: Any) -> ReportSummary:
        """Read what `to_dict` gave; an error names the entry that is wrong."""
        return from_plain(cls, stored, "summary", "write the report again from the model")
