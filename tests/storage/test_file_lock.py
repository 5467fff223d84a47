"""A lock on a file: one process at a time, released by the system however the process ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ridgeway.storage.file_lock import FileInUseError, FileLock

HOLD = """
import sys, time
from ridgeway.storage.file_lock import FileLock
FileLock(sys.argv[1], "checkpoint").acquire()
print("held", flush=True)
time.sleep(60)
"""


# Law: a lock is refused to others while it is held, names its holder, and nests within one object.
def test_held(tmp_path: Path) -> None:
    lock, other = FileLock(tmp_path / "c", "checkpoint"), FileLock(tmp_path / "c", "checkpoint")
    lock.acquire()
    lock.acquire()
    lock.release()
    with pytest.raises(FileInUseError, match=rf"c: another fit is using this checkpoint \(process {os.getpid()} on "):
        other.acquire()
    FileLock(tmp_path / "d", "checkpoint").acquire()  # another file is free
    lock.release()
    other.acquire()
    other.release()
    assert [name for name in os.listdir(tmp_path) if "c" in name.split(".")] == []


# Law: the lock of a process that was killed is free, and its file is taken over.
def test_killed(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path / "c"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    lock = FileLock(tmp_path / "c", "checkpoint")
    with pytest.raises(FileInUseError, match=f"process {process.pid} on "):
        lock.acquire()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert os.listdir(tmp_path) == [".c.lock"]
    lock.acquire()
    lock.release()
    assert os.listdir(tmp_path) == []


# Law: two names of one file, by a link, have one lock.
def test_links(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "c")
    lock = FileLock(tmp_path / "c", "checkpoint")
    lock.acquire()
    with pytest.raises(FileInUseError):
        FileLock(tmp_path / "link", "checkpoint").acquire()
    lock.release()
