"""Ctrl-C at a chosen line: KeyboardInterrupt when the library has come to its k-th line of Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import ridgeway
from ridgeway.atomic import atomic

LIBRARY = str(Path(ridgeway.__file__).parent)
COMMIT = atomic.__code__.co_filename  # interrupts come before or after its last two lines, never between them


def interrupted(call: Callable[[], Any], line: int) -> bool:
    """Make a call and interrupt it at its `line`-th line in the library; return whether it got as far as that.

    Parameters
    ----------
    call : what to do.
    line : counted from 1, over all files of the library.
    """
    left = line

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(LIBRARY) or frame.f_code.co_filename == COMMIT:
            return trace if event == "call" and frame.f_code.co_filename == COMMIT else None
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
