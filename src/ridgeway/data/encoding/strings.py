"""Strings as Arrow stores them, bytes and offsets; their buckets and their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.data.arrow import pa, pc
from ridgeway.data.data_error import DataError
from ridgeway.data.encoding.entries import Codes, Places, Values
from ridgeway.data.schema import is_string, kind_of, type_name

NO_BYTES = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True)
class Words:
    """Hashed words of rows: row i has buckets[starts[i]:ends[i]] with these values."""

    starts: Places
    ends: Places
    buckets: Codes
    values: Values

    @property
    def arrays(self) -> _core.Words:
        """The arrays for the compiled loops."""
        return _core.Words(self.starts, self.ends, self.buckets, self.values)

    @property
    def counts(self) -> Places:
        """Number of different buckets of each row, (n,)."""
        return self.ends - self.starts[:-1]


def require_text(column: Any, name: str, source_name: str) -> None:
    """Raise an error for a column whose values cannot be written as text."""
    if kind_of(column.type) == "other":
        raise DataError(f"{source_name}: column {name!r} holds {type_name(column.type)}: expected text; convert it.")


def as_levels(column: Any) -> tuple[Any, NDArray[np.int64]]:
    """Return the distinct values of a column as strings, and the number of each row's value, -1 if missing.

    Whole numbers are written without a point, also if they are floats.
    """
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    indices = coded.indices
    if indices.null_count:
        indices = indices.fill_null(-1)
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    levels = spelled(coded.dictionary)
    if levels.null_count:  # a dictionary may hold a missing value
        missing = levels.is_null().to_numpy(zero_copy_only=False)
        codes = np.where((codes >= 0) & missing[np.maximum(codes, 0)], -1, codes)
        levels = levels.fill_null("")
    return levels, codes


def spelled(values: Any) -> Any:
    """Return values as strings."""
    if is_string(values.type):
        try:
            return values.cast(pa.string())
        except pa.ArrowInvalid:
            raise DataError(
                "a batch holds more than 2 GB of different texts in one column: expected smaller batches; read the "
                "table with open_data, which makes them, or pass it in parts."
            ) from None
    if pa.types.is_null(values.type):
        return pa.nulls(len(values), pa.string())
    if pa.types.is_floating(values.type):
        whole = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        fits = np.isfinite(whole) & (whole == np.trunc(whole)) & (np.abs(whole) < 2**53)
        if fits.all():
            return values.cast(pa.int64()).cast(pa.string())
        texts = [None if value is None else repr(value) for value in values.to_pylist()]
        return pa.array(
            [str(int(number)) if fit else text for text, fit, number in zip(texts, fits, whole, strict=True)],
            pa.string(),
        )
    return values.cast(pa.string())


def buckets_of(strings: Any, buckets: int) -> Codes:
    """Return the bucket of each string."""
    data, offsets = _buffers(strings)
    out = np.empty(len(strings), dtype=np.int32)
    _core.hash_strings(data, offsets, buckets, out)
    return out


def words_in(strings: Any) -> Places:
    """Return the number of words of each string."""
    data, offsets = _buffers(strings)
    out = np.empty(len(strings), dtype=np.int64)
    _core.count_words(data, offsets, out)
    return out


def words_of(strings: Any, buckets: int, dtype: Any) -> Words:
    """Return the hashed words of each string, in lower case; each row of values has norm 1, or no entry."""
    data, offsets = _buffers(pc.utf8_lower(strings))
    counts = np.empty(len(strings), dtype=np.int64)
    _core.count_words(data, offsets, counts)
    starts = np.zeros(len(strings) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    found = np.empty(starts[-1], dtype=np.int32)
    _core.hash_words(data, offsets, starts, buckets, found)
    values, ends = np.empty(starts[-1], dtype=dtype), np.empty(len(strings), dtype=np.int64)
    _core.join_words(found, starts, ends, values)
    return Words(starts, ends, found, values)


def _buffers(strings: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    _, places, data = strings.buffers()
    offsets = np.frombuffer(places, dtype=np.int32, count=len(strings) + 1, offset=4 * strings.offset)
    letters = NO_BYTES if data is None or data.size == 0 else np.frombuffer(data, dtype=np.uint8)
    return letters, offsets.astype(np.int64)
