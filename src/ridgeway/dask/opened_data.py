"""Opened data: partitions, the form of their rows, and a fingerprint that identifies them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ridgeway.dask.collections import array_partitions, frame_partitions
from ridgeway.dask.file_partitions import file_table
from ridgeway.dask.partition import Form, Partition
from ridgeway.data import DataError, TableEncoder
from ridgeway.data.schema import listed_names, require_columns
from ridgeway.data.target import Targets, names_of
from ridgeway.storage.state import State


@dataclass(frozen=True, eq=False)
class Opened:
    """Data that were opened.

    Attributes
    ----------
    partitions : their parts.
    form : how rows are made of them, if all columns are numbers.
    fingerprint : identifies the data; other or changed data have another one.
    kinds : kinds of the columns to learn from, by name; empty for arrays.
    n_columns : how many there are to learn from.
    """

    partitions: list[Partition]
    form: Form
    fingerprint: State
    kinds: dict[str, str]
    n_columns: int

    def encoded(self, encoder: TableEncoder) -> Form:
        """Return the form of these rows once `encoder` has encoded them."""
        if self.form.features is None:
            raise DataError("encoder: arrays have no kinds of columns: expected a table; leave the encoder out.")
        return replace(self.form, encoder=encoder)

    def require_numbers(self) -> None:
        """Refuse columns that are no numbers, before anything is read."""
        for name, kind in self.kinds.items():
            if kind not in ("number", "boolean"):
                raise DataError(
                    f"column {name!r} ({kind}) is not numeric: expected numbers; convert it, leave it out, or pass "
                    "encoder=TableEncoder()."
                )


def opened(data: Any, target: Targets | None, weight: Any, partition_bytes: int) -> Opened:
    """Open a path, dask arrays or a dask data frame."""
    if isinstance(data, str | os.PathLike):
        return opened_files(data, target, weight, partition_bytes)
    if isinstance(data, tuple) and len(data) == 2:
        return _arrays(*data, target, weight)
    if hasattr(data, "to_delayed") and hasattr(data, "dtypes"):
        return _frame(data, target, weight)
    raise TypeError(
        f"data is a {type(data).__name__}: expected a path, (X, y) of dask arrays, or a dask data frame; data in "
        "memory are fitted by estimator.fit(X, y)."
    )


def opened_files(
    data: str | os.PathLike[str],
    target: Targets | None,
    weight: Any,
    partition_bytes: int,
    columns: Sequence[str] | None = None,
    **reading: Any,
) -> Opened:
    """Open files, or only some columns of them, target and weight among these; `reading` goes to `open_data`."""
    source, partitions, singles = file_table(data, partition_bytes, columns, **reading)
    assert source.schema is not None
    kinds = source.schema.kinds
    features = _features(list(kinds), target, weight, source.name)
    single = singles.issuperset(features)
    form = Form(target, weight, features, "float32" if single else "float64")
    mark: State = {**source.fingerprint(), "partitions": [partition.name for partition in partitions]}
    return Opened(
        partitions, form, _marked(mark, target, weight), {name: kinds[name] for name in features}, len(features)
    )


def _arrays(X: Any, y: Any, target: Targets | None, weight: Any) -> Opened:
    if target is not None:
        raise DataError(f"target={target!r}: arrays have no names; pass (X, y) without a target.")
    partitions = array_partitions(X, y, weight)
    dtype = "float32" if X.dtype in (np.float32, np.float16) else "float64"
    mark: State = {"arrays": [str(array.name) for array in (X, y, weight) if array is not None]}
    return Opened(partitions, Form(dtype=dtype), mark, {}, X.shape[1])


def _frame(frame: Any, target: Targets | None, weight: Any) -> Opened:
    names = [str(name) for name in frame.columns]
    features = _features(names, target, weight, "the dask data frame")
    kinds = {name: _kind(frame.dtypes[name]) for name in features}
    single = all(frame.dtypes[name] in (np.float32, np.float16) for name in features)
    form = Form(target, weight, features, "float32" if single else "float64")
    mark: State = {"frame": [str(key) for key in frame.__dask_keys__()]}
    return Opened(frame_partitions(frame), form, _marked(mark, target, weight), kinds, len(features))


def _kind(dtype: Any) -> str:
    if getattr(dtype, "kind", "O") in "iuf":
        return "number"
    return "boolean" if getattr(dtype, "kind", "O") == "b" else f"dtype {dtype}"


def _features(names: Sequence[str], target: Targets | None, weight: Any, source_name: str) -> tuple[str, ...]:
    if target is None:
        raise DataError(
            f"{source_name}: which column is the target? expected target='...', one of {listed_names(names)}."
        )
    if weight is not None and not isinstance(weight, str):
        raise TypeError(f"weight is a {type(weight).__name__}: expected the name of a column of the table.")
    given = (*names_of(target), *([] if weight is None else [weight]))
    require_columns(given, names, source_name)
    features = tuple(name for name in names if name not in given)
    if not features:
        raise DataError(
            f"{source_name}: no column is left beside the target: expected at least one to learn from; add columns."
        )
    return features


def _marked(mark: State, target: Targets | None, weight: str | None) -> State:
    return {**mark, "target": target if target is None or isinstance(target, str) else list(target), "weight": weight}
