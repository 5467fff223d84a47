"""Find the files of a path, a folder or a pattern, their format, and whether they have changed."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from ridgeway.data.data_error import DataError
from ridgeway.data.export_advice import refuse_format, refuse_url

FORMATS = {
    "parquet": (".parquet", ".pq", ".parq"),
    "csv": (".csv", ".tsv", ".tab"),
    "feather": (".feather", ".arrow", ".ipc", ".arrows"),
    "libsvm": (".svm", ".libsvm", ".svmlight"),
}
FILE_SIGNATURES = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather"}  # the first bytes of a file
TEXT_FORMATS = ("csv", "libsvm")  # may be compressed
COMPRESSED_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zip")
KNOWN_FORMATS = (
    "Parquet, CSV, Feather/Arrow and LIBSVM files ("
    + ", ".join(end for ends in FORMATS.values() for end in ends)
    + "; text also compressed: "
    + ", ".join(COMPRESSED_ENDINGS)
    + ")"
)
END_BYTES = 1 << 16  # at each end of a file, for its fingerprint


@dataclass(frozen=True)
class FileMark:
    """The fingerprint of a file: size, modification time, and a hash of its two ends."""

    path: Path
    size: int
    changed: int
    ends: str

    @classmethod
    def of(cls, path: Path) -> FileMark:
        """Return the fingerprint of a file."""
        with reading(path), path.open("rb") as file:
            status = os.fstat(file.fileno())
            digest = hashlib.blake2b(file.read(END_BYTES), digest_size=16)
            file.seek(max(status.st_size - END_BYTES, 0))
            digest.update(file.read(END_BYTES))
        return cls(path, status.st_size, status.st_mtime_ns, digest.hexdigest())

    def require_same(self) -> None:
        """Raise an error if the file has changed."""
        with reading(self.path):
            status = self.path.stat()
        if (status.st_size, status.st_mtime_ns) != (self.size, self.changed):
            raise DataError(
                f"{self.path}: the file changed while it was being read ({self.size:,} bytes then, {status.st_size:,} "
                "now): expected the same rows in every pass; start again when no program writes to it."
            )

    def as_dict(self) -> dict[str, str | int]:
        """Return plain values for JSON."""
        return {"file": self.path.name, "bytes": self.size, "changed": self.changed, "ends": self.ends}


def find_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a path, folder or pattern, in the order of their names.

    A folder means all files of a known format in it and below, except names that begin with a dot or an underscore.
    """
    refuse_url(os.fspath(path))
    text = os.path.expanduser(os.fspath(path))
    place = Path(text)
    with reading(place):
        if place.is_dir():
            found = sorted(_visible(place))
            _refuse_partitions(found, place)
            if not found:
                raise DataError(f"{place}: the folder has no file to read: expected {KNOWN_FORMATS}.")
            return found
        if place.is_file():
            return [place]
        if place.exists():
            raise DataError(
                f"{place}: a pipe or a device, whose rows can be read only once: expected a file; write the rows to "
                "one (the command line does so itself)."
            )
    if has_magic(text):
        matches = sorted(Path(match) for match in glob(text, recursive=True) if Path(match).is_file())
        if matches:
            return matches
        raise DataError(f"{text}: no file matches the pattern: expected at least one; check the path.")
    raise DataError(
        f"{text}: no such file: expected a file, a folder or a pattern such as 'parts/*.parquet'; check the path."
    )


def reads(path: str | os.PathLike[str], file: str | os.PathLike[str]) -> bool:
    """Return whether a folder or a pattern includes a file, which need not exist yet; see `find_files`.

    Examples
    --------
    >>> reads("parts/*.csv", "parts/b.csv"), reads("parts/*.csv", "parts/b.txt"), reads("b.csv", "b.csv")
    (True, False, False)
    """
    text = os.path.expanduser(os.fspath(path))
    place, target = Path(text), Path(os.path.realpath(os.path.expanduser(os.fspath(file))))
    if place.is_dir():
        folder = Path(os.path.realpath(place))
        return folder in target.parents and _is_visible(target.relative_to(folder))
    if place.exists() or not has_magic(text):
        return False
    pattern = Path(os.path.abspath(text)).parts
    return _matches(pattern, Path(os.path.abspath(file)).parts) or _matches(pattern, target.parts)


def format_of(paths: Sequence[Path]) -> str:
    """Return the one format of the files: "parquet", "csv", "feather" or "libsvm"."""
    first = _format(paths[0])
    for path in paths[1:]:
        other = _format(path)
        if other != first:
            raise DataError(
                f"{path}: a {other} file beside {paths[0].name}, a {first} file: expected files of one format; use a "
                "pattern such as '*.parquet'."
            )
    return first


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of the system into errors that name the file."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: no such file: it was there before; check the path.") from None
    except PermissionError:
        raise DataError(
            f"{path}: no permission to read it: expected a readable file; change its mode or owner."
        ) from None
    except IsADirectoryError:
        raise DataError(f"{path}: a folder: expected a file; give its files.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}; check the disk and the file.") from None


def _visible(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and _is_visible(path.relative_to(folder)):
            yield path


def _is_visible(path: Path) -> bool:
    """Return whether a folder includes a file at this relative path."""
    return named_format(path) is not None and not any(part.startswith((".", "_")) for part in path.parts)


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether a path matches a pattern, part by part, as in `glob`."""
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":
        return _matches(pattern[1:], parts) or (not parts[0].startswith(".") and _matches(pattern, parts[1:]))
    hidden = parts[0].startswith(".") and not pattern[0].startswith(".")
    return not hidden and fnmatch.fnmatch(parts[0], pattern[0]) and _matches(pattern[1:], parts[1:])


def _refuse_partitions(paths: Sequence[Path], folder: Path) -> None:
    """Raise an error for folders named key=value, whose values would be lost."""
    for path in paths:
        for part in path.relative_to(folder).parts[:-1]:
            if "=" in part:
                raise DataError(
                    f"{path}: the folder name {part!r} holds a column that the file lacks: expected all columns in the "
                    f"files; read one such folder, or write {part.partition('=')[0]!r} into the files."
                )


def _format(path: Path) -> str:
    named = named_format(path)
    with reading(path), path.open("rb") as file:
        head = file.read(16)
    refuse_format(path, head, known=named is not None)
    if named is not None:
        return named
    for signature, kind in FILE_SIGNATURES.items():
        if head.startswith(signature):
            return kind
    raise DataError(f"{path}: unknown format: expected {KNOWN_FORMATS}; rename the file with the ending of its format.")


def named_format(path: Path) -> str | None:
    """Return the format of a file by its name; None if it is unknown."""
    name = path.name.lower()
    for ending in COMPRESSED_ENDINGS:
        if name.endswith(ending):
            bare = name.removesuffix(ending)
            return next((kind for kind in TEXT_FORMATS if bare.endswith(FORMATS[kind])), None)
    return next((kind for kind, ends in FORMATS.items() if name.endswith(ends)), None)
