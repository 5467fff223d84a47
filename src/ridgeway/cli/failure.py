"""What went wrong, in words: every error that data, models, disks or users can cause, with its exit code."""

from __future__ import annotations

import errno

WRONG = 1
INTERRUPTED = 130

REMEDIES = {
    errno.ENOSPC: "no space is left on the disk; free some or write elsewhere. What was there before is unchanged.",
    errno.EDQUOT: "the disk quota is used up; free some space or write elsewhere. What was there before is unchanged.",
    errno.EACCES: "no permission; change its mode or owner, or name another place.",
    errno.EPERM: "no permission; change its mode or owner, or name another place.",
    errno.EROFS: "the disk is read-only; name another place.",
    errno.ENOENT: "no such file or folder; check the path.",
    errno.ENOTDIR: "a part of the path is no folder; check the path.",
    errno.EISDIR: "a folder where a file was expected; name a file.",
}


class Interrupted(Exception):
    """Ctrl-C, and how to go on."""


def explained(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit code of an error; one that nobody expects is raised again, with its traceback."""
    if isinstance(error, Interrupted):
        return f"Interrupted. {error}", INTERRUPTED
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted: nothing was changed.", INTERRUPTED
    if isinstance(error, OSError):
        return f"Error: {_of_system(error)}", WRONG
    if isinstance(error, MemoryError):
        return "Error: not enough memory; allow less of it (fit --memory), or use fewer columns.", WRONG
    if isinstance(error, ValueError | TypeError | ArithmeticError | ImportError):
        return f"Error: {error}", WRONG
    raise error


def _of_system(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename is not None else ""
    if error.errno in REMEDIES:
        return f"{place}{REMEDIES[error.errno]}"
    return f"{place}{error.strerror or error}"
