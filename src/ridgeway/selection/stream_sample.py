"""A bounded sample of the rows of a stream, each with the averages that predicted it before it was learned from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.atomic import shallow_copy
from ridgeway.averaging import Scheme
from ridgeway.rows import Float
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out import MAX_SAMPLE_ROWS, HeldOut
from ridgeway.selection.residual_path import ResidualPart, ResidualPath
from ridgeway.selection.target_variance import variance_of_moments
from ridgeway.storage.state import State, StateError, Stored, state_of
from ridgeway.trajectory import Trajectory, trajectory_of

GOLDEN_MULTIPLIER = 0x9E3779B1  # 2^32 over the golden ratio: its multiples modulo 2^32 are spread evenly
HASH_RANGE = 2**32
MAX_SAMPLE_PARTS = 32  # parts are joined when there are more: each copy of the sample copies the list


class SamplePart(NamedTuple):
    """Some rows of the sample.

    Attributes
    ----------
    numbers : row numbers in the stream, (k,).
    period : number of the averages that predicted each row, (k,).
    row_vectors : (k, targets, directions + 2), see `ErrorMoments.row_vectors`.
    """

    numbers: NDArray[np.int64]
    period: NDArray[np.int64]
    row_vectors: NDArray[np.float64]

    def only(self, kept: NDArray[np.bool_]) -> SamplePart:
        """Return the rows of a mask."""
        return SamplePart(self.numbers[kept], self.period[kept], self.row_vectors[kept])

    def below(self, halvings: int) -> SamplePart:
        """Return the rows that are still in the sample after this many halvings."""
        return self.only(_are_kept(self.numbers, halvings))

    def since(self, period: int) -> SamplePart:
        """Return the rows from a period on; that period gets the number 0."""
        recent = self.only(self.period >= period)
        return recent._replace(period=recent.period - period)


@dataclass(frozen=True, eq=False)
class Period:
    """All averages of a period: the coordinates of every scheme, and the means learned by then.

    Attributes
    ----------
    trajectory : its averages are coordinates (r,).
    mean_products : (targets, r), the mean row along the directions.
    mean_y : (targets,).
    """

    trajectory: Trajectory
    mean_products: NDArray[np.float64]
    mean_y: NDArray[np.float64]

    def state(self) -> State:
        """Return trajectory and means."""
        return {**vars(self), "trajectory": self.trajectory.state()}

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int, n_directions: int) -> Period:
        """Return the period of a state."""
        trajectory = trajectory_of(stored.part("trajectory"))
        if trajectory.shape != (n_directions,):
            raise StateError(f"coordinates of shape {trajectory.shape}: expected ({n_directions},).")
        means = stored.array("mean_products", (n_targets, n_directions)), stored.array("mean_y", (n_targets,))
        return cls(trajectory, *means)


NO_ROWS = SamplePart(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 0, 0)))


class StreamSample:
    """At most MAX_SAMPLE_ROWS rows, spread evenly over the last part of a stream of unknown length.

    Row i is in the sample if the fractional part of i / golden ratio is below a share. The share is halved whenever the
    sample would become too large. So the sample depends on row numbers only, not on the batches of the stream. Of each
    row its products with a few directions are stored; they give the prediction of every candidate. Rows that were
    predicted by averages which no longer count are dropped.
    """

    def __init__(self) -> None:
        self._halvings = 0
        self._parts: list[SamplePart] = []  # joined when they are read, or when there are many
        self._models: list[NDArray[np.float64]] = []  # one per period, (targets, candidates, directions + 2)
        self._bases: list[Period | None] = []  # one per period; None in files of version 0.1
        self._seen: list[int] = []  # number of rows of each period, sampled or not
        self._sums: list[NDArray[np.float64]] = []  # `ErrorMoments.target_sums` of all rows of each period

    @property
    def periods(self) -> int:
        """Number of periods: each begins when new averages are taken."""
        return len(self._models)

    def copy(self) -> StreamSample:
        """Return an independent copy."""
        other = shallow_copy(self)
        other._parts, other._models, other._bases = list(self._parts), list(self._models), list(self._bases)
        other._seen, other._sums = list(self._seen), list(self._sums)
        return other

    def state(self) -> State:
        """Return the sample."""
        joined = self._joined()
        return {
            "halvings": self._halvings,
            "numbers": joined.numbers,
            "period": joined.period,
            "known": joined.row_vectors,
            "models": list(self._models),
            "bases": list(map(state_of, self._bases)),
            "seen": np.array(self._seen, np.int64),
            "sums": list(self._sums),
        }

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int, n_candidates: int) -> StreamSample:
        """Return the sample of a state."""
        sample = cls()
        sample._halvings = stored.integer("halvings", most=32)
        seen = stored.array("seen", (None,), "int64")
        n_periods = len(seen)
        sample._seen = [int(rows) for rows in seen]
        sample._models = stored.arrays("models", [(n_targets, n_candidates, None)] * n_periods)
        sample._sums = stored.arrays("sums", [(n_targets, 2, 2)] * n_periods)
        bases = stored.raw("bases") if "bases" in stored else [None] * n_periods  # 0.1: none
        if not isinstance(bases, list) or len(bases) != n_periods:
            raise StateError(f"the directions of the sample are not those of its {n_periods} periods.")
        sample._bases = [
            None if basis is None else Period.from_state(Stored(basis, "bases"), n_targets, models.shape[2] - 2)
            for basis, models in zip(bases, sample._models, strict=True)
        ]
        numbers = stored.array("numbers", (None,), "int64")
        n_rows = len(numbers)
        period = stored.array("period", (n_rows,), "int64")
        if n_rows == 0:
            return sample
        row_vectors = stored.array("known", (n_rows, n_targets, None))
        sample._parts = [SamplePart(numbers, period, row_vectors)]
        widths = [models.shape[2] for models in sample._models]
        if not ((period >= 0) & (period < n_periods)).all() or max(widths) > row_vectors.shape[2]:
            raise StateError("the sample of the stream refers to averages that are not stored.")
        return sample

    def refresh(self, models: NDArray[np.float64], basis: Period | None, kept: int) -> None:
        """Begin a new period: the following rows are predicted by these averages.

        Parameters
        ----------
        models : `models_of` the candidates.
        basis : gives the coordinates of any scheme; None for a replay, which needs its rows.
        kept : number of earlier periods that still count.
        """
        if (old := len(self._models) - kept) > 0:
            self._models, self._seen, self._sums = self._models[old:], self._seen[old:], self._sums[old:]
            self._bases = self._bases[old:]
            self._parts = [part.since(old) for part in self._parts]
        self._models.append(models)
        self._bases.append(basis)
        self._seen.append(0)
        self._sums.append(np.zeros((len(models), 2, 2)))

    def count(self, sums: NDArray[np.float64]) -> None:
        """Add `ErrorMoments.target_sums` of further rows of this period."""
        self._sums[-1] = self._sums[-1] + sums

    def add(self, row_vectors: Float, first: int) -> None:
        """Add the next rows of the stream, as far as they belong to the sample.

        Parameters
        ----------
        row_vectors : (n, targets, directions + 2), see `ErrorMoments.row_vectors`.
        first : number of the first of these rows in the stream.
        """
        self._seen[-1] += len(row_vectors)
        halvings = max(0, (first + len(row_vectors) - 1) // MAX_SAMPLE_ROWS).bit_length()
        if halvings > self._halvings:
            self._halvings = halvings
            self._parts = [part.below(halvings) for part in self._parts]
        picked = np.flatnonzero(_are_kept(np.arange(first, first + len(row_vectors)), self._halvings))
        if len(picked):
            period = np.full(len(picked), len(self._models) - 1)
            self._parts.append(SamplePart(first + picked, period, row_vectors[picked].astype(np.float64)))
            if len(self._parts) > MAX_SAMPLE_PARTS:
                self._joined()

    def _joined(self) -> SamplePart:
        """Return all rows of the sample."""
        if len(self._parts) > 1:
            width = max(part.row_vectors.shape[2] for part in self._parts)
            widened = [part._replace(row_vectors=_widened(part.row_vectors, width)) for part in self._parts]
            self._parts = [SamplePart(*map(np.concatenate, zip(*widened, strict=True)))]
        return self._parts[0] if self._parts else NO_ROWS

    def held_out(
        self, scheme: Scheme, candidate: int, errors: NDArray[np.float64], standardization: Standardization
    ) -> HeldOut | None:
        """Return the rows with their predictions by a candidate; None if there are no rows yet.

        Parameters
        ----------
        scheme : the candidate.
        candidate : its index.
        errors : (targets,), its mean squared errors over all rows, in standardized targets.
        standardization : of the stream.
        """
        sums = np.sum(self._sums, axis=0) if self._sums else np.zeros((1, 2, 2))
        if sums[0, 0, 0] <= 0:
            return None
        numbers, periods, row_vectors = self._joined()
        residuals = np.empty(row_vectors.shape[:2])
        for period in np.unique(periods):
            mine, models = periods == period, self._models[period][:, candidate]
            residuals[mine] = np.einsum("nqs,qs->nq", row_vectors[mine, :, : models.shape[1]], models)
        scale = standardization.target_scale
        actual = row_vectors[:, :, 1] * scale + standardization.target_offset
        predicted, path = actual - residuals * scale, self._path(scale, actual)
        errors, variance = errors * scale**2, variance_of_moments(sums) * scale**2
        return HeldOut(scheme, numbers, actual, predicted, sum(self._seen), errors, variance, path)

    def _path(self, scale: NDArray[np.float64], actual: NDArray[np.float64]) -> ResidualPath | None:
        """Return the sampled rows with their residuals at every scheme; None if a period has no basis."""
        numbers, periods, row_vectors = self._joined()
        parts = []
        for period in np.unique(periods).tolist():
            mine, basis = periods == period, self._bases[period]
            if basis is None:
                return None
            r = basis.mean_products.shape[1]
            rows = row_vectors[mine]
            centred = rows[:, :, 2 : 2 + r] - basis.mean_products
            parts.append(ResidualPart(numbers[mine], rows[:, :, 1] - basis.mean_y, centred, basis.trajectory))
        return ResidualPath("progressive", parts, actual, scale) if parts else None


def _are_kept(places: NDArray[np.int64], halvings: int) -> NDArray[np.bool_]:
    """Return which rows of the stream are in the sample after this many halvings of its share."""
    kept: NDArray[np.bool_] = places.astype(np.uint32) * np.uint32(GOLDEN_MULTIPLIER) < HASH_RANGE >> halvings
    return kept


def _widened(row_vectors: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return the rows with zeros appended to their products, up to `width`."""
    if row_vectors.shape[2] == width:
        return row_vectors
    return np.pad(row_vectors, ((0, 0), (0, 0), (0, width - row_vectors.shape[2])))
