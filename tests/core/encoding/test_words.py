"""Buckets of strings and of their words, over bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway import _core

MASK = (1 << 64) - 1
SIGNS = (b"\xc2", b"\xe2\x80", b"\xe2\x81", b"\xe3\x80")  # how punctuation beyond ASCII begins


def bucket(string: bytes, n_buckets: int) -> int:
    """FNV-1a, 64 bits, then the finalizer of MurmurHash3, in plain integers."""
    hashed = 0xCBF29CE484222325
    for byte in string:
        hashed = ((hashed ^ byte) * 0x100000001B3) & MASK
    hashed = ((hashed ^ (hashed >> 33)) * 0xFF51AFD7ED558CCD) & MASK
    hashed = ((hashed ^ (hashed >> 33)) * 0xC4CEB9FE1A85EC53) & MASK
    return (hashed ^ (hashed >> 33)) % n_buckets


def characters(string: bytes) -> list[bytes]:
    """Cut bytes into characters, by the first byte of each."""
    found, at = [], 0
    while at < len(string):
        width = 1 + (string[at] >= 0xC0) + (string[at] >= 0xE0) + (string[at] >= 0xF0)
        found.append(string[at : at + width])
        at += width
    return found


def words(string: bytes) -> list[bytes]:
    """Return runs of ASCII letters and digits and of whatever else is no punctuation."""
    kept = (c if not c.startswith(SIGNS) and (c[0] >= 0x80 or c.isalnum()) else b"\0" for c in characters(string))
    return [word for word in b"".join(kept).split(b"\0") if word]


def packed(strings: list[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return bytes and offsets as Arrow keeps them, some other bytes first, read-only."""
    data = np.frombuffer(b"xy" + b"".join(strings), np.uint8)
    return data, 2 + np.append(0, np.cumsum([len(string) for string in strings])).astype(np.int64)


PIECES = st.sampled_from(
    [b"ab", b"Z9", b" ", b"-", b"\xc3\xa9", b"\xc2\xb0", b"\xe2\x80\x94", b"\xe3\x80\x80", b"\xe6"]
)
STRINGS = st.lists(st.binary(max_size=12) | st.lists(PIECES, max_size=6).map(b"".join), max_size=8)


# Law: the bucket of a string is that of the documented hash; models that were saved rely on these numbers.
@given(STRINGS, st.integers(1, 2**31 - 1))
def test_strings(strings: list[bytes], n_buckets: int) -> None:
    out = np.full(len(strings), -1, np.int32)
    _core.hash_strings(*packed(strings), n_buckets, out)
    assert out.tolist() == [bucket(string, n_buckets) for string in strings]


# Law: each string has the sorted buckets of its words, as many as are counted, whatever bytes it holds.
@given(STRINGS, st.integers(1, 50))
def test_words(strings: list[bytes], n_buckets: int) -> None:
    data, offsets = packed(strings)
    counts = np.full(len(strings), -1, np.int64)
    _core.count_words(data, offsets, counts)
    expected = [sorted(bucket(word, n_buckets) for word in words(string)) for string in strings]
    assert counts.tolist() == [len(row) for row in expected]
    starts = np.append(0, np.cumsum(counts)).astype(np.int64)
    out = np.full(starts[-1], -1, np.int32)
    _core.hash_words(data, offsets, starts, n_buckets, out)
    assert out.tolist() == [found for row in expected for found in row]


# Law: equal buckets of a row become one, with how often they came over the norm of the row.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(st.lists(st.lists(st.integers(0, 4), max_size=7).map(sorted), max_size=6))
def test_join(dtype: Any, rows: list[list[int]]) -> None:
    starts = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    buckets = np.array([bucket for row in rows for bucket in row], np.int32)
    ends, values = np.full(len(rows), -1, np.int64), np.full(len(buckets), np.nan, dtype)
    _core.join_words(buckets, starts, ends, values)
    for row, first, end in zip(rows, starts, ends, strict=False):
        distinct, counts = np.unique(np.array(row, np.int32), return_counts=True)
        np.testing.assert_array_equal(buckets[first:end], distinct)
        np.testing.assert_allclose(values[first:end], counts / np.sqrt((counts**2).sum()), rtol=1e-6)
