"""The progress bar."""

from __future__ import annotations

import io

import pytest

from ridgeway.messages.progress import Progress, announce


def test_silent_unless_shown() -> None:
    stream = io.StringIO()
    progress = Progress(10, shown=False, stream=stream)
    progress.add(10)
    progress.close()
    assert progress.done == 10
    assert stream.getvalue() == ""


def test_shows_share_and_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.messages.progress.REDRAW_SECONDS", 0.0)
    stream = io.StringIO()
    progress = Progress(1000, shown=True, stream=stream)
    progress.add(500)
    assert " 50%" in stream.getvalue()
    assert "500 rows" in stream.getvalue()
    progress.close()  # a run that settled before its plan is done
    assert "100%" in stream.getvalue()


# Law: a bar without a known end says how much was done, and how fast.
def test_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.messages.progress.REDRAW_SECONDS", 0.0)
    stream = io.StringIO()
    progress = Progress(None, shown=True, stream=stream)
    progress.add(1234)
    assert stream.getvalue().startswith("\r1,234 rows, ")
    assert "%" not in stream.getvalue()
    progress.close()
    assert "100%" in stream.getvalue()


# Law: what is being done is said at once, and the next announcement or bar takes its place on the line.
def test_announcements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.messages.progress.REDRAW_SECONDS", 0.0)
    stream = io.StringIO()
    announce("Reading", shown=False, stream=stream)
    assert stream.getvalue() == ""
    announce("Reading", shown=True, stream=stream)
    assert stream.getvalue() == "\rReading ...\x1b[K"
    Progress(2, shown=True, stream=stream).add(1)
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[K")
