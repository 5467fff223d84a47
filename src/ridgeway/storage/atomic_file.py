"""Atomic files: a file is written completely or not at all; after a failure the previous file is unchanged."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # a disk says so without naming the file
PARTIAL = ".partial"  # ending of a file that is being written
_unfinished: set[Path] = set()  # hidden files of the blocks of `atomic_path` that have not ended, in this process


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a hidden file in the same folder; when the block succeeds, it replaces `path`.

    The contents reach the disk before the file is renamed, and the new name before the block ends. If the block raises,
    `path` is unchanged and the hidden file is removed. What writes to the hidden file may be atomic itself: it is
    put into place once, by the outer block. A process that is killed may leave the hidden file behind (see
    `remove_partials`).

    Parameters
    ----------
    path : the file to make or to replace; links are followed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "answer.txt") as partial:
    ...     size = partial.write_text("42")
    >>> [file.name for file in folder.iterdir()]
    ['answer.txt']
    """
    target = Path(os.path.realpath(path))
    if target in _unfinished:  # an outer block puts it into place
        yield target
        return
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder: expected the name of a file to write.")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{path}: there is no folder {str(Path(path).parent)!r}: expected an existing one; make it first, or give "
            "another path."
        )
    if target.exists() and not target.is_file():
        raise OSError(
            f"{path} is a device or a pipe, which must not be replaced: expected the name of a file to write."
        )
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}{PARTIAL}")
    _unfinished.add(partial)
    try:
        yield partial
        _to_disk(partial)
        with suppress(FileNotFoundError):  # a file that is replaced keeps its permissions
            partial.chmod(target.stat().st_mode & 0o777)
        partial.replace(target)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and (error.filename == str(partial) or error.errno in DISK_IS_FULL):
            error.filename = str(path)  # the name that the user knows
        raise
    finally:
        _unfinished.discard(partial)
    _to_disk(target.parent)


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a binary file to write; when the block succeeds, it replaces `path` (see `atomic_path`)."""
    with atomic_path(path) as partial, partial.open("xb") as file:
        yield file


def write_atomically(path: str | os.PathLike[str], contents: bytes | str) -> None:
    """Write a file completely or not at all (see `atomic_path`); text is written as UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_atomically(file, "all of it")
    >>> file.read_text()
    'all of it'
    """
    with atomic_file(path) as file:
        file.write(contents.encode() if isinstance(contents, str) else contents)


def remove_partials(path: str | os.PathLike[str]) -> None:
    """Remove hidden files of processes that were killed while they wrote `path`; no process may be writing it now."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        return
    for file in target.parent.iterdir():
        if file.name.startswith(f".{target.name}.") and file.name.endswith(PARTIAL):
            file.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, have reached the disk."""
    if path.is_dir() and os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
