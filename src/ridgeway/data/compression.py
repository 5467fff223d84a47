"""Compressed text: gzip, bzip2, xz, Zstandard, and zip files with one file in them, recognized by their first bytes."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError
from ridgeway.data.export_advice import workbook_among_files

COMPRESSION_SIGNATURES = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # without members
}
BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # follow "BZh" and a digit: "BZh" alone may begin a header
DAMAGE = (
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # of zip files: an unknown compression
    RuntimeError,  # of zip files: a password
    OSError,
    pa.ArrowInvalid,
)


def open_text(path: Path, file: Any = None) -> Any:
    """Open a file as a stream of plain text, and decompress it if it is compressed.

    Parameters
    ----------
    path : the file.
    file : the open file, for callers that ask how many of its bytes were read.
    """
    raw = pa.OSFile(str(path)) if file is None else file
    compression = _compression(raw.read(10))
    raw.seek(0)
    match compression:
        case None:
            return raw
        case "xz":
            return _stream(lzma.LZMAFile(raw), path)
        case "zip":
            return _stream(_only_member(raw, path), path)
        case _:
            return pa.CompressedInputStream(raw, compression)


def is_compressed(path: Path) -> bool:
    """Return whether a file is compressed; then it can only be read from start to end."""
    with pa.OSFile(str(path)) as file:
        return _compression(file.read(10)) is not None


class _DecompressedFile(io.RawIOBase):
    """A file of the standard library whose errors name the file."""

    def __init__(self, file: Any, path: Path) -> None:
        self._file, self._path = file, path

    def readable(self) -> bool:
        """Return True: the file can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes."""
        try:
            block = self._file.read(len(buffer))
        except DAMAGE as error:
            raise _damaged(self._path, error) from None
        buffer[: len(block)] = block
        return len(block)


def _stream(file: Any, path: Path) -> Any:
    return pa.PythonFile(_DecompressedFile(file, path), mode="r")


def _compression(head: bytes) -> str | None:
    for signature, name in COMPRESSION_SIGNATURES.items():
        if head.startswith(signature) and (name != "bz2" or head[4:10] in BZIP2_BLOCKS):
            return name
    return None


def _only_member(file: Any, path: Path) -> Any:
    """Open the one file that a zip file holds."""
    try:
        archive = zipfile.ZipFile(file)
        members = [info for info in archive.infolist() if not info.is_dir() and _is_content(info.filename)]
        if len(members) == 1:
            return archive.open(members[0])
    except DAMAGE as error:
        raise _damaged(path, error) from None
    if any(info.filename == "xl/workbook.xml" for info in members):
        raise workbook_among_files(path)
    names = ", ".join(repr(info.filename) for info in members[:3]) + (", ..." if len(members) > 3 else "")
    got = f"{len(members)} files ({names})" if members else "no file"
    raise DataError(
        f"{path}: the zip file holds {got}: expected one file of text; unpack it (unzip {path.name}) and give the "
        "files to read."
    )


def _is_content(name: str) -> bool:
    """Return whether a member is a file of the user, not one that systems add: __MACOSX/, .DS_Store."""
    return not any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(
        f"{path}: the compressed file cannot be unpacked: {error}: expected a complete file without a password; "
        "download it again, or unpack it first."
    )
