"""Standardization of rows, targets and weights for SGD, and of coefficients back to the user's units."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows.batch import Batch
from ridgeway.rows.check import require_finite_rows
from ridgeway.rows.forms import AnyRows, DenseRows, SparseRows, readonly
from ridgeway.rows.moments import RowMoments, Shares, column_moments, filled_rows, moments_of_targets
from ridgeway.rows.row_lengths import RowLengths
from ridgeway.rows.types import Float, numbered
from ridgeway.rows.weights import all_ones, ones
from ridgeway.storage.state import State, StateError, Stored

CONSTANT_SHARE = 1 / 16  # squared entry of the constant column, as a share of the mean squared norm of the rows
MIN_FILLED_SHARE = 0.5  # sparse columns that are not 0 in more of the rows are divided by their standard deviation
MIN_SPARSE_DEVIATION = 1e-6  # of the mean: smaller ones of sparse columns have too few digits
# A column is constant if its standard deviation is at most this many rounding errors of its mean.
CONSTANT_ROUNDINGS = 8.0
MAX_SUM_OF_SQUARES, MAX_SUM_OF_WEIGHTS = 1e100, 1e60  # sums of squares of standardized targets and of weights
MIN_TARGET_DEVIATION, MAX_TARGET_DEVIATION = 1e-150, 1e150  # standard deviations whose squares are float64


class _Columns(NamedTuple):
    """Moments of the columns, (d,) each; the form and precision of the rows."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    largest: NDArray[np.float64]
    filled: NDArray[np.float64] | None  # share of the rows whose entry of a sparse column is not 0
    sparse: bool
    dtype: np.dtype[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Standardization:
    """The map from the user's rows and targets to those of a run.

        x -> (x - offset) / scale, with a constant column at the end;    y -> (y - target_offset) / target_scale;
        weight -> weight / weight_scale

    The constant column is part of the run, so that w is right even if the offsets, taken from the first batch of a
    stream, are not the means of all rows. Sparse rows stay sparse: their centring is implicit (`SparseRows.centre`).

    Attributes
    ----------
    offset, scale : (d,). Dense columns are divided by their standard deviation, and so are sparse columns that are not
        0 in most rows. Other sparse columns are divided by their largest absolute value; unit variance would make rare
        columns very large. Constant columns have scale 1. All scales are 1 if sparse rows have one Euclidean length
        (see `RowLengths`), as tf-idf rows do: whoever normalised them chose the scales of their columns, and dividing
        would undo it.
    constant : entry of the constant column; 0 if there is none and nothing is centred.
    target_offset, target_scale : (targets,).
    weight_scale : mean weight.
    """

    offset: NDArray[np.float64]
    scale: NDArray[np.float64]
    constant: float
    target_offset: NDArray[np.float64]
    target_scale: NDArray[np.float64]
    weight_scale: float

    @classmethod
    def of(cls, batch: Batch, scale: bool, centre: bool) -> Standardization:
        """Take offsets and scales from all rows of a batch; y and weights are in float64.

        Parameters
        ----------
        batch : the rows; an entry that is not finite raises an error that names it, if anything is scaled or centred.
        scale : False keeps the scales of the columns.
        centre : False leaves out the offsets and the constant column.
        """
        rows, shares = batch.rows, Shares.of(batch)
        if scale or centre:
            mean, deviation, largest = column_moments(batch, shares)
        else:  # nothing to compute; the run finds entries that are not finite
            mean, deviation, largest = (np.full(rows.shape[1], value) for value in (0.0, 1.0, 1.0))
        filled = filled_rows(rows) if scale else None
        filled_share = None if filled is None else filled / len(batch)
        columns = _Columns(mean, deviation, largest, filled_share, not isinstance(rows, DenseRows), rows.dtype)
        weight_scale = math.ldexp(shares.total / len(batch), shares.exponent)
        scale = scale and not RowLengths.of(rows).equal
        return cls._made(columns, *moments_of_targets(batch, shares), weight_scale, scale, centre)

    @classmethod
    def from_moments(cls, moments: RowMoments, scale: bool, centre: bool) -> Standardization:
        """Take offsets and scales from the moments of all rows.

        Parameters
        ----------
        moments : of all rows.
        scale, centre : as in `of`.
        """
        known = scale or centre
        d = len(moments.mean)
        columns = _Columns(
            moments.mean if known else np.zeros(d),
            np.sqrt(moments.spread / moments.weight) if known else np.ones(d),
            moments.largest if known else np.ones(d),
            None if moments.filled is None else moments.filled / moments.n_rows,
            moments.sparse,
            np.dtype(moments.dtype),
        )
        target_deviation, weight_scale = (
            np.sqrt(moments.target_spread / moments.weight),
            moments.weight / moments.n_rows,
        )
        divided = scale and not moments.lengths.equal
        return cls._made(columns, moments.target_mean, target_deviation, weight_scale, divided, centre)

    @classmethod
    def _made(
        cls,
        columns: _Columns,
        target_mean: NDArray[np.float64],
        target_deviation: NDArray[np.float64],
        weight_scale: float,
        scale: bool,
        centre: bool,
    ) -> Standardization:
        mean, deviation = columns.mean, columns.deviation.copy()
        deviation[deviation <= CONSTANT_ROUNDINGS * float(np.finfo(columns.dtype).eps) * np.abs(mean)] = 0.0
        used = np.ones_like(mean)
        if scale:
            size = _sparse_sizes(columns, deviation) if columns.sparse else deviation
            used = np.where(size > 0, size, 1.0)
            _require_inverses(used, columns.dtype)
        offset = mean if centre else np.zeros_like(mean)
        target_offset = target_mean if centre else np.zeros_like(target_mean)
        target_scale = _target_scales(target_mean, target_deviation, centre)
        with np.errstate(over="ignore"):
            around = deviation / used if centre else np.hypot(deviation, mean) / used
            norm = float(around @ around)
        if not np.isfinite(norm):
            raise ValueError(
                f"the squares of X exceed float64 (standard deviations up to {deviation.max():g}, means up to "
                f"{np.abs(mean).max():g}): scale the columns down, or set scale=True."
            )
        constant = float(np.sqrt(CONSTANT_SHARE * norm)) if centre else 0.0
        if centre and constant == 0:
            constant = 1.0
        return cls(offset, used, constant, target_offset, target_scale, weight_scale)

    def state(self) -> State:
        """Return offsets and scales."""
        return asdict(self)

    @classmethod
    def from_state(cls, stored: Stored) -> Standardization:
        """Return the standardization of a state."""
        scale, target_scale = stored.array("scale", (None,)), stored.array("target_scale", (None,))
        if not (len(scale) and len(target_scale) and (scale > 0).all() and (target_scale > 0).all()):
            raise StateError("scales are 0 or negative, or there are none: expected numbers above 0.")
        return cls(
            offset=stored.array("offset", scale.shape),
            scale=scale,
            constant=stored.number("constant", 0.0),
            target_offset=stored.array("target_offset", target_scale.shape),
            target_scale=target_scale,
            weight_scale=stored.positive("weight_scale"),
        )

    @property
    def n_columns(self) -> int:
        """Number of columns of the standardized rows."""
        return len(self.scale) + (self.constant != 0)

    @property
    def unit(self) -> float:
        """A squared error of 1 in standardized targets, in the user's units; 1 for several targets."""
        return float(self.target_scale[0] ** 2) if len(self.target_scale) == 1 else 1.0

    @property
    def leaves_rows(self) -> bool:
        """Whether the rows are unchanged: nothing is centred or scaled."""
        return self.constant == 0 and bool((self.scale == 1).all())

    def rows(self, rows: AnyRows, order: NDArray[np.intp]) -> AnyRows:
        """Copy the rows of `order`, standardized; an entry that is not finite raises an error that names it."""
        if isinstance(rows, DenseRows):
            out = np.empty((len(order), self.n_columns), rows.dtype)
            if not _core.standardize_rows(rows.array, order, self.offset, 1 / self.scale, self.constant, out):
                self.refuse_rows(rows, order)
            return DenseRows(readonly(out))
        indptr = np.zeros(len(order) + 1, np.int64)
        np.cumsum(rows.indptr[order + 1] - rows.indptr[order] + (self.constant != 0), out=indptr[1:])
        data = np.empty(indptr[-1], rows.dtype)
        indices = np.empty(indptr[-1], rows.indices.dtype)
        new = _core.NewCsr(data, indices, indptr)
        _core.standardize_csr(rows.arrays, order, 1 / self.scale, self.constant, new)
        if not np.isfinite(data.sum(dtype=np.float64)):
            stored = rows.take(order)
            require_finite_rows(stored, stored.squared_norms(), order)
        stored = SparseRows(readonly(data), readonly(indices), readonly(indptr), self.n_columns)
        return replace(stored, centre=self.sparse_centre()) if self.constant else stored

    def refuse_rows(self, rows: AnyRows, order: NDArray[np.intp]) -> NoReturn:
        """Raise the error of rows that are not finite, or not once they are standardized; it names the entry."""
        taken = rows.take(order)
        require_finite_rows(taken, taken.squared_norms(), order)
        raise ValueError(f"standardized entries of X are beyond the range of {rows.dtype}: pass X as float64.")

    def squared_norms(self, rows: DenseRows) -> Float:
        """|x_i|^2 of each row once standardized, (n,), without a copy of the rows; not finite where an entry is not."""
        norms = np.empty(rows.shape[0], rows.dtype)
        _core.standardized_norms(rows.array, self.offset, 1 / self.scale, self.constant, norms)
        return norms

    def targets(self, y: Float, dtype: np.dtype[np.floating[Any]]) -> Float:
        """(y - target_offset) / target_scale, (n, targets), in a precision that can hold their squares."""
        if not self.target_offset.any() and (self.target_scale == 1).all():
            _require_squares("y", float(np.vdot(y, y)), MAX_SUM_OF_SQUARES, dtype)
            return np.ascontiguousarray(y, dtype)
        standard: Float = np.empty(y.shape, dtype)
        squares = _core.standardize_targets(y, self.target_offset, self.target_scale, standard)
        _require_squares("y", squares, MAX_SUM_OF_SQUARES, dtype)
        return standard

    def batch(self, batch: Batch, order: NDArray[np.intp] | None = None) -> Batch:
        """Return the rows of a batch, or those of `order`, standardized."""
        part: slice | NDArray[np.intp] = slice(None) if order is None else order
        dtype = batch.rows.dtype
        y = readonly(self.targets(batch.y[part], dtype))
        numbers = range(len(batch)) if order is None else order
        rows = batch.rows if order is None and self.leaves_rows else self.rows(batch.rows, numbered(numbers))
        return Batch(
            rows,
            y,
            self.weights(batch.weight[part], dtype),
            batch.single_target,
            numbers,
            finite=not self.leaves_rows,
        )

    def weights(self, weight: Float, dtype: np.dtype[np.floating[Any]]) -> Float:
        """Weights divided by the mean weight of the first rows, (n,), in a precision that can hold their squares."""
        if self.weight_scale == 1 and all_ones(weight):
            return ones(len(weight), dtype)
        with np.errstate(over="ignore"):
            scaled = weight / self.weight_scale
        _require_squares("sample_weight", float(np.vdot(scaled, scaled)), MAX_SUM_OF_WEIGHTS, dtype)
        standard: Float = readonly(scaled.astype(dtype, copy=False))
        return standard

    def slopes(self, coefs: Float, sparse: bool) -> Float:
        """Coefficients of the standardized features, (..., d), from those of a run, (..., d or d + 1)."""
        if self.constant == 0:
            return coefs
        if not sparse:
            return coefs[..., :-1]
        slopes: Float = coefs[..., :-1] - coefs[..., -1:] * self.sparse_centre()[:-1]
        return slopes

    def user_coefs(self, slopes: Float) -> Float:
        """Coefficients of the user's features, (..., targets, d), from those of the standardized ones."""
        scale, exponent = np.frexp(self.scale)
        target_scale, target_exponent = np.frexp(self.target_scale[:, None])
        with np.errstate(over="ignore"):  # the reader refuses values that are not finite
            coefs: Float = np.ldexp(slopes / scale * target_scale, target_exponent - exponent)
        return coefs

    def sparse_centre(self) -> NDArray[np.float64]:
        """The centre of standardized sparse rows, per unit of the constant column."""
        centre: NDArray[np.float64] = readonly(np.append(self.offset / self.scale / self.constant, 0.0))
        return centre


def _target_scales(mean: NDArray[np.float64], deviation: NDArray[np.float64], centre: bool) -> NDArray[np.float64]:
    """Return the scales of the targets, (targets,), 1 if a target is constant; refuse those whose squares overflow."""
    with np.errstate(over="ignore"):
        scale: NDArray[np.float64] = deviation.copy() if centre else np.hypot(deviation, mean)
    scale[scale <= np.finfo(np.float64).eps * CONSTANT_ROUNDINGS * np.abs(mean if centre else 0.0)] = 0.0
    if not (scale < MAX_TARGET_DEVIATION).all():
        raise ValueError(f"y is too large (standard deviation {scale.max():g}) for squared errors: scale it down.")
    if ((scale > 0) & (scale < MIN_TARGET_DEVIATION)).any():
        smallest = scale[scale > 0].min()
        raise ValueError(f"y is too small (standard deviation {smallest:g}) for squared errors: scale it up.")
    scale[scale == 0] = 1.0
    return scale


def _require_inverses(scale: NDArray[np.float64], dtype: np.dtype[np.floating[Any]]) -> None:
    """Raise an error for columns that are too small to be divided by their scale in the precision of the rows."""
    column = int(scale.argmin())
    if scale[column] < np.finfo(dtype).tiny:
        raise ValueError(
            f"column {column} of X is too small for {dtype} (a scale of {scale[column]:g}): scale it up"
            f"{', or pass X as float64' if dtype == np.float32 else ''}."
        )


def _sparse_sizes(columns: _Columns, deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what sparse columns are divided by, (d,): largest values, or standard deviations of those mostly not 0.

    The largest value of such a column depends on its origin: that of a year is some fifty standard deviations.
    """
    if columns.filled is None:
        return columns.largest
    precise = deviation > MIN_SPARSE_DEVIATION * np.abs(columns.mean)
    return np.where((columns.filled > MIN_FILLED_SHARE) & precise, deviation, columns.largest)


def _require_squares(name: str, squares: float, largest: float, dtype: np.dtype[np.floating[Any]]) -> None:
    """Raise an error for targets or weights so much larger than in the first batch that squares overflow."""
    most = min(float(np.finfo(dtype).max), largest)
    if not squares < most:
        raise ValueError(
            f"squares of {name} add up to {squares:.3g} on the scale of the first rows: expected less than {most:.3g}, "
            f"so that {dtype} can hold their errors; drop rows with such large values, or start again with similar "
            "rows in the first batch."
        )
