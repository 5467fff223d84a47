"""Model files with something wrong: damaged at random, or made up with care, checksum and all."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import load, save

from ridgeway.storage.model_file import _checksum

Arrays = dict[str, NDArray[Any]]
ODD: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    3,
    2**31,
    2**53,
    2**63,
    10**30,
    -0.5,
    1e-320,
    1e308,
    "",
    "nan",
    [],
    {},
    [0] * 50,
]
ODD += [
    {"$array": "nowhere"},
    {"scheme": "Tail", "start": 10**12},
    {"scheme": "NegativeBinomial", "alpha": 1, "order": 10**9},
]


def damaged(contents: bytes, rng: np.random.Generator) -> bytes:
    """Bit flips, cuts, wrong lengths, edits of the header, and parts that are missing, doubled or swapped."""
    data, length = bytearray(contents), int.from_bytes(contents[:8], "little")
    kind = int(rng.integers(8))
    if kind == 0:
        for place in rng.integers(len(data), size=rng.integers(1, 20)):
            data[place] ^= 1 << rng.integers(8)
    elif kind == 1:
        place = int(rng.integers(8 + length))  # in the header
        data[place] ^= 1 << rng.integers(8)
    elif kind == 2:
        return bytes(data[: rng.integers(len(data))])
    elif kind == 3:
        data[:8] = int(rng.choice([0, 1, length - 1, length + 1, length + 8, 2**31, 2**40, 2**63])).to_bytes(
            8, "little"
        )
    elif kind == 4:
        first, last = sorted(rng.integers(len(data), size=2))
        del data[first:last]
    elif kind == 5:
        place = int(rng.integers(len(data)))
        data[place:place] = rng.bytes(int(rng.integers(1, 100)))
    elif kind == 6:
        numbers = [i for i in range(8, 8 + length) if 48 <= data[i] <= 57]
        for place in rng.choice(numbers, size=rng.integers(1, 4)):
            data[place] = 48 + rng.integers(10)
    else:
        header = bytes(data[8 : 8 + length])
        old, new = [(b'"F64"', b'"F32"'), (b'"F64"', b'"I64"'), (b"}", b"]"), (b"[", b"[" * 5000), (b":", b",")][
            rng.integers(5)
        ]
        header = header.replace(old, new, int(rng.integers(1, 5)))
        data[: 8 + length] = len(header).to_bytes(8, "little") + header
    return bytes(data)


def made_up(file: Path, rng: np.random.Generator) -> bytes:
    """Replace entries of the state by others, with a checksum that is right."""
    with safe_open(file, framework="np") as opened:
        content = json.loads(opened.metadata()["ridgeway"])
    arrays = load(file.read_bytes())
    content.pop("checksum")
    for _ in range(rng.integers(1, 4)):
        if rng.integers(3):
            _edit(content["state"], rng)
        else:
            _edit_array(arrays, rng)
    checksum = _checksum(content, arrays)
    text = json.dumps(
        {**{k: v for k, v in content.items() if k != "state"}, "checksum": checksum, "state": content["state"]}
    )
    return save(arrays, {"ridgeway": text})


def _edit(tree: Any, rng: np.random.Generator) -> None:
    places = list(_places(tree))
    holder, key = places[rng.integers(len(places))]
    kind = rng.integers(4)
    if kind == 0:
        other, place = places[rng.integers(len(places))]
        holder[key] = copy.deepcopy(other[place])
    elif kind == 1 and isinstance(holder, dict):
        del holder[key]
    elif kind == 2 and isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] = holder[key] * int(rng.integers(-2, 3)) + int(rng.integers(-2, 3))
    else:
        holder[key] = ODD[rng.integers(len(ODD))]


def _places(tree: Any) -> Any:
    for key, value in list(tree.items()) if isinstance(tree, dict) else list(enumerate(tree)):
        yield tree, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _edit_array(arrays: Arrays, rng: np.random.Generator) -> None:
    name = list(arrays)[rng.integers(len(arrays))]
    array, kind = arrays[name], rng.integers(6)
    if kind == 0:
        arrays[name] = array.reshape(-1)
    elif kind == 1:
        arrays[name] = np.zeros((*array.shape[:-1], array.shape[-1] + 1), array.dtype)
    elif kind == 2:
        arrays[name] = array.astype(rng.choice(["float32", "float64", "int64", "float16", "uint8"]))
    elif kind == 3 and array.size:
        changed = array.copy()
        changed.reshape(-1)[rng.integers(array.size)] = (
            rng.choice([np.nan, np.inf, 1e300, -1e300, 1e9]) if array.dtype.kind == "f" else 1
        )
        arrays[name] = changed
    elif kind == 4:
        del arrays[name]
    else:
        arrays["another"] = array
