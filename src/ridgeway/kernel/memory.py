"""Memory: whether a request fits into what the machine has."""

from __future__ import annotations

import os

MB = 2**20


def available() -> float:
    """Bytes of memory that can be had now; unlimited where the system does not say."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) + _reclaimable()
    except (ValueError, OSError, AttributeError):
        return float("inf")


def require_memory(needed: float, what: str, remedy: str) -> None:
    """Refuse what would not fit.

    Parameters
    ----------
    needed : bytes.
    what : what they are for, in words.
    remedy : what to do instead.
    """
    there = available()
    if needed > there:
        raise MemoryError(f"{what} need {needed / MB:,.0f} MB, and {there / MB:,.0f} MB are available: {remedy}.")


def _reclaimable() -> float:
    """Bytes of file caches, which the system gives up when needed (Linux)."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            facts = dict(line.split(":", 1) for line in file)
        return 1024.0 * int(facts["Cached"].split()[0])
    except (OSError, KeyError, ValueError):
        return 0.0
