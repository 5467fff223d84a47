"""Reading and writing of model files.

A model file is a safetensors file: arrays, and one metadata entry, ``ridgeway``, with JSON text::

    {"format": "model", "format_version": 2, "needs": "0.2.0", "versions": {...}, "checksum": "...", "state": {...}}

``needs`` is the first version of ridgeway that can read the file, whatever the format becomes. There are no time
stamps: the same state gives the same bytes. Nothing in a file is ever executed. Lengths are compared with the size of
the file before anything is read, the number of arrays and entries with what a model can have before anything is
parsed, and the checksum (SHA-256 over JSON and arrays) before anything is used.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ridgeway.storage.atomic_file import write_atomically
from ridgeway.storage.state import State, Stored
from ridgeway.storage.tree import split, with_arrays
from ridgeway.version import __version__

METADATA_KEY = "ridgeway"
FORMAT_VERSION = 2
FIRST_READING_VERSION = "0.2.0"  # the first version of ridgeway that reads FORMAT_VERSION
LIBRARIES = ("numpy", "scipy", "scikit-learn", "safetensors")
DTYPES = {"F64": "float64", "F32": "float32", "I64": "int64", "BOOL": "bool", "U8": "uint8"}

HEADER_PIECE_BYTES = 2**16
MAX_HEADER_BYTES = 2**26  # a header holds names and tables, not data
MAX_JSON_VALUES = 2**21  # they take far more memory than their text
# JSON objects in the header: one for each array, and those of the state, which refers to each array by another. Each
# takes some 300 bytes once it is read, however short its text is.
MAX_HEADER_OBJECTS = 2**18


class ModelFileError(ValueError):
    """The file is not a model file, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import tempfile, ridgeway as rw
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     rw.load(file.name)
    Traceback (most recent call last):
    ridgeway.storage.model_file.ModelFileError: ...: the file is empty: expected a model file, as save writes it.
    """


def write_state(path: str | os.PathLike[str], state: State, kind: str = "model") -> None:
    """Write a state to a file, completely or not at all.

    Parameters
    ----------
    path : the file; the usual ending is .safetensors.
    state : see `ridgeway.storage.state`.
    kind : what the file is, for the reader to check.
    """
    tree, arrays = split(state)
    head: State = {
        "format": kind,
        "format_version": FORMAT_VERSION,
        "needs": FIRST_READING_VERSION,
        "versions": library_versions(),
    }
    content = {**head, "state": tree}
    head["checksum"] = _checksum(content, arrays)
    text = _dumped({**head, "state": tree})
    # One metadata entry: safetensors writes several in any order.
    contents = save(arrays, {METADATA_KEY: text})
    length = int.from_bytes(contents[:8], "little")
    if length > MAX_HEADER_BYTES or _count_values(text) > MAX_JSON_VALUES:
        raise ValueError(
            f"{path}: names and tables of the model take {len(text) / 2**20:.0f} MiB as text, more than a model file "
            "holds: leave out feature names (pass an array, not a data frame)."
        )
    if contents.count(b"{", 8, 8 + length) > MAX_HEADER_OBJECTS:
        raise ValueError(
            f"{path}: the model has {len(arrays):,} arrays, and the header of a model file may have "
            f"{MAX_HEADER_OBJECTS:,} entries: if it was fitted with chains=, use fewer."
        )
    write_atomically(path, contents)


def read_state(path: str | os.PathLike[str], kind: str = "model") -> Stored:
    """Read a state from a file that `write_state` wrote; anything else raises `ModelFileError`.

    Parameters
    ----------
    path : the file.
    kind : what it is expected to be.
    """
    require_header(path, kind)
    try:
        return _read(path, kind)
    except RecursionError:
        raise ModelFileError(
            f"{path}: not a state that ridgeway writes: nested too deeply; use an intact copy, or fit again."
        ) from None


def require_header(path: str | os.PathLike[str], kind: str = "model") -> None:
    """Raise an error unless the file exists and begins like a model file; nothing is parsed.

    The length of the header is compared with the size of the file, and the objects in it are counted.
    """
    if Path(path).is_dir():
        raise ModelFileError(f"{path}: a folder: expected a {kind} file.")
    if not os.path.lexists(path):
        raise FileNotFoundError(
            errno.ENOENT,
            f"no such file: expected {_written_by(kind)}; check the path, which is relative to {Path.cwd()}",
            os.fspath(path),
        )
    if Path(path).exists() and not Path(path).is_file():
        raise ModelFileError(f"{path}: a pipe or a device: expected a {kind} file; copy it to a file first.")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        n_objects = 0 if length > min(size - 8, MAX_HEADER_BYTES) else _count_objects(file, length)
    if size == 0:
        raise ModelFileError(f"{path}: the file is empty: expected a {kind} file, as save writes it.")
    if size < 8 or length > min(size - 8, MAX_HEADER_BYTES):
        raise ModelFileError(
            f"{path}: damaged, or not a {kind} file: its {size:,} bytes do not begin with the length of a header: "
            f"expected {_written_by(kind)}; give that file, or use an intact copy."
        )
    if n_objects > MAX_HEADER_OBJECTS:
        raise ModelFileError(
            f"{path}: not a {kind} file: its header names {n_objects:,} arrays and entries: expected at most "
            f"{MAX_HEADER_OBJECTS:,}, the most that ridgeway writes."
        )


def _written_by(kind: str) -> str:
    return "a file of save or of ridgeway fit --model" if kind == "model" else f"a {kind} file of ridgeway"


def _read(path: str | os.PathLike[str], kind: str) -> Stored:
    try:
        with safe_open(str(path), framework="np") as file:
            text = (file.metadata() or {}).get(METADATA_KEY)
            if text is None:
                raise ModelFileError(f"{path}: a safetensors file, but not of ridgeway: expected a {kind} file.")
            content = _parsed(path, text)
            _require_version(path, content, kind)
            arrays = {name: _array(path, file, name) for name in file.keys()}  # noqa: SIM118, not a dictionary
    except SafetensorError as error:
        raise ModelFileError(f"{path}: damaged, or not a {kind} file ({error}): use an intact copy.") from None
    checksum = content.pop("checksum", None)
    if checksum != _checksum(content, arrays):
        raise ModelFileError(
            f"{path}: damaged, its contents do not match the stored checksum; use an intact copy, or fit again."
        )
    try:
        return Stored(with_arrays(content.get("state"), arrays))
    except ValueError as error:
        raise ModelFileError(
            f"{path}: not a state that ridgeway writes: {error}; use an intact copy, or fit again."
        ) from None


def library_versions() -> dict[str, str]:
    """Versions of the libraries that a model is made with."""
    versions = {"ridgeway": __version__}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # vendored without its metadata
            versions[name] = "unknown"
    return versions


def _count_objects(file: IO[bytes], length: int) -> int:
    """Return an upper bound of the number of JSON objects in the next bytes of a file, read piece by piece."""
    starts = range(0, length, HEADER_PIECE_BYTES)
    return sum(file.read(min(HEADER_PIECE_BYTES, length - start)).count(b"{") for start in starts)


def _parsed(path: str | os.PathLike[str], text: str) -> State:
    if _count_values(text) > MAX_JSON_VALUES:
        raise ModelFileError(
            f"{path}: more than {MAX_JSON_VALUES:,} values in the metadata: expected names and tables; use an intact "
            "copy, or fit again."
        )
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise ModelFileError(
            f"{path}: damaged: its metadata are not JSON that ridgeway writes ({error}); use an intact copy."
        ) from None
    if not isinstance(content, dict):
        raise ModelFileError(f"{path}: damaged: its metadata are not JSON that ridgeway writes; use an intact copy.")
    return content


def _require_version(path: str | os.PathLike[str], content: State, kind: str) -> None:
    found, format_version, needs = content.get("format"), content.get("format_version"), content.get("needs")
    if not isinstance(format_version, int) or not isinstance(needs, str) or not isinstance(found, str):
        raise ModelFileError(f"{path}: damaged: its metadata do not name a format and its version; use an intact copy.")
    if format_version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: written in format {format_version}, and ridgeway {__version__} reads formats up to "
            f"{FORMAT_VERSION}: install ridgeway {needs[:20]} or newer."
        )
    if found != kind:
        remedy = "; give the file that save or ridgeway fit --model wrote" if kind == "model" else ""
        raise ModelFileError(f"{path}: a {found[:20]} file of ridgeway: expected a {kind} file{remedy}.")


def _array(path: str | os.PathLike[str], file: Any, name: str) -> NDArray[Any]:
    entry = file.get_slice(name)
    if entry.get_dtype() not in DTYPES:
        raise ModelFileError(f"{path}: the array {name!r} holds {entry.get_dtype()}: expected one of {list(DTYPES)}.")
    return np.require(file.get_tensor(name), requirements=["C", "A", "W", "O"])


def _checksum(content: State, arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(_dumped(content).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode(errors="surrogatepass"))
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _dumped(content: State) -> str:
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _count_values(text: str) -> int:
    return sum(text.count(sign) for sign in ",:[{")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not finite")
