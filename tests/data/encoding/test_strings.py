"""Hashes that never change, and words."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.data.encoding.strings import as_levels, buckets_of, words_in, words_of

MASK = (1 << 64) - 1


def bucket(text: str, buckets: int) -> int:
    """FNV-1a, 64 bits, then the finalizer of MurmurHash3, in plain integers."""
    hashed = 0xCBF29CE484222325
    for byte in text.encode():
        hashed = ((hashed ^ byte) * 0x100000001B3) & MASK
    hashed ^= hashed >> 33
    hashed = (hashed * 0xFF51AFD7ED558CCD) & MASK
    hashed ^= hashed >> 33
    hashed = (hashed * 0xC4CEB9FE1A85EC53) & MASK
    return (hashed ^ (hashed >> 33)) % buckets


# Law: the bucket of a string is that of the documented hash; models that were saved rely on these numbers.
def test_buckets_never_change() -> None:
    strings = ["", "a", "carrier", "Zürich", "東京", "x" * 1000]
    assert buckets_of(pa.array(strings), 1 << 20).tolist() == [600358, 970331, 828684, 787920, 869666, 67258]


@settings(deadline=None)
@given(st.lists(st.text(max_size=12)), st.integers(1, 1000))
def test_buckets(strings: list[str], buckets: int) -> None:
    array = pa.array(["skipped", *strings], pa.string()).slice(1)
    assert buckets_of(array, buckets).tolist() == [bucket(text, buckets) for text in strings]


# Law: words are runs of letters and digits, in lower case; each row counts them, over the norm of its counts.
@settings(deadline=None)
@given(st.lists(st.text("ab1 ,.-éß東", max_size=15), max_size=8))
def test_words(strings: list[str]) -> None:
    found = words_of(pa.array(strings, pa.string()), 97, np.float64)
    for i, text in enumerate(strings):
        words = re.findall(r"[^\W_]+", text.lower())
        counts = np.zeros(97)
        for word in words:
            counts[bucket(word, 97)] += 1
        row = np.zeros(97)
        part = slice(found.starts[i], found.ends[i])
        row[found.buckets[part]] = found.values[part]
        assert np.all(np.diff(found.buckets[part]) > 0)
        np.testing.assert_allclose(row, counts / (float(np.linalg.norm(counts)) or 1.0), rtol=1e-12)
    assert words_in(pa.array(strings, pa.string())).tolist() == [len(re.findall(r"[^\W_]+", text)) for text in strings]


def test_punctuation_beyond_ascii_ends_words() -> None:
    strings = ["“red”—wine", "a\u3000b", "5°C", "naïve"]
    assert words_in(pa.array(strings)).tolist() == [2, 2, 2, 1]


# Law: levels are the values as strings, whatever type holds them.
@pytest.mark.parametrize(
    "column",
    [
        pa.array(["1", None, "2", "1"]),
        pa.array(["1", None, "2", "1"]).dictionary_encode(),
        pa.array([1, None, 2, 1]),
        pa.array([1.0, None, 2.0, 1.0]),
        pa.array([1, None, 2, 1], pa.int8()).dictionary_encode(),
        pa.array(["1", None, "2", "1"], pa.large_string()),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(["1", None, "2"])),
        pa.array(["0", "1", None, "2", "1"]).slice(1),
    ],
)
def test_levels(column: pa.Array) -> None:
    levels, rows = as_levels(column)
    assert [None if row < 0 else levels[row].as_py() for row in rows.tolist()] == ["1", None, "2", "1"]


def test_levels_of_fractions() -> None:
    levels, rows = as_levels(pa.array([0.5, 2.0, float("nan"), 1e300]))
    assert [levels[row].as_py() for row in rows.tolist()] == ["0.5", "2", "nan", "1e+300"]
