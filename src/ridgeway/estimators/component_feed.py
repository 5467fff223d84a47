"""Rows of components, which are computed as they are read and never all in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.kernel.features import Features
from ridgeway.rows import AnyRows, Batch, DenseRows, Float, Order, numbered, readonly
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization

MAX_MADE_NUMBERS = 2**22  # numbers that are made at once
OFFSET_SAMPLE_ROWS = 16384  # rows whose mean features are the offsets


@dataclass(frozen=True, eq=False)
class ComponentRows(DenseRows):
    """Features of rows, computed as they are taken; `array` is empty.

    Attributes
    ----------
    rows : the user's rows.
    features : computes theirs.
    """

    rows: AnyRows
    features: Features

    @classmethod
    def of(cls, rows: AnyRows, features: Features) -> ComponentRows:
        """Return the features of these rows."""
        return cls(np.empty((0, features.n_features), rows.dtype), rows, features)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and features."""
        return self.rows.shape[0], self.features.n_features

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Type of the entries."""
        return self.rows.dtype

    @property
    def nbytes(self) -> int:
        """Memory that the features would take."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def between(self, start: int, stop: int) -> DenseRows:
        """Return the features of rows start..stop-1."""
        return DenseRows(readonly(self.features.of(self.rows.between(start, stop))))

    def take(self, order: NDArray[np.intp]) -> DenseRows:
        """Return the features of the rows of `order`."""
        return DenseRows(readonly(self.features.of(self.rows.take(order))))

    def made(self) -> DenseRows:
        """Return all features, made piece by piece."""
        answer = np.empty(self.shape, self.dtype)
        at_once = max(1, MAX_MADE_NUMBERS // self.shape[1])
        for first in range(0, self.shape[0], at_once):
            part = self.between(first, min(first + at_once, self.shape[0])).array
            answer[first : first + len(part)] = part
        return DenseRows(readonly(answer))


class ComponentFeed(Feed):
    """Standardized features, piece by piece, made anew whenever they are read."""

    def __init__(self, batch: Batch, standardization: Standardization) -> None:
        self.source = batch
        self.standardization = standardization
        self._keep = False
        self.kept = None

    def take(self, numbers: Order) -> Batch:
        """Return these rows, standardized."""
        return replace(self.standardization.batch(self.source.take(numbered(numbers))), numbers=numbers)

    def _norms_of_source(self) -> None:
        """Leave the norms to the features as they are made: the source holds none of them."""


def component_feed(batch: Batch, features: Features, centre: bool, memory: float, rng: np.random.Generator) -> Feed:
    """Return the features of a batch as a feed: held in memory if there is room, else made as they are read.

    Parameters
    ----------
    batch : the user's rows, finite.
    features : the components.
    centre : whether there is an intercept.
    memory : bytes.
    rng : draws the rows that offsets are taken from, where there is no room for all.
    """
    mapped = replace(batch, rows=ComponentRows.of(batch.rows, features))
    assert isinstance(mapped.rows, ComponentRows)
    if 2 * mapped.rows.nbytes <= memory:  # features, and once more standardized
        made = replace(batch, rows=mapped.rows.made())
        return Feed(made, Standardization.of(made, scale=False, centre=centre), several_passes=True)
    few = mapped.take(np.sort(rng.permutation(len(batch))[:OFFSET_SAMPLE_ROWS]))
    targets = Standardization.of(replace(batch, rows=_no_rows(batch)), scale=False, centre=centre)
    standardization = replace(
        Standardization.of(few, scale=False, centre=centre),
        target_offset=targets.target_offset,
        target_scale=targets.target_scale,
        weight_scale=targets.weight_scale,
    )
    return ComponentFeed(mapped, standardization)


def _no_rows(batch: Batch) -> DenseRows:
    """Return a column of zeros, where only targets and weights matter."""
    zeros: Float = np.zeros((len(batch), 1), batch.rows.dtype)
    return DenseRows(readonly(zeros))
