"""Kernels of the encoder: hashes over bytes, words, and rows out of entries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Codes = NDArray[np.int32]
Values = NDArray[Any]

# FNV-1a, 64 bits, and the shifts and multipliers of a finalizer that spreads its low bits.
BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
FIRST, SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
SHIFT = np.uint64(33)

DAY, YEAR = 86_400, 31_556_952  # seconds
THURSDAY = 3  # 1970-01-01, when Monday is 0

BLOCK = 256  # rows that are filled together, so that they lie in the cache for all slots


@compiled
def _spread(hashed: np.uint64) -> np.uint64:
    hashed ^= hashed >> SHIFT
    hashed *= FIRST
    hashed ^= hashed >> SHIFT
    hashed *= SECOND
    hashed ^= hashed >> SHIFT
    return hashed


@compiled
def hash_strings(data: Bytes, offsets: Places, buckets: int, out: Codes) -> None:
    """Write the bucket of each string: spread(FNV-1a 64 of its UTF-8 bytes) modulo `buckets`, into out (n,)."""
    modulus = np.uint64(buckets)
    for i in range(len(out)):
        hashed = BASIS
        for j in range(offsets[i], offsets[i + 1]):
            hashed = (hashed ^ np.uint64(data[j])) * PRIME
        out[i] = np.int32(_spread(hashed) % modulus)


@compiled
def _is_letter(data: Bytes, j: int, end: int) -> bool:
    """Tell whether the byte belongs to a word: ASCII letters and digits, and all beyond ASCII but punctuation."""
    byte = int(data[j])
    if byte < 0x80:
        return (48 <= byte <= 57) or (65 <= byte <= 90) or (97 <= byte <= 122)
    if byte == 0xC2:  # U+0080 to U+00BF: signs
        return False
    if (
        byte == 0xE2 and j + 1 < end and (data[j + 1] == 0x80 or data[j + 1] == 0x81)
    ):  # U+2000 to U+207F: dashes, quotes
        return False
    # U+3000 to U+303F: CJK punctuation
    return not (byte == 0xE3 and j + 1 < end and data[j + 1] == 0x80)


@compiled
def _width(byte: int) -> int:
    """Bytes of the character that begins with this one."""
    if byte < 0xC0:
        return 1
    if byte < 0xE0:
        return 2
    return 3 if byte < 0xF0 else 4


@compiled
def count_words(data: Bytes, offsets: Places, out: Places) -> None:
    """Write the number of words of each string into out (n,)."""
    for i in range(len(out)):
        inside, count = False, 0
        j, end = offsets[i], offsets[i + 1]
        while j < end:
            letter = _is_letter(data, j, end)
            if letter and not inside:
                count += 1
            inside = letter
            j += _width(data[j])
        out[i] = count


@compiled
def hash_words(data: Bytes, offsets: Places, starts: Places, buckets: int, out: Codes) -> None:
    """Write the buckets of the words of string i into out[starts[i]:starts[i + 1]], in increasing order."""
    modulus = np.uint64(buckets)
    for i in range(len(offsets) - 1):
        place, inside, hashed = starts[i], False, BASIS
        j, end = offsets[i], offsets[i + 1]
        while j < end:
            width = min(_width(data[j]), end - j)
            if _is_letter(data, j, end):
                for k in range(j, j + width):
                    hashed = (hashed ^ np.uint64(data[k])) * PRIME
                inside = True
            elif inside:
                out[place] = np.int32(_spread(hashed) % modulus)
                place, inside, hashed = place + 1, False, BASIS
            j += width
        if inside:
            out[place] = np.int32(_spread(hashed) % modulus)
        out[starts[i] : starts[i + 1]].sort()


@compiled
def join_words(buckets: Codes, starts: Places, ends: Places, values: Values) -> None:
    """Join equal buckets of each row in place; values become counts over the row's norm, ends[i] where row i ends."""
    for i in range(len(ends)):
        place = starts[i] - 1
        squares = 0.0
        for j in range(starts[i], starts[i + 1]):
            if place >= starts[i] and buckets[place] == buckets[j]:
                values[place] += 1
            else:
                place += 1
                buckets[place] = buckets[j]
                values[place] = 1
        for j in range(starts[i], place + 1):
            squares += values[j] * values[j]
        for j in range(starts[i], place + 1):
            values[j] /= np.sqrt(squares)
        ends[i] = place + 1


@compiled
def fill_dense(codes: Codes, values: Values, out: Values) -> None:
    """Put entry (s, i) into column codes[s, i] of row i; a code of -1 is no entry. codes and values (slots, n)."""
    for first in range(0, out.shape[0], BLOCK):
        end = min(first + BLOCK, out.shape[0])
        for s in range(codes.shape[0]):
            for i in range(first, end):
                if codes[s, i] >= 0:
                    out[i, codes[s, i]] = values[s, i]


@compiled
def fill_dense_words(starts: Places, ends: Places, buckets: Codes, values: Values, first: int, out: Values) -> None:
    """Put the words of each row into the columns from `first` on."""
    for i in range(out.shape[0]):
        for j in range(starts[i], ends[i]):
            out[i, first + buckets[j]] = values[j]


@compiled
def count_entries(codes: Codes, values: Values, out: Places) -> None:
    """Add the number of entries of each row that are not 0 to out (n,)."""
    for s in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[s, i] >= 0 and values[s, i] != 0:
                out[i] += 1


@compiled
def fill_sparse(codes: Codes, values: Values, places: Places, indices: Codes, data: Values) -> None:
    """Append the entries of each row that are not 0 at places[i], which moves on."""
    for first in range(0, codes.shape[1], BLOCK):
        end = min(first + BLOCK, codes.shape[1])
        for s in range(codes.shape[0]):
            for i in range(first, end):
                if codes[s, i] >= 0 and values[s, i] != 0:
                    indices[places[i]] = codes[s, i]
                    data[places[i]] = values[s, i]
                    places[i] += 1


@compiled
def fill_sparse_words(
    starts: Places,
    ends: Places,
    buckets: Codes,
    values: Values,
    first: int,
    places: Places,
    indices: Codes,
    data: Values,
) -> None:
    """Append the words of each row at places[i], which moves on."""
    for i in range(len(ends)):
        place = places[i]
        for j in range(starts[i], ends[i]):
            indices[place] = first + buckets[j]
            data[place] = values[j]
            place += 1
        places[i] = place


@compiled
def date_parts(seconds: Places, origin: int, waves: Values, codes: Codes, values: Values, first: int) -> None:
    """Write trend, season and day of the week of each time.

    seconds (n,) since 1970; waves (w, points) of a year; codes and values (w + 2, n): years since the origin in feature
    `first`, the waves in the next w features, and 1 in one of seven features after them, Monday first.
    """
    n_waves, points = waves.shape
    for i in range(len(seconds)):
        values[0, i] = (seconds[i] - origin) / YEAR
        codes[0, i] = first
        point = (seconds[i] % YEAR) * points // YEAR
        for k in range(n_waves):
            values[1 + k, i] = waves[k, point]
            codes[1 + k, i] = first + 1 + k
        values[1 + n_waves, i] = 1
        codes[1 + n_waves, i] = first + 1 + n_waves + (seconds[i] // DAY + THURSDAY) % 7


@compiled
def clock_parts(seconds: Places, waves: Values, codes: Codes, values: Values, first: int) -> None:
    """Write the time of day: waves (w, points) of a day, codes and values (w, n), in the features from `first` on."""
    n_waves, points = waves.shape
    for i in range(len(seconds)):
        point = (seconds[i] % DAY) * points // DAY
        for k in range(n_waves):
            values[k, i] = waves[k, point]
            codes[k, i] = first + k
