"""A bounded sample of a stream: rows kept with what the averages of that moment predicted for them."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.compiled import compiled
from ridgeway.rows import Float
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out import MOST, HeldOut
from ridgeway.state import State, StateError, Stored

GOLDEN = 0x9E3779B1  # 2^32 over the golden ratio: its multiples fill the circle evenly, and follow no period
CIRCLE = 2**32


class Part(NamedTuple):
    """Some rows of the sample.

    Attributes
    ----------
    numbers : their places in the stream, (k,).
    period : which averages predicted each of them, (k,).
    known : (k, targets, directions + 2), see `Residuals`.
    """

    numbers: NDArray[np.int64]
    period: NDArray[np.int64]
    known: NDArray[np.float64]

    def below(self, halvings: int) -> Part:
        """Return the rows that are still kept after so many halvings."""
        kept = self.numbers.astype(np.uint32) * np.uint32(GOLDEN) < CIRCLE >> halvings
        return Part(self.numbers[kept], self.period[kept], self.known[kept])


NOTHING = Part(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 0, 0)))


class StreamSample:
    """Between half of MOST and MOST rows, spread evenly over a stream whose length is not known.

    Row i is kept while the fractional part of i / golden ratio is below a share, which is halved whenever the sample is
    full. Which rows are kept depends on their places alone, not on how the stream is cut into batches. A kept row is
    stored along the few directions in which all candidates lie, so that the prediction of any of them can be told.
    """

    def __init__(self) -> None:
        self._halvings = 0
        self._parts: list[Part] = []  # joined when they are asked for
        self._kept = 0  # rows in them
        self._models: list[NDArray[np.float64]] = []  # of each period, (targets, candidates, directions + 2)
        self._seen = 0
        self._weight = 0.0
        self._sum: NDArray[np.float64] = np.zeros(0)  # of standardized targets, and of their squares
        self._squares: NDArray[np.float64] = np.zeros(0)

    def copy(self) -> StreamSample:
        """Return one that goes on by itself."""
        other = copy.copy(self)
        other._models, other._parts = list(self._models), list(self._parts)
        return other

    def state(self) -> State:
        """Return the sample."""
        return {
            "halvings": self._halvings,
            **self._joined()._asdict(),
            "models": list(self._models),
            "seen": self._seen,
            "weight": self._weight,
            "sum": self._sum,
            "squares": self._squares,
        }

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int, n_candidates: int) -> StreamSample:
        """Return the sample of a state."""
        sample = cls()
        sample._halvings = stored.integer("halvings", most=32)
        sample._seen, sample._weight = stored.integer("seen"), stored.number("weight", 0.0)
        given = stored.raw("models")
        n_models = len(given) if isinstance(given, list) else 0
        sample._models = stored.arrays("models", [(n_targets, n_candidates, None)] * n_models)
        numbers = stored.array("numbers", (None,), "int64")
        n_rows = len(numbers)
        period = stored.array("period", (n_rows,), "int64")
        if n_rows == 0:
            return sample
        known = stored.array("known", (n_rows, n_targets, None))
        sample._parts, sample._kept = [Part(numbers, period, known)], n_rows
        sample._sum, sample._squares = (stored.array(name, (n_targets,)) for name in ("sum", "squares"))
        widths = [models.shape[2] for models in sample._models]
        if not ((period >= 0) & (period < n_models)).all() or max(widths) > known.shape[2]:
            raise StateError("the sample of the stream was predicted by averages that are not there.")
        return sample

    def refresh(self, models: NDArray[np.float64]) -> None:
        """Predict by other averages from now on: `models_of` the candidates."""
        self._models.append(models)
        if len(self._sum) == 0:
            self._sum, self._squares = np.zeros(len(models)), np.zeros(len(models))

    def count(self, sums: NDArray[np.float64]) -> None:
        """Count the targets of rows that were looked at, as `Residuals.target_sums` gives them."""
        self._weight += float(sums[0, 0, 0])
        self._sum, self._squares = self._sum + sums[:, 0, 1], self._squares + sums[:, 1, 1]

    def add(self, known: Float, first: int) -> None:
        """Look at rows that stand at `first` and after it in the stream.

        Parameters
        ----------
        known : (n, targets, directions + 2), as `Residuals.known` gives it.
        first : place of the first row.
        """
        self._seen += len(known)
        picked = _kept(first, len(known), self._halvings)
        if len(picked) == 0:
            return
        period = np.full(len(picked), len(self._models) - 1)
        self._parts.append(Part(first + picked, period, known[picked].astype(np.float64)))
        self._kept += len(picked)
        while self._kept > MOST:
            self._halvings += 1
            self._parts = [part.below(self._halvings) for part in self._parts]
            self._kept = sum(len(part.numbers) for part in self._parts)

    def _joined(self) -> Part:
        """Return all rows of the sample."""
        if len(self._parts) > 1:
            width = max(part.known.shape[2] for part in self._parts)
            widened = [part._replace(known=_widened(part.known, width)) for part in self._parts]
            self._parts = [Part(*map(np.concatenate, zip(*widened, strict=True)))]
        return self._parts[0] if self._parts else NOTHING

    def held_out(
        self, scheme: Scheme, candidate: int, error: float | None, standardization: Standardization
    ) -> HeldOut | None:
        """Return the rows with their predictions by a candidate; None as long as there are none.

        Parameters
        ----------
        scheme : the candidate.
        candidate : its number.
        error : its mean squared error, in standardized targets, where known; taken for one target.
        standardization : of the stream.
        """
        if self._weight <= 0:
            return None
        numbers, periods, known = self._joined()
        residuals = np.empty(known.shape[:2])
        for period in np.unique(periods):
            mine, models = periods == period, self._models[period][:, candidate]
            residuals[mine] = np.einsum("nqs,qs->nq", known[mine, :, : models.shape[1]], models)
        scale = standardization.target_scale
        actual = known[:, :, 1] * scale + standardization.target_offset
        errors = np.array([error]) if error is not None and len(scale) == 1 else (residuals**2).mean(axis=0)
        mean = self._sum / self._weight
        variance = np.maximum(self._squares / self._weight - mean**2, 0.0)
        predicted = actual - residuals * scale
        return HeldOut(scheme, numbers, actual, predicted, self._seen, errors * scale**2, variance * scale**2)


@compiled
def _kept(first: int, n: int, halvings: int) -> NDArray[np.int64]:
    """Return which of n places from `first` on are in an even share of all, counted from `first`."""
    kept, count = np.empty(n, np.int64), 0
    for i in range(n):
        if (first + i) * GOLDEN & (CIRCLE - 1) < CIRCLE >> halvings:
            kept[count] = i
            count += 1
    return kept[:count].copy()


def _widened(known: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """The same rows with directions of no length added."""
    if known.shape[2] == width:
        return known
    return np.pad(known, ((0, 0), (0, 0), (0, width - known.shape[2])))
