"""Memory that this process can still use: that of the machine, or of its container if that has less."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MB = 2**20
UNKNOWN_BYTES = 2**30  # assumed for a default where the system does not say what is available
DEFAULT_SHARE = 1 / 4  # share of the available memory for rows: a fit holds up to two more copies of them


def available_memory(root: Path = Path("/")) -> int | None:
    """Return the bytes that can be used now without swapping, or None if the system does not report it.

    Linux: ``MemAvailable``, or what the limits of the control groups (versions 1 and 2) leave if that is less.
    Windows: the free physical memory. macOS: all physical memory, because the standard library cannot tell what is
    free.

    Parameters
    ----------
    root : the folder that holds ``proc`` and ``sys``.
    """
    free = _linux(root)
    if free is None:
        free = _windows() if sys.platform == "win32" else _physical()
    known = [*([] if free is None else [free]), *_left_in_groups(root)]
    return max(0, min(known)) if known else None


def default_memory() -> int:
    """Return the default limit, in bytes, of rows held in memory: a quarter of what is available."""
    free = available_memory()
    return int(DEFAULT_SHARE * (UNKNOWN_BYTES if free is None else free))


def require_memory(needed: float, what: str, remedy: str) -> None:
    """Raise an error if this many bytes are not available.

    Parameters
    ----------
    needed : bytes.
    what : what they are for, in words.
    remedy : what to do instead.
    """
    there = available_memory()
    if there is not None and needed > there:
        raise MemoryError(f"{what} need {needed / MB:,.0f} MB, and {there / MB:,.0f} MB are available: {remedy}.")


def _linux(root: Path) -> int | None:
    for line in _text(root / "proc" / "meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return 1024 * int(value.split()[0])
    return None


def _left_in_groups(root: Path) -> Iterator[int]:
    """Yield the bytes left under the limit of each control group of this process; caches of files count as free."""
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        number, controllers, group = line.split(":", 2)
        if number == "0" and controllers == "":
            mount, limit, usage, cache = root / "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            mount, limit = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
            usage, cache = "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        here = PurePosixPath(group.lstrip("/"))
        for part in (here, *here.parents):  # the limits of all parents hold, too
            most, used = _number(mount / part / limit), _number(mount / part / usage)
            if most is not None and used is not None:
                yield most - used + _entry(mount / part / "memory.stat", cache)


def _windows() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *((name, ctypes.c_uint64) for name in ("total", "free", "page", "free_page", "virtual", "free_virtual")),
            ("extended", ctypes.c_uint64),
        ]

    status = Status()
    status.length = ctypes.sizeof(Status)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - not there on other systems
    return int(status.free) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _physical() -> int | None:
    try:
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is no such file, or if it says "max"."""
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _entry(path: Path, name: str) -> int:
    """Return the number of a name in a file of names and numbers; 0 if the name is missing."""
    for line in _text(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.strip().isdigit():
            return int(value)
    return 0
