"""Errors in words: what went wrong, the exit code, and how to go on."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.command import Command

import ridgeway as rw
from ridgeway.averaging import scheme_of
from ridgeway.cli.failure import EXIT_BUG, Interrupted, message_and_code
from ridgeway.dask.cluster_error import ClusterError
from ridgeway.data import DataError
from ridgeway.theory import residual_filter
from ridgeway.validation.scalars import ridge_strength


# Law: what data, disks and users can cause is said in a line, with code 1, or 130 where the user has interrupted.
@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (Interrupted("Go on."), "Interrupted. Go on.", 130),
        (KeyboardInterrupt(), "Interrupted: nothing was changed.", 130),
        (MemoryError(), "Error: not enough memory; lower the limit of a fit with --memory", 1),
        (DataError("t.csv: empty"), "Error: t.csv: empty", 1),
        (ClusterError("the scheduler is lost"), "Error: the scheduler is lost", 1),
        (OSError(errno.ENOSPC, "No space", "m"), "Error: m: no space is left on the disk", 1),
        (OSError(errno.EIO, "Input/output error", "m"), "Error: m: Input/output error", 1),
        (OSError("the pipe is closed"), "Error: the pipe is closed", 1),
    ],
    ids=str,
)
def test_explained(error: BaseException, message: str, code: int) -> None:
    said, got = message_and_code(error)
    assert said.startswith(message)
    assert got == code


NOTHING: Any = None


def raised(call: Callable[[], Any]) -> BaseException:
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


# Law: a ValueError that we raise is told as it is; one that others, or Python itself, raise below us is our bug.
@pytest.mark.parametrize(
    "call",
    [
        lambda: np.zeros(2) + np.zeros(3),
        lambda: np.linalg.cholesky(-np.eye(2)),
        lambda: dict[str, int]()["lost"],
        lambda: scheme_of(NOTHING),  # an AttributeError at a line of ours
        lambda: residual_filter(rw.Uniform(), "eigenvalues", 0.1, 10),  # a ValueError of NumPy, called by us
    ],
)
def test_bugs_are_ours(call: Callable[[], Any]) -> None:
    error = raised(call)
    message, code = message_and_code(error)
    assert code == EXIT_BUG == 70
    assert message.startswith(f"Internal error: {type(error).__name__}: ")
    assert "a bug of ridgeway" in message
    assert "--debug" in message
    said, code = message_and_code(raised(lambda: ridge_strength(-1)))
    assert said.startswith("Error: alpha=-1.0 is negative")
    assert code == 1


# Law: an internal error ends with 70 and blames nobody; --debug shows its traceback, before or after the command.
def test_debug(ridgeway: Command, shop_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **options: Any) -> None:
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("ridgeway.tables.learned_encoder.TableEncoder.fit", broken)
    fit = ["fit", shop_csv, "--target", "price"]
    said = ridgeway(*fit)
    assert said.code == 70
    assert said.err.startswith("Internal error: ValueError: operands could not be broadcast together\n")
    assert "Traceback" not in said.err
    for arguments in (["--debug", *fit], [*fit, "--debug"]):
        said = ridgeway(*arguments)
        assert said.code == 70
        assert "Traceback (most recent call last)" in said.err
        assert "in broken" in said.err
    said = ridgeway("--debug", "show", "missing")
    assert said.code == 1
    assert "Traceback" in said.err


# Law: Ctrl-C before anything is on the disk says that nothing was written, and how the fit could have gone on.
def test_interrupted_before_a_checkpoint(
    ridgeway: Command, shop_csv: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*given: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ridgeway.tables.learned_encoder.TableEncoder.fit", interrupted)
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m")
    assert (said.code, said.out) == (130, "")
    assert "Nothing was written. Add --checkpoint FILE" in said.err
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m", "--checkpoint", "c")
    assert said.code == 130
    assert (
        "No checkpoint was written: no rows were learned yet, or they all fit in memory. Start again with" in said.err
    )
    assert list(tmp_path.iterdir()) == []


# Law: Ctrl-C long before a checkpoint is due writes one, and the same command resumes to the same model.
def test_interrupted_while_learning(
    ridgeway: Command, shop_csv: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = ["fit", shop_csv, "--target", "price", "--memory", 0, "--passes", 2, "--checkpoint", "c"]
    monkeypatch.setattr("ridgeway.data.source.MAX_BATCH_ROWS", 300)
    monkeypatch.setattr("ridgeway.tables.batch_learner.FIRST_BATCH_ROWS", 600)
    assert ridgeway(*given, "--model", "whole").code == 0
    original, calls = rw.AveragedSGDRegressor.partial_fit, 0

    def interrupted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(rw.AveragedSGDRegressor, "partial_fit", interrupted)
        said = ridgeway(*given, "--model", "m")
    assert said.code == 130
    assert "The checkpoint is in c. Resume with the same command" in said.err
    assert "Resuming from c." in ridgeway(*given, "--model", "m").out
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


# Law: a fit of rows that fit in memory says that it wrote no checkpoint.
def test_checkpoint_of_rows_in_memory(ridgeway: Command, shop_csv: Path, tmp_path: Path) -> None:
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m", "--checkpoint", "c")
    assert "No checkpoint was written: the rows fit in memory" in said.out
    assert not (tmp_path / "c").exists()
