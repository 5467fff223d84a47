"""Features: what the coefficients of a kernel model multiply, computed from the user's rows.

An exact model has one feature per row that it learned from, k(x, x_i). A model with components has as many features as
it was given: cosines of random projections (Fourier features of the rbf kernel), or the kernel against some centres
(Nystroem), made so that their products approximate the kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ridgeway.kernel.function import Kernel
from ridgeway.rows import AnyRows, Batch, DenseRows, Float, SparseRows, readonly, require_finite_rows
from ridgeway.rows.standardization import Standardization
from ridgeway.storage.state import FLOATS, State, StateError, Stored


@dataclass(frozen=True, eq=False)
class Scaling:
    """How rows are scaled before the kernel sees them: dense columns (x - offset) / scale, sparse ones x / scale.

    Attributes
    ----------
    offset, scale : (d,), or None where rows are left as they are.
    """

    offset: NDArray[np.float64] | None
    scale: NDArray[np.float64] | None

    @classmethod
    def of(cls, batch: Batch, standardization: Standardization, scale: bool) -> Scaling:
        """Take it from standardized columns; rows that are not finite are refused."""
        require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
        return cls(standardization.offset, standardization.scale) if scale else cls(None, None)

    def rows(self, rows: AnyRows) -> AnyRows:
        """Return rows as the kernel sees them."""
        if self.scale is None or self.offset is None:
            return rows
        if isinstance(rows, DenseRows):
            scaled = ((rows.array - self.offset) / self.scale).astype(rows.dtype)
            return DenseRows(readonly(np.ascontiguousarray(scaled)))
        part = slice(rows.indptr[0], rows.indptr[-1])
        data = (rows.data[part] / self.scale[rows.indices[part].astype(np.intp)]).astype(rows.dtype)
        return SparseRows(readonly(data), rows.indices[part], rows.indptr - rows.indptr[0], rows.n_columns)

    def state(self) -> State:
        """Return offsets and scales."""
        return {"offset": self.offset, "scale": self.scale}

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int) -> Scaling:
        """Return the scaling of a state."""
        if "scale" not in stored:
            return cls(None, None)
        scale = stored.array("scale", (n_columns,))
        if not (scale > 0).all():
            raise StateError("scales of columns: expected numbers above 0.")
        return cls(stored.array("offset", (n_columns,)), scale)


class Features(ABC):
    """Features of rows."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many there are."""

    @abstractmethod
    def of(self, rows: AnyRows) -> Float:
        """Return the features of the user's rows, (n_rows, n_features)."""

    @abstractmethod
    def state(self) -> State:
        """Return all that they are computed from."""


@dataclass(frozen=True, eq=False)
class GivenFeatures(Features):
    """A precomputed kernel: rows are features themselves; `used` are the columns of rows that were learned from."""

    used: NDArray[np.int64]

    @property
    def n_features(self) -> int:
        """Rows that were learned from."""
        return len(self.used)

    def of(self, rows: AnyRows) -> Float:
        """Return the columns that are used."""
        if not isinstance(rows, DenseRows):
            raise TypeError("X is sparse, but kernel='precomputed': expected a dense array; pass X.toarray().")
        return rows.array if len(self.used) == rows.shape[1] else rows.array[:, self.used]

    def state(self) -> State:
        """Return the columns."""
        return {"kind": "given", "used": self.used}


@dataclass(frozen=True, eq=False)
class SupportFeatures(Features):
    """The kernel against the rows that were learned from, `support`, which are scaled already."""

    kernel: Kernel
    scaling: Scaling
    support: AnyRows

    @property
    def n_features(self) -> int:
        """Rows that were learned from."""
        return self.support.shape[0]

    def of(self, rows: AnyRows) -> Float:
        """Return k(x, x_i)."""
        return self.kernel.block(self.scaling.rows(rows), self.support)

    def state(self) -> State:
        """Return kernel, scaling and support."""
        return {
            "kind": "support",
            "kernel": self.kernel.state(),
            "scaling": self.scaling.state(),
            "support": rows_state(self.support),
        }


@dataclass(frozen=True, eq=False)
class FourierFeatures(Features):
    """Fourier features of the rbf kernel: sqrt(2 / D) cos(w . x + phase), w normal of variance 2 gamma.

    Attributes
    ----------
    scaling : of the rows.
    frequencies : (d, D).
    phases : (D,).
    """

    scaling: Scaling
    frequencies: Float
    phases: Float

    @classmethod
    def draw(
        cls, scaling: Scaling, gamma: float, shape: tuple[int, int], dtype: Any, rng: np.random.Generator
    ) -> FourierFeatures:
        """Draw frequencies and phases, (d, D) and (D,)."""
        frequencies = np.sqrt(2 * gamma) * rng.standard_normal(shape)
        return cls(scaling, frequencies.astype(dtype), rng.uniform(0, 2 * np.pi, shape[1]).astype(dtype))

    @property
    def n_features(self) -> int:
        """Components."""
        return len(self.phases)

    def of(self, rows: AnyRows) -> Float:
        """Return the cosines."""
        features: Float = self.scaling.rows(rows).times(self.frequencies.astype(rows.dtype, copy=False))
        features += self.phases.astype(rows.dtype, copy=False)
        np.cos(features, out=features)
        features *= np.sqrt(2 / self.n_features)
        return features

    def state(self) -> State:
        """Return scaling, frequencies and phases."""
        drawn = {"frequencies": self.frequencies, "phases": self.phases}
        return {"kind": "fourier", "scaling": self.scaling.state(), **drawn}


@dataclass(frozen=True, eq=False)
class NystroemFeatures(Features):
    """The kernel against centres z, in coordinates in which the centres have their own kernel: k(x, z) L^-T.

    Attributes
    ----------
    kernel, scaling : of the rows.
    centres : rows, scaled already.
    whitening : (D, D), L^-T for the kernel matrix L L' of the centres.
    """

    kernel: Kernel
    scaling: Scaling
    centres: AnyRows
    whitening: Float

    @classmethod
    def at(cls, kernel: Kernel, scaling: Scaling, centres: AnyRows) -> NystroemFeatures:
        """Return the features of these centres."""
        matrix = kernel.block(centres, centres).astype(np.float64)
        values, vectors = scipy.linalg.eigh((matrix + matrix.T) / 2)
        floor = max(float(values[-1]), np.finfo(np.float64).tiny) * len(matrix) * float(np.finfo(centres.dtype).eps)
        kept = values > floor
        inverse_root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
        return cls(kernel, scaling, centres, inverse_root.astype(centres.dtype))

    @property
    def n_features(self) -> int:
        """Components."""
        return len(self.whitening)

    def of(self, rows: AnyRows) -> Float:
        """Return the whitened kernel."""
        features: Float = self.kernel.block(self.scaling.rows(rows), self.centres) @ self.whitening
        return features

    def state(self) -> State:
        """Return kernel, scaling, centres and whitening."""
        return {
            "kind": "nystroem",
            "kernel": self.kernel.state(),
            "scaling": self.scaling.state(),
            "centres": rows_state(self.centres),
            "whitening": self.whitening,
        }


def features_of(stored: Stored, n_columns: int) -> Features:
    """Rebuild the features from a state; X has `n_columns` columns."""
    kind = stored.text("kind", ("given", "support", "fourier", "nystroem"))
    if kind == "given":
        used = stored.array("used", (None,), "int64")
        if len(used) == 0 or not 0 <= used.min() <= used.max() < n_columns:
            raise StateError(f"columns of the kernel are out of range: expected 0 to {n_columns - 1}.")
        return GivenFeatures(used)
    scaling = Scaling.from_state(stored.part("scaling"), n_columns)
    if kind == "fourier":
        frequencies = stored.array("frequencies", (n_columns, None), FLOATS)
        phases = stored.array("phases", (frequencies.shape[1],), FLOATS)
        return FourierFeatures(scaling, frequencies, phases)
    kernel = Kernel.from_state(stored.part("kernel"))
    if kind == "support":
        return SupportFeatures(kernel, scaling, rows_of(stored.part("support"), n_columns))
    centres = rows_of(stored.part("centres"), n_columns)
    size = centres.shape[0]
    return NystroemFeatures(kernel, scaling, centres, stored.array("whitening", (size, size), FLOATS))


def rows_state(rows: AnyRows) -> State:
    """Return rows as arrays."""
    if isinstance(rows, DenseRows):
        return {"kind": "dense", "array": np.asarray(rows.array)}
    matrix = rows.matrix()
    parts = {"indices": matrix.indices.astype(np.int64), "indptr": matrix.indptr.astype(np.int64)}
    return {"kind": "sparse", "data": np.asarray(matrix.data), **parts}


def rows_of(stored: Stored, n_columns: int) -> AnyRows:
    """Return the rows of a state."""
    if stored.text("kind", ("dense", "sparse")) == "dense":
        return DenseRows(readonly(stored.array("array", (None, n_columns), FLOATS)))
    data = stored.array("data", (None,), FLOATS)
    indices, indptr = stored.array("indices", (len(data),), "int64"), stored.array("indptr", (None,), "int64")
    if len(indptr) < 2 or indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise StateError("indptr is not increasing: expected row starts in increasing order.")
    if len(indices) and not 0 <= indices.min() <= indices.max() < n_columns:
        raise StateError(f"column indices are out of range: expected 0 to {n_columns - 1}.")
    unsigned = indices.astype(np.int32).view(np.uint32)
    return SparseRows(readonly(data), readonly(unsigned), readonly(indptr), n_columns)
