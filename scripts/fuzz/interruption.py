"""Ctrl-C at a chosen line: KeyboardInterrupt when the library executes its k-th line of Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import ridgeway

LIBRARY = str(Path(ridgeway.__file__).parent)
# Python delivers no interrupt between the last lines of a commit or before a lock is released, but a trace would.
UNINTERRUPTED = ("atomic.py", "blas.py")


def interrupted(call: Callable[[], Any], line: int) -> bool:
    """Call a function and interrupt it at its `line`-th line in the library; return whether it reached that line.

    Parameters
    ----------
    call : what to do.
    line : counted from 1, over all files of the library.
    """
    left = line

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        file = frame.f_code.co_filename
        if not file.startswith(LIBRARY) or Path(file).name in UNINTERRUPTED:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False
