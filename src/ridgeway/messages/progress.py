"""A progress bar on standard error: rows done, rows per second, time left. Silent unless asked for."""

from __future__ import annotations

import sys
import time
from typing import TextIO

BAR_CHARACTERS = 30
CLEAR_REST = "\x1b[K"  # of the line, which held an announcement
REDRAW_SECONDS = 0.1  # time between two drawings of the bar


def announce(doing: str, shown: bool, stream: TextIO | None = None) -> None:
    """Show what is being done, until the next announcement or bar takes its place.

    Parameters
    ----------
    doing : such as "Learning the columns".
    shown : whether to say it.
    stream : where to; None for standard error.

    Examples
    --------
    >>> announce("Reading sales.csv", shown=False)
    """
    if shown:
        out = stream if stream is not None else sys.stderr
        out.write(f"\r{doing} ...{CLEAR_REST}")
        out.flush()


def clear_announcement(shown: bool, stream: TextIO | None = None) -> None:
    """Clear the line of an announcement, before other text is printed; see `announce`."""
    if shown:
        out = stream if stream is not None else sys.stderr
        out.write(f"\r{CLEAR_REST}")
        out.flush()


class Progress:
    """Counts rows towards a total, which may be unknown, and draws a bar when `shown`.

    The base install draws it itself: no library for bars is among its dependencies.

    Examples
    --------
    >>> progress = Progress(100, shown=False)
    >>> progress.add(40); progress.done
    40
    """

    def __init__(
        self, total: int | None, shown: bool, label: str = "rows", stream: TextIO | None = None, done: int = 0
    ) -> None:
        self.total, self.done = total, done
        self._before = done  # rows that an earlier process has done
        self._shown, self._label = shown, label
        self._stream = stream if stream is not None else sys.stderr
        self._begun = self._drawn = time.monotonic()

    def add(self, rows: int) -> None:
        """Count rows."""
        self.done += rows
        if self._shown and time.monotonic() - self._drawn >= REDRAW_SECONDS:
            self._draw()

    def extend(self, rows: int) -> None:
        """Raise the total."""
        self.total = None if self.total is None else self.total + rows

    def restart(self, total: int | None) -> None:
        """Count from 0 again, towards another total."""
        self.total, self.done, self._before, self._begun = total, 0, 0, time.monotonic()

    def close(self) -> None:
        """Draw the bar a last time and end its line."""
        if self._shown:
            self.total = self.done  # a run may settle before
            self._draw()
            self._stream.write("\n")
            self._stream.flush()
            self._shown = False

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        seconds = max(self._drawn - self._begun, 1e-9)
        rate = (self.done - self._before) / seconds
        speed = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
        said = f"{self.done:,} {self._label}, {speed}/s, {seconds:.1f} s"
        if self.total is None:
            self._stream.write(f"\r{said}  {CLEAR_REST}")
        else:
            share = min(self.done / max(self.total, 1), 1.0)
            left = max(self.total - self.done, 0) / rate if rate else 0.0
            bar = ("#" * round(BAR_CHARACTERS * share)).ljust(BAR_CHARACTERS)
            self._stream.write(f"\r[{bar}] {share:4.0%}  {said}, {left:.1f} s left  {CLEAR_REST}")
        self._stream.flush()
