"""Choice on a stream: every row is predicted before it is learned from."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform, scheme_of
from ridgeway.rows import Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out import HeldOut
from ridgeway.selection.residuals import Residuals, models_of
from ridgeway.selection.span import span_of
from ridgeway.selection.stream_sample import StreamSample
from ridgeway.selection.table import Scored
from ridgeway.selection.trial import Centre
from ridgeway.sgd import SGDRun
from ridgeway.state import State, StateError, Stored

FIRST = 128  # steps after which the first averages are taken
OCTAVES = 2  # errors of the last two octaves of the stream decide: older averages had seen too little
PER_DECADE = 3
SMALLEST_GROUP, GROUPS = 32.0, 8  # rows in a group of errors; groups in a stretch
DIRECTIONS = 6  # along which rows are predicted: errors of a stream need no more digits
WEAKEST, STRONGEST = 1e-9, 1e2  # eta * alpha
UNIFORM = -1  # place of the uniform average among the candidates
SURELY = 2.0  # standard errors by which a candidate has to be better than the uniform average
STARTS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9)


@dataclass
class Stretch:
    """Errors of the candidates between two refreshments, summed over groups g of rows of weight w_g and errors e_g."""

    first_step: int
    weight: float = 0.0
    weight2: float = 0.0  # sum w_g^2
    errors: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    errors2: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # sum e_g^2
    crossed: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # sum e_g w_g
    apart2: NDArray[np.float64] = field(
        default_factory=lambda: np.zeros(0)
    )  # sum (e_g - that of the uniform average)^2
    groups: int = 0

    @classmethod
    def from_state(cls, stored: Stored, n_schemes: int) -> Stretch:
        """Return the stretch of a state."""
        sums = {name: stored.array(name, (n_schemes,)) for name in ("errors", "errors2", "crossed", "apart2")}
        weight, weight2 = stored.number("weight", 0.0), stored.number("weight2", 0.0)
        return cls(stored.integer("first_step"), weight, weight2, **sums, groups=stored.integer("groups"))


@dataclass(frozen=True)
class _Sums:
    """The sums of several stretches."""

    weight: float
    weight2: float
    groups: int
    mean: NDArray[np.float64]
    errors2: NDArray[np.float64]
    crossed: NDArray[np.float64]
    apart2: NDArray[np.float64]

    @classmethod
    def of(cls, stretches: Sequence[Stretch]) -> _Sums | None:
        """Add up; None where nothing was predicted."""
        full = [stretch for stretch in stretches if stretch.groups]
        if not full:
            return None
        weight, weight2 = sum(s.weight for s in full), sum(s.weight2 for s in full)
        sums = (np.sum([getattr(s, name) for s in full], axis=0) for name in ("errors", "errors2", "crossed", "apart2"))
        errors, errors2, crossed, apart2 = sums
        return cls(weight, weight2, sum(s.groups for s in full), errors / weight, errors2, crossed, apart2)

    def deviation(
        self, mean: NDArray[np.float64], squares: NDArray[np.float64], crossed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Standard error of a mean over groups, from sum e_g^2 and sum e_g w_g."""
        spread = np.maximum(squares - 2 * mean * crossed + mean**2 * self.weight2, 0.0)
        deviation: NDArray[np.float64] = np.sqrt(spread * self.groups / max(self.groups - 1, 1)) / self.weight
        return deviation


class Progressive:
    """Scores of a fixed list of candidates along a stream, by averages refreshed whenever its length has doubled.

    Parameters
    ----------
    family : "auto", "geometric" or "tail".
    step : the step eta.
    standardization : of the rows.
    sparse : whether they are.
    """

    def __init__(self, family: str, step: float, standardization: Standardization, sparse: bool) -> None:
        self._step = step
        self._schemes = stream_candidates(family, step)
        self._standardization = standardization
        self._sparse = sparse
        self._models: NDArray[np.float64] = np.zeros((0, 0, 0))
        self._open: Residuals | None = None  # the group of rows that is being gathered
        self._group = 0.0  # weight at which it is full
        self.rows = 0  # that have been predicted
        self._place = 0  # of the next row
        self._sample = StreamSample()
        self._next = FIRST
        self._stretches: list[Stretch] = []

    def copy(self) -> Progressive:
        """Return one that goes on by itself."""
        other = copy.copy(self)
        other._stretches = [copy.copy(stretch) for stretch in self._stretches]
        other._open = None if self._open is None else self._open.copy()
        other._sample = self._sample.copy()
        return other

    def state(self) -> State:
        """Return candidates and scores."""
        return {
            "schemes": [scheme.state() for scheme in self._schemes],
            "models": self._models,
            "open": None if self._open is None else self._open.state(),
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
            progressive._open = Residuals.from_state(gathered, standardization.n_columns, n_targets)
            progressive._models = stored.array("models", (n_targets, len(schemes), progressive._open.width))
        progressive._group = stored.number("group", 0.0)
        progressive.rows = stored.integer("rows")
        progressive._place = stored.integer("place")
        progressive._sample = StreamSample.from_state(stored.part("sample"), n_targets, len(schemes))
        progressive._next = stored.integer("next", 1)
        progressive._stretches = [Stretch.from_state(part, len(schemes)) for part in stored.parts("stretches")]
        if progressive._open is not None and not progressive._stretches:
            raise StateError("rows are being gathered without a stretch of the stream: expected one.")
        return progressive

    def room(self, n_steps: int) -> int:
        """Return how many more steps may be made before the averages are refreshed."""
        return max(1, self._next - n_steps)

    def predict(self, batch: Batch) -> bool:
        """Score the candidates on rows that are about to be learned from; tell whether all rows were seen finite."""
        place = self._place
        self._place += len(batch)
        if self._open is None:
            return False
        known = self._open.known(batch)
        finite = self._open.add_known(known, batch.weight, to_last=True)
        if finite:
            self._sample.add(known, place)
        self.rows += len(batch)
        if finite and self._open.weight[0] >= self._group:
            self._close_group()
        return finite

    def _close_group(self) -> None:
        """Turn the gathered rows into errors."""
        if self._open is None or len(self._open.weight) == 0:
            return
        errors = self._open.errors(self._models).mean(axis=1)[:, 0]
        weight = float(self._open.weight[0])
        self._sample.count(self._open.target_sums())
        self._open = self._open.emptied()
        now = self._stretches[-1]
        now.weight += weight
        now.weight2 += weight * weight
        now.errors = now.errors + errors
        now.errors2 = now.errors2 + errors * errors
        now.crossed = now.crossed + errors * weight
        now.apart2 = now.apart2 + (errors - errors[UNIFORM]) ** 2
        now.groups += 1

    def refresh(self, run: SGDRun, centre: Centre) -> None:
        """Take new averages if it is time."""
        if run.n_steps < self._next:
            return
        self._close_group()
        span = span_of(run.trajectory(), self._standardization, self._sparse, self._schemes, DIRECTIONS)
        self._models = models_of(span.given, centre.intercepts(span.directions, span.given))
        self._open = Residuals(span.directions, padded=self._standardization.constant != 0)
        self._sample.refresh(self._models)
        self._group = max(SMALLEST_GROUP, run.n_steps / GROUPS)
        self._next = 1 << run.n_steps.bit_length()
        zeros = np.zeros(len(self._schemes))
        self._stretches = [*self._recent(run.n_steps), Stretch(run.n_steps, 0.0, 0.0, zeros, zeros, zeros, zeros)]

    def held_out(self, scheme: Scheme) -> HeldOut | None:
        """Return a sample of the rows with the predictions of a candidate; None as long as nothing was predicted."""
        candidate = self._schemes.index(scheme)
        scores = self.scores(1.0)  # closes the group of rows that is being gathered
        error = scores[candidate].error if scores else None
        return self._sample.held_out(scheme, candidate, error, self._standardization)

    def scores(self, unit: float) -> list[Scored]:
        """Mean squared error of each candidate over the last octaves; empty as long as nothing was predicted."""
        self._close_group()
        found = _Sums.of(self._stretches)
        if found is None:
            return []
        errors, deviations = found.mean, found.deviation(found.mean, found.errors2, found.crossed)
        return [
            Scored(scheme, self._step, float(error * unit), float(deviation * unit))
            for scheme, error, deviation in zip(self._schemes, errors, deviations, strict=True)
        ]

    def preferred(self) -> int:
        """Return the number of the candidate that is most surely better than the uniform average.

        It has the least upper bound of the difference of the errors, mean and SURELY standard errors. The averages that
        are compared had seen a half to an eighth of the rows, when the uniform one had forgotten its start less than it
        will have at the end; and among many candidates the least error is partly luck.
        """
        self._close_group()
        found = _Sums.of(self._stretches)
        assert found is not None, "nothing was predicted"
        apart = found.mean - found.mean[UNIFORM]
        deviations = found.deviation(apart, found.apart2, found.crossed - found.crossed[UNIFORM])
        return int(np.argmin(apart + SURELY * deviations))

    def _recent(self, n_steps: int) -> list[Stretch]:
        return [stretch for stretch in self._stretches if stretch.first_step * 2**OCTAVES >= n_steps]


def stream_candidates(family: str, step: float) -> list[Scheme]:
    """Return the candidates of a stream, whose length is not known: a wide grid of alphas, and tails."""
    schemes: list[Scheme] = []
    if family != "tail":
        first = math.floor(math.log10(WEAKEST / step) * PER_DECADE)
        last = math.ceil(math.log10(STRONGEST / step) * PER_DECADE)
        schemes += [Geometric(10.0 ** (i / PER_DECADE)) for i in range(first, last + 1)]
    if family != "geometric":
        schemes += [Tail(start) for start in STARTS]
        schemes += [Last()]
    return [*schemes, Uniform()]
