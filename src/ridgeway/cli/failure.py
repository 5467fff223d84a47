"""Messages and exit codes of errors: those caused by data, models, disks or users, and bugs of ridgeway."""

from __future__ import annotations

import dis
import errno
from types import TracebackType

EXIT_WRONG_INPUT = 1
EXIT_BUG = 70  # EX_SOFTWARE of sysexits.h
EXIT_INTERRUPTED = 130
PACKAGE = __name__.partition(".")[0]
RAISE = dis.opmap["RAISE_VARARGS"]

REMEDIES = {
    errno.ENOSPC: "no space is left on the disk; free some or write elsewhere. Existing files are unchanged.",
    errno.EDQUOT: "the disk quota is used up; free some space or write elsewhere. Existing files are unchanged.",
    errno.EACCES: "no permission; change its mode or owner, or give another path.",
    errno.EPERM: "no permission; change its mode or owner, or give another path.",
    errno.EROFS: "the disk is read-only; give another path.",
    errno.ENOENT: "no such file or folder; check the path.",
    errno.ENOTDIR: "a part of the path is not a folder; check the path.",
    errno.EISDIR: "a folder where a file was expected; give the path of a file.",
}


class Interrupted(Exception):
    """Ctrl-C, with a message that says how to resume."""


def message_and_code(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit code of an error. An unexpected error is reported as a bug of ridgeway."""
    if isinstance(error, Interrupted):
        return f"Interrupted. {error}", EXIT_INTERRUPTED
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted: nothing was changed.", EXIT_INTERRUPTED
    if isinstance(error, OSError):
        return f"Error: {_of_system(error)}", EXIT_WRONG_INPUT
    if isinstance(error, MemoryError):
        return (
            "Error: not enough memory; lower the limit of a fit with --memory, or use fewer columns.",
            EXIT_WRONG_INPUT,
        )
    if is_our_message(error):
        return f"Error: {error}", EXIT_WRONG_INPUT
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return (
        f"Internal error: {said}\nThis is a bug of ridgeway, not a mistake in your command or data. Please report it, "
        "with what the same command prints with --debug.",
        EXIT_BUG,
    )


def is_our_message(error: BaseException) -> bool:
    """Return whether ridgeway wrote the message for the user: the class is ours, or a `raise` in our code.

    A ValueError that NumPy raises inside one of our calls, or that Python raises at one of our lines, is a bug: its
    message is not about what the user gave.
    """
    if type(error).__module__.partition(".")[0] == PACKAGE:
        return True
    if not isinstance(error, ValueError | TypeError | ArithmeticError | ImportError):
        return False
    place = _innermost(error.__traceback__)
    if place is None or place.tb_frame.f_globals.get("__name__", "").partition(".")[0] != PACKAGE:
        return False
    return place.tb_frame.f_code.co_code[place.tb_lasti] == RAISE


def _innermost(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _of_system(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename is not None else ""
    if error.errno in REMEDIES:
        return f"{place}{REMEDIES[error.errno]}"
    return f"{place}{error.strerror or error}"
