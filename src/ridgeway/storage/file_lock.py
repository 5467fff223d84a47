"""`FileLock`: only one process at a time uses a file. The system releases the lock when the process ends."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MAX_HOLDER_BYTES = 200  # bytes of a lock file that a message shows


class FileInUseError(RuntimeError):
    """Another process uses the file; the message says which one, and what to do."""


class FileLock:
    """A lock on a path, held by a hidden file beside it (``.NAME.lock``).

    The lock belongs to the open file, not to its name: after ``kill -9`` the hidden file may remain, and the next
    process can lock it. Calls of `acquire` and `release` of one object can be nested.

    Parameters
    ----------
    path : the file to protect; it need not exist.
    purpose : what the file is, for messages.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "state"
    >>> one, other = FileLock(path, "checkpoint"), FileLock(path, "checkpoint")
    >>> one.acquire()
    >>> other.acquire()
    Traceback (most recent call last):
    ridgeway.storage.file_lock.FileInUseError: ...: another fit is using this checkpoint (process ...
    >>> one.release()
    >>> other.acquire(); other.release(); list(path.parent.iterdir())
    []
    """

    def __init__(self, path: str | os.PathLike[str], purpose: str) -> None:
        target = Path(os.path.realpath(path))
        self._named, self._purpose = path, purpose
        self._lock = target.with_name(f".{target.name}.lock")
        self._handle: int | None = None
        self._depth = 0

    def acquire(self) -> None:
        """Take the lock, or raise `FileInUseError` at once if another process holds it."""
        if self._depth == 0:
            self._handle = self._taken()
        self._depth += 1

    def release(self) -> None:
        """Release the lock when it was called as often as `acquire`."""
        self._depth -= 1
        if self._depth or self._handle is None:
            return
        if sys.platform != "win32":  # there, a name cannot be removed while it is open
            self._lock.unlink(missing_ok=True)
        os.close(self._handle)
        self._handle = None

    def _taken(self) -> int:
        while True:
            handle = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _lock(handle)
                if _is_named(handle, self._lock):
                    os.ftruncate(handle, 0)
                    os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode())
                    return handle
            except BlockingIOError:
                holder = os.read(handle, MAX_HOLDER_BYTES).decode(errors="replace")
                os.close(handle)
                raise FileInUseError(
                    f"{self._named}: another fit is using this {self._purpose} ({holder or 'just begun'}): expected "
                    f"one fit at a time; wait until it has ended, or give another {self._purpose} file."
                ) from None
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # its holder removed the name in between: take the new file


def _lock(handle: int) -> None:
    """Lock an open file, or raise BlockingIOError."""
    if sys.platform == "win32":
        try:
            os.lseek(handle, MAX_HOLDER_BYTES, os.SEEK_SET)  # a locked byte cannot be read there
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
        except OSError as error:
            raise BlockingIOError(str(error)) from None
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_named(handle: int, path: Path) -> bool:
    """Return whether the open file still has this name."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
