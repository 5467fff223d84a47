"""Partitions of dask collections: blocks of arrays, parts of data frames."""

from __future__ import annotations

import math
from typing import Any

from ridgeway.dask.library import dask
from ridgeway.dask.partition import Partition
from ridgeway.data import DataError


def array_partitions(X: Any, y: Any, weight: Any = None) -> list[Partition]:
    """Return the blocks of rows of a dask array with their targets and weights, one partition each."""
    for name, array in (("X", X), ("y", y), *([] if weight is None else [("weight", weight)])):
        if not hasattr(array, "to_delayed") or not hasattr(array, "chunks"):
            raise DataError(
                f"{name} is a {type(array).__name__}: expected a dask array; data in memory are fitted by "
                "estimator.fit(X, y), or become one by dask.array.from_array."
            )
    if X.ndim != 2 or y.ndim not in (1, 2):
        raise DataError(
            f"X has shape {X.shape} and y {y.shape}: expected (rows, columns) and (rows,) or (rows, targets)."
        )
    columns = [_along_rows(X, X, "X"), _along_rows(y, X, "y")]
    if weight is not None:
        columns.append(_along_rows(weight, X, "weight"))
    triple = dask.delayed(_triple, pure=False)
    return [
        Partition(number, f"block {number} of the dask array", triple(*blocks))
        for number, blocks in enumerate(zip(*columns, strict=True))
    ]


def frame_partitions(frame: Any) -> list[Partition]:
    """Return the partitions of a dask data frame."""
    return [
        Partition(number, f"partition {number} of the dask data frame", part)
        for number, part in enumerate(frame.to_delayed())
    ]


def _along_rows(array: Any, X: Any, name: str) -> list[Any]:
    """Return the delayed blocks of rows of an array, cut where X is."""
    if array.ndim == 2 and len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    if array is not X and array.chunks[0] != X.chunks[0]:
        unknown = any(math.isnan(size) for size in (*array.chunks[0], *X.chunks[0]))
        if not unknown and sum(array.chunks[0]) == sum(X.chunks[0]):
            array = array.rechunk({0: X.chunks[0]})
        elif not unknown or len(array.chunks[0]) != len(X.chunks[0]):
            raise DataError(
                f"{name} is cut into blocks of {_shown(array.chunks[0])} rows, X into blocks of {_shown(X.chunks[0])}: "
                f"expected {'the same blocks, as some sizes are unknown' if unknown else 'as many rows in both'}; make "
                "both from one source, or call compute_chunk_sizes() first."
            )
    return list(array.to_delayed().reshape(-1))


def _triple(X: Any, y: Any, weight: Any = None) -> tuple[Any, Any, Any]:
    return X, y, weight


def _shown(sizes: tuple[float, ...]) -> str:
    shown = ", ".join("unknown" if math.isnan(size) else str(size) for size in sizes[:4])
    return shown + (", ..." if len(sizes) > 4 else "")
