"""Damaged copies of a file: flipped bits, cuts, lost or repeated stretches, edited lines. Seeded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def flip_bits(data: bytearray, rng: np.random.Generator) -> None:
    for place in rng.integers(len(data), size=rng.integers(1, 9)):
        data[place] ^= 1 << int(rng.integers(8))


def flip_end(data: bytearray, rng: np.random.Generator) -> None:
    """Flip bits where Parquet keeps its metadata."""
    for place in rng.integers(max(len(data) - 3000, 0), len(data), size=rng.integers(1, 4)):
        data[place] ^= 1 << int(rng.integers(8))


def flip_begin(data: bytearray, rng: np.random.Generator) -> None:
    """Flip bits in the first page headers of Parquet, or the header and first rows of CSV."""
    for place in rng.integers(min(len(data), 200), size=rng.integers(1, 4)):
        data[place] ^= 1 << int(rng.integers(8))


def cut_off(data: bytearray, rng: np.random.Generator) -> None:
    del data[int(rng.integers(len(data))) :]


def lose_stretch(data: bytearray, rng: np.random.Generator) -> None:
    first = int(rng.integers(len(data)))
    del data[first : first + int(rng.integers(1, 500))]


def repeat_stretch(data: bytearray, rng: np.random.Generator) -> None:
    first = int(rng.integers(len(data)))
    data[first:first] = data[first : first + int(rng.integers(1, 500))]


def overwrite_stretch(data: bytearray, rng: np.random.Generator) -> None:
    first = int(rng.integers(len(data)))
    part = data[first : first + int(rng.integers(1, 100))]
    data[first : first + len(part)] = bytes(len(part)) if rng.random() < 0.5 else rng.bytes(len(part))


def edit_line(data: bytearray, rng: np.random.Generator) -> None:
    """Put something odd into a field of a CSV file."""
    odd = [
        b'"',
        b",",
        b",,,",
        b"abc",
        b"\n",
        b"1e999",
        b"-",
        b"\xff\xfe",
        b"'",
        b"\x00",
        b"99999999999999999999",
        b"NaN",
    ]
    lines = bytes(data).split(b"\n")
    number = int(rng.integers(len(lines)))
    fields = lines[number].split(b",")
    fields[int(rng.integers(len(fields)))] = odd[int(rng.integers(len(odd)))]
    lines[number] = b",".join(fields)
    data[:] = b"\n".join(lines)


BINARY: list[Callable[[bytearray, np.random.Generator], None]] = [
    flip_bits,
    flip_end,
    flip_begin,
    cut_off,
    lose_stretch,
    repeat_stretch,
    overwrite_stretch,
]
TEXT = [flip_bits, flip_begin, cut_off, lose_stretch, repeat_stretch, edit_line, edit_line]


def mutated(data: bytes, text: bool, seed: int) -> bytes:
    """Return one damaged copy."""
    rng = np.random.default_rng(seed)
    kinds = TEXT if text else BINARY
    copy = bytearray(data)
    kinds[seed % len(kinds)](copy, rng)
    return bytes(copy)
