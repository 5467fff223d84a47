"""Pipes as inputs. Their bytes are copied to a temporary file, because rows and models are read more than once."""

from __future__ import annotations

import os
import re
import select
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import click

from ridgeway.data.data_error import DataError
from ridgeway.data.files import FILE_SIGNATURES, FORMATS, named_format
from ridgeway.machine.free_disk import usable_bytes

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
PIPE_CHUNK_BYTES = 1 << 20
WRITER_TIMEOUT_SECONDS = 10.0  # to wait until a program opens the other end of a named pipe
PIPE_POLL_SECONDS = 0.05
# The first bytes of each format, for pipes whose names have no ending.
FORMAT_SIGNATURES = {
    **{signature: FORMATS[kind][0] for signature, kind in FILE_SIGNATURES.items()},
    b"\x1f\x8b": ".csv.gz",
    b"BZh": ".csv.bz2",
    b"\xfd7zXZ": ".csv.xz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
    b"PK\x03\x04": ".csv.zip",
}
LIBSVM_LINE = re.compile(rb"[-+.\deE]+([ \t]+\d+:[-+.\deE]+)+[ \t]*\r?$")


def file_behind(path: str) -> str | None:
    """Return the file or folder behind an input path; None if it is a pipe, which must be copied.

    ``-`` is standard input. Devices and terminals are refused, because they have no end.
    """
    try:
        status = os.fstat(0) if path in STANDARD_INPUT else os.stat(os.path.expanduser(path))
    except OSError:  # missing, or a pattern: the reader reports it
        return path
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        return _named_file(path, status)
    if stat.S_ISFIFO(status.st_mode) or (stat.S_ISSOCK(status.st_mode) and path in STANDARD_INPUT):
        return None
    kind = "a terminal" if path in STANDARD_INPUT and os.isatty(0) else "a socket or a device"
    raise click.UsageError(
        f"{path} is {kind}: expected a file, a folder, a pattern, or rows that another program writes to a pipe."
    )


def copy_of_pipe(path: str, folder: Path, patience: float = WRITER_TIMEOUT_SECONDS) -> Path:
    """Copy the content of a pipe to a file in a folder, and return the file. Its name ends as its format requires.

    Parameters
    ----------
    path : the pipe, or ``-`` for standard input.
    folder : where to put the file.
    patience : seconds to wait until a program writes to a named pipe.
    """
    stem = "stdin" if path in STANDARD_INPUT else re.sub(r"^/(?:dev|proc/self)/fd/", "fd", path).rpartition("/")[2]
    most = usable_bytes(folder)
    copy, size, head = folder / "copy", 0, b""
    with copy.open("xb") as file:
        for chunk in _chunks(path, patience):
            head = head or chunk
            size += len(chunk)
            if size > most:
                raise DataError(
                    f"{path}: more than {most:,} bytes, half of the free space in {folder.parent}: expected less from "
                    "a pipe; write the rows to a file and give its path, or set TMPDIR to a folder on a larger disk."
                )
            file.write(chunk)
    return copy.rename(folder / f"{stem}{_ending(stem, head)}")


def _named_file(path: str, status: os.stat_result) -> str:
    """Return the path of an open file, whose ending gives its format, if the given path is a file descriptor."""
    if path not in STANDARD_INPUT and not path.startswith(("/dev/", "/proc/")):
        return path
    name = os.path.realpath("/dev/stdin" if path == "-" else path)
    with_name = os.path.exists(name) and os.path.samestat(os.stat(name), status)
    return name if with_name else path


def _chunks(path: str, patience: float) -> Iterator[bytes]:
    """Yield the bytes of a pipe. A named pipe is opened without blocking, because it may never get a writer."""
    from_start = path in STANDARD_INPUT
    handle = os.dup(0) if from_start else os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK)
    begun, deadline = from_start, time.monotonic() + patience
    try:
        while True:
            try:
                chunk = os.read(handle, PIPE_CHUNK_BYTES)
            except BlockingIOError:  # a writer has opened the pipe and written nothing yet
                begun = True
                select.select([handle], [], [])
                continue
            if chunk:
                begun = True
                yield chunk
            elif begun:
                return
            elif time.monotonic() > deadline:
                raise DataError(
                    f"{path}: no program wrote to this pipe for {patience:g} seconds: expected rows; start the program "
                    "that writes them, or give the path of a file."
                )
            else:
                time.sleep(PIPE_POLL_SECONDS)
    finally:
        os.close(handle)


def _ending(stem: str, head: bytes) -> str:
    if named_format(Path(stem)) is not None:
        return ""
    for beginning, ending in FORMAT_SIGNATURES.items():
        if head.startswith(beginning):
            return ending
    return ".svm" if LIBSVM_LINE.match(head.partition(b"\n")[0]) else ".csv"
