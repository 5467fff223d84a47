"""Choice on a stream: every candidate predicts a row before the run learns from it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from ridgeway.atomic import shallow_copy
from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform, scheme_of
from ridgeway.rows import Batch, Float
from ridgeway.rows.centre import Centre
from ridgeway.rows.standardization import Standardization
from ridgeway.rows.weights import all_ones
from ridgeway.selection.candidate_table import Scored
from ridgeway.selection.error_moments import LARGEST_SQUARE, MAX_CORE_DIRECTIONS, ErrorMoments, models_of
from ridgeway.selection.held_out import HeldOut
from ridgeway.selection.span import span_of
from ridgeway.selection.stream_sample import Period, StreamSample
from ridgeway.sgd import SGDRun
from ridgeway.sgd.row_products import RowProducts
from ridgeway.storage.state import State, StateError, Stored, state_of

FIRST_STEPS = 128  # steps after which the first averages are taken
DECIDING_OCTAVES = 2  # errors of the last two octaves of the stream decide: older averages had seen too few rows
STREAM_ALPHAS_PER_DECADE = 3
MIN_GROUP_ROWS, GROUPS_PER_STRETCH = 32.0, 6  # rows in a group of errors; groups in a stretch
MAX_OPEN_GROUPS = 64  # groups whose errors are not computed yet: rows of large weights fill many
MIN_STEP_ALPHA, MAX_STEP_ALPHA = 1e-9, 1e2  # eta * alpha
UNIFORM_INDEX = -1  # index of the uniform average among the candidates
MIN_WEIGHTS_SUMMED = 64  # weights that are summed at a time to find the end of a group
SURE_STANDARD_ERRORS = 2.0  # standard errors by which a candidate has to be better than the uniform average
STREAM_TAIL_STARTS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9)


@dataclass(frozen=True, eq=False)
class Stretch:
    """Errors of the candidates over a stretch of the stream.

    The rows are divided into groups. Group g has the weight w_g and, for each candidate, the sum of squared errors e_g.

    Attributes
    ----------
    first_step : the step after which the averages of this stretch were taken.
    groups : number of groups.
    weight, weight2 : sums of w_g and w_g^2.
    errors, errors2, crossed : for each candidate, sums of e_g, e_g^2 and e_g w_g.
    apart2 : for each candidate, sum of (e_g - e_g of the uniform average)^2.
    by_target : (candidates, targets), sums of the squared errors of each target, of which e_g is the mean.
    """

    first_step: int
    groups: int
    weight: float
    weight2: float
    errors: NDArray[np.float64]
    errors2: NDArray[np.float64]
    crossed: NDArray[np.float64]
    apart2: NDArray[np.float64]
    by_target: NDArray[np.float64]

    @classmethod
    def empty(cls, first_step: int, n_schemes: int, n_targets: int) -> Stretch:
        """Return a stretch without rows."""
        errors, errors2, crossed, apart2 = np.zeros((4, n_schemes))
        return cls(first_step, 0, 0.0, 0.0, errors, errors2, crossed, apart2, np.zeros((n_schemes, n_targets)))

    @classmethod
    def of_groups(cls, first_step: int, weight: NDArray[np.float64], by_target: NDArray[np.float64]) -> Stretch:
        """Return a stretch of groups with these weights (groups,) and errors (candidates, targets, groups)."""
        errors = by_target.mean(axis=1)
        apart2 = ((errors - errors[UNIFORM_INDEX]) ** 2).sum(axis=1)
        sums = errors.sum(axis=1), (errors * errors).sum(axis=1), errors @ weight, apart2
        return cls(first_step, len(weight), float(weight.sum()), float(weight @ weight), *sums, by_target.sum(axis=2))

    @classmethod
    def from_state(cls, stored: Stored, n_schemes: int, n_targets: int) -> Stretch:
        """Return the stretch of a state."""
        counts = stored.integer("first_step"), stored.integer("groups")
        weights = stored.number("weight", 0.0), stored.number("weight2", 0.0)
        names = ("errors", "errors2", "crossed", "apart2")
        errors, errors2, crossed, apart2 = (stored.array(name, (n_schemes,)) for name in names)
        # Files of version 0.1 have the mean over targets only.
        by_target = (
            stored.array("by_target", (n_schemes, n_targets))
            if "by_target" in stored
            else np.repeat(errors[:, None], n_targets, axis=1)
        )
        return cls(*counts, *weights, errors, errors2, crossed, apart2, by_target)

    def __add__(self, other: Stretch) -> Stretch:
        """Return the sums over both stretches."""
        sums = {name: value + getattr(other, name) for name, value in vars(self).items() if name != "first_step"}
        return Stretch(self.first_step, **sums)

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean error of each candidate."""
        mean: NDArray[np.float64] = self.errors / self.weight
        return mean

    @property
    def deviation(self) -> NDArray[np.float64]:
        """Standard error of the mean errors."""
        return self._deviation(self.mean, self.errors2, self.crossed)

    @property
    def apart(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean errors minus that of the uniform average, and the standard errors of these differences."""
        apart = self.mean - self.mean[UNIFORM_INDEX]
        return apart, self._deviation(apart, self.apart2, self.crossed - self.crossed[UNIFORM_INDEX])

    def _deviation(
        self, mean: NDArray[np.float64], squares: NDArray[np.float64], crossed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        spread = np.maximum(squares - 2 * mean * crossed + mean**2 * self.weight2, 0.0)
        deviation: NDArray[np.float64] = np.sqrt(spread * self.groups / max(self.groups - 1, 1)) / self.weight
        return deviation


class Progressive:
    """Scores of a fixed list of candidates along a stream.

    New averages of the run are taken whenever the length of the stream has doubled. They predict the rows that follow.

    Parameters
    ----------
    family : "auto", "geometric" or "tail".
    step : the step eta.
    standardization : of the rows.
    sparse : whether the rows are sparse.
    after : number of steps before the first averages are taken. A run whose step grows has learned little before.
    """

    def __init__(
        self, family: str, step: float, standardization: Standardization, sparse: bool, after: int = 0
    ) -> None:
        self._step = step
        self._schemes = stream_candidates(family, step)
        self._standardization = standardization
        self._sparse = sparse
        self._models: NDArray[np.float64] = np.zeros((0, 0, 0))
        self._max_moment = LARGEST_SQUARE  # rows with larger moments are refused: their errors would overflow
        self._open: ErrorMoments | None = None  # groups of rows whose errors are not computed yet
        self._group = 0.0  # weight at which a group is full
        self.rows = 0  # number of rows that have been predicted
        self._place = 0  # number of the next row in the stream
        self._sample = StreamSample()
        self._next = max(FIRST_STEPS, after)
        self._stretches: list[Stretch] = []

    def copy(self) -> Progressive:
        """Return an independent copy."""
        other = shallow_copy(self)
        other._stretches = list(self._stretches)
        other._open = None if self._open is None else self._open.copy()
        other._sample = self._sample.copy()
        return other

    def state(self) -> State:
        """Return candidates and scores."""
        return {
            "schemes": [scheme.state() for scheme in self._schemes],
            "models": self._models,
            "open": state_of(self._open),
            "group": self._group,
            "rows": self.rows,
            "place": self._place,
            "sample": self._sample.state(),
            "next": self._next,
            "stretches": [asdict(stretch) for stretch in self._stretches],
        }

    @classmethod
    def from_state(cls, stored: Stored, step: float, standardization: Standardization, sparse: bool) -> Progressive:
        """Return the scores of a state, of a run with this step and standardization."""
        progressive = cls("auto", step, standardization, sparse)
        schemes = [scheme_of(scheme) for scheme in stored.parts("schemes")]
        n_targets = len(standardization.target_scale)
        progressive._schemes = schemes
        if (gathered := stored.optional("open")) is not None:
            progressive._open = ErrorMoments.from_state(gathered, standardization.n_columns, n_targets)
            progressive._models = stored.array("models", (n_targets, len(schemes), progressive._open.width))
            progressive._max_moment = _largest_moment(progressive._models)
        progressive._group = stored.number("group", 0.0)
        progressive.rows = stored.integer("rows")
        progressive._place = stored.integer("place")
        progressive._sample = StreamSample.from_state(stored.part("sample"), n_targets, len(schemes))
        progressive._next = stored.integer("next", 1)
        progressive._stretches = [
            Stretch.from_state(part, len(schemes), n_targets) for part in stored.parts("stretches")
        ]
        if progressive._open is not None and not progressive._stretches:
            raise StateError("open groups of rows belong to no stretch of the stream: expected one.")
        if progressive._sample.periods != len(progressive._stretches):
            raise StateError("the sample of the stream and its errors belong to different parts of the stream.")
        return progressive

    def expect(self, n_steps: int) -> None:
        """Skip averages that no longer count after n_steps; the run is known to reach this number."""
        last = 1 << max(n_steps - 1, 1).bit_length() - 1  # the last averages that are taken before n_steps
        self._next = max(self._next, last >> DECIDING_OCTAVES)

    def room(self, n_steps: int) -> int:
        """Return the number of rows, after n_steps steps, until new averages are taken."""
        return max(1, self._next - n_steps)

    def row_products(self, batch: Batch) -> RowProducts | None:
        """Return arrays that a run fills with products of these rows during their steps; None if there are none."""
        return None if self._open is None else self._open.row_products(batch)

    def predict(self, batch: Batch, products: RowProducts | None = None) -> None:
        """Score the candidates on rows that they have not learned from.

        Parameters
        ----------
        batch : the rows, standardized.
        products : products of these rows that a run has computed during their steps; None computes them here.
        """
        place = self._place
        self._place += len(batch)
        if self._open is None:
            return
        row_vectors = self._open.row_vectors(batch) if products is None else products.products[:, None]
        self.rows += len(batch)
        first = 0
        lacking = self._group - self._open.last_weight
        unweighted = all_ones(batch.weight)
        while first < len(batch):
            begun = 0 < lacking < self._group
            if not begun:
                lacking = self._group
                if len(self._open.moments) >= MAX_OPEN_GROUPS:
                    self._close_groups(self._open)
            last = _reach_rows(batch, first, lacking) if unweighted else _reach(batch.weight, first, lacking)
            weight = None if unweighted else batch.weight[first:last]
            self._open.add_row_vectors(row_vectors[first:last], weight, to_last=begun, most=self._max_moment)
            first, lacking = last, 0.0
        self._sample.add(row_vectors, place)

    def _close_groups(self, gathered: ErrorMoments) -> None:
        """Add the errors of the open groups to the last stretch."""
        if gathered.moments:
            self._stretches[-1] += self._errors(gathered)
            self._sample.count(gathered.target_sums())
            self._open = gathered.emptied()

    def _with_open_groups(self) -> tuple[list[Stretch], StreamSample]:
        """Return stretches and sample including the open groups; nothing is changed."""
        if self._open is None or not self._open.moments:
            return self._stretches, self._sample
        *before, now = self._stretches
        sample = self._sample.copy()
        sample.count(self._open.target_sums())
        return [*before, now + self._errors(self._open)], sample

    def _errors(self, gathered: ErrorMoments) -> Stretch:
        """Return the errors of all candidates on groups of rows."""
        return Stretch.of_groups(self._stretches[-1].first_step, gathered.weight, gathered.errors(self._models))

    def refresh(self, run: SGDRun, centre: Centre, n_steps: int) -> None:
        """Take new averages if n_steps has reached the next power of two; n_steps counts a split row as one step."""
        if n_steps < self._next:
            return
        if self._open is not None:
            self._close_groups(self._open)
        span = span_of(run.trajectory(), self._standardization, self._sparse, self._schemes, MAX_CORE_DIRECTIONS)
        self._models = models_of(span.given, centre.intercepts(span.directions, span.given))
        self._max_moment = _largest_moment(self._models)
        self._open = ErrorMoments(span.directions, padded=self._standardization.constant != 0)
        recent = [stretch for stretch in self._stretches if stretch.first_step * 2**DECIDING_OCTAVES >= n_steps]
        coordinates = span.trajectory(np.eye(len(span.directions)))
        means = (span.directions @ centre.x).T.astype(np.float64), np.array(centre.y, np.float64)
        self._sample.refresh(self._models, None if coordinates is None else Period(coordinates, *means), len(recent))
        self._group = max(MIN_GROUP_ROWS, n_steps / GROUPS_PER_STRETCH)
        self._next = 1 << n_steps.bit_length()
        n_targets = len(self._standardization.target_scale)
        self._stretches = [*recent, Stretch.empty(n_steps, len(self._schemes), n_targets)]

    def held_out(self, scheme: Scheme) -> HeldOut | None:
        """Return a sample of the rows with the predictions of a candidate; None if nothing was predicted yet."""
        found = self._total()
        if found is None:
            return None
        candidate = self._schemes.index(scheme)
        _, sample = self._with_open_groups()
        return sample.held_out(scheme, candidate, found.by_target[candidate] / found.weight, self._standardization)

    def scores(self, unit: float) -> list[Scored]:
        """Mean squared error of each candidate over the last octaves; empty if nothing was predicted yet."""
        found = self._total()
        if found is None:
            return []
        return [
            Scored(scheme, self._step, float(error * unit), float(deviation * unit))
            for scheme, error, deviation in zip(self._schemes, found.mean, found.deviation, strict=True)
        ]

    def preferred(self) -> int:
        """Return the index of the selected candidate.

        The difference is the candidate's error minus that of the uniform average. The candidate with the smallest mean
        difference + SURE_STANDARD_ERRORS standard errors is selected. The plain minimum is not used, for two reasons:
        the averages that are scored have learned from an eighth to a half of the rows, and the uniform average still
        improves as it forgets its start; and the least of many errors is partly chance.
        """
        found = self._total()
        assert found is not None, "nothing was predicted"
        apart, deviation = found.apart
        return int(np.argmin(apart + SURE_STANDARD_ERRORS * deviation))

    def _total(self) -> Stretch | None:
        """Return the sum of all stretches; None if nothing was predicted yet."""
        stretches, _ = self._with_open_groups()
        full = [stretch for stretch in stretches if stretch.weight > 0]
        return reduce(add, full) if full else None


def _largest_moment(models: NDArray[np.float64]) -> float:
    """Return the largest moment of rows with which squared errors of models (targets, L, r + 2) stay in float64."""
    with np.errstate(over="ignore"):  # models from a hostile file may overflow: then every row is refused
        size = np.maximum(1.0, models.shape[2] * np.abs(models).max())
        return float(LARGEST_SQUARE / np.square(size))


def _reach_rows(batch: Batch, first: int, lacking: float) -> int:
    """Return what `_reach` returns if all weights are 1."""
    return min(first + max(1, math.ceil(lacking)), len(batch))


def _reach(weight: Float, first: int, lacking: float) -> int:
    """Return the end of the rows from `first` on whose weights (n,) first add up to `lacking`; at most n."""
    n_rows = len(weight)
    last = min(first + MIN_WEIGHTS_SUMMED + math.ceil(2 * max(0.0, lacking)), n_rows)  # enough for weights around 1
    while True:
        sums = np.cumsum(weight[first:last], dtype=np.float64)
        if last == n_rows or sums[-1] >= lacking:
            return min(first + int(np.searchsorted(sums, lacking)) + 1, n_rows)
        last = min(first + 4 * (last - first), n_rows)


def stream_candidates(family: str, step: float) -> list[Scheme]:
    """Return the candidates of a stream, whose length is not known: a wide grid of alphas, and tails."""
    schemes: list[Scheme] = []
    if family != "tail":
        first = math.floor(math.log10(MIN_STEP_ALPHA / step) * STREAM_ALPHAS_PER_DECADE)
        last = math.ceil(math.log10(MAX_STEP_ALPHA / step) * STREAM_ALPHAS_PER_DECADE)
        schemes += [Geometric(10.0 ** (i / STREAM_ALPHAS_PER_DECADE)) for i in range(first, last + 1)]
    if family != "geometric":
        schemes += [Tail(start) for start in STREAM_TAIL_STARTS]
        schemes += [Last()]
    return [*schemes, Uniform()]
