"""Errors in words: what went wrong, the exit code, and how to go on."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Command

from ridgeway.cli.failure import Interrupted, explained
from ridgeway.cluster_error import ClusterError


# Law: what data, disks and users can cause is said in a line, with code 1, or 130 where the user has interrupted.
@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (Interrupted("Go on."), "Interrupted. Go on.", 130),
        (KeyboardInterrupt(), "Interrupted: nothing was changed.", 130),
        (MemoryError(), "Error: not enough memory; allow less of it", 1),
        (ValueError("alpha is negative"), "Error: alpha is negative", 1),
        (ClusterError("the scheduler is lost"), "Error: the scheduler is lost", 1),
        (OSError(errno.ENOSPC, "No space", "m"), "Error: m: no space is left on the disk", 1),
        (OSError(errno.EIO, "Input/output error", "m"), "Error: m: Input/output error", 1),
        (OSError("the pipe is closed"), "Error: the pipe is closed", 1),
    ],
    ids=str,
)
def test_explained(error: BaseException, message: str, code: int) -> None:
    said, got = explained(error)
    assert said.startswith(message)
    assert got == code


# Law: an error that nobody expects keeps its traceback.
def test_unexpected_errors_are_raised() -> None:
    with pytest.raises(KeyError, match="lost"):
        explained(KeyError("lost"))


# Law: Ctrl-C before anything is on the disk says that nothing was written, and how the fit could have gone on.
def test_interrupted_before_a_checkpoint(
    ridgeway: Command, shop_csv: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*given: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ridgeway.tables.fitting.TableEncoder.fit", interrupted)
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m")
    assert (said.code, said.out) == (130, "")
    assert "Nothing was written; with --checkpoint FILE" in said.err
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m", "--checkpoint", "c")
    assert said.code == 130
    assert "No checkpoint was written yet; begin anew by the same command" in said.err
    assert list(tmp_path.iterdir()) == []
