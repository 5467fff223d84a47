"""Fits that are killed or interrupted: the same command goes on, and ends with the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.command import finish, start
from tests.tables.shop import write_parquet

ROWS = 300_000
MOMENTS = int(os.environ.get("RIDGEWAY_KILLED_FITS", "2"))  # 30 in a long run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{i}": rng.standard_normal(ROWS) for i in range(6)}
    columns["shop"] = rng.choice(["north", "east", "south"], ROWS)
    columns["y"] = sum(columns[f"x{i}"] for i in range(6)) + rng.standard_normal(ROWS)
    return write_parquet(pa.table(columns), tmp_path_factory.mktemp("data") / "t.parquet")


def fit(data: Path, folder: Path, *more: Any) -> subprocess.Popen[str]:
    return start("fit", data, "--target", "y", "--passes", 2, "--memory", 0, "--model", "m", *more, folder=folder)


CHECKPOINT = ["--checkpoint", "c", "--checkpoint-every", 60_000]


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The model of a fit that nothing interrupts."""
    folder = tmp_path_factory.mktemp("whole")
    assert finish(fit(data, folder, *CHECKPOINT)).code == 0
    assert os.listdir(folder) == ["m"]
    return (folder / "m").read_bytes()


def begun_write(folder: Path) -> str | None:
    """The hidden file that is being written; None between two writes."""
    return next((name for name in os.listdir(folder) if name.endswith(".partial")), None)


def last_write(folder: Path) -> int | None:
    """When the checkpoint was written last; None before the first time."""
    with suppress(FileNotFoundError):
        return (folder / "c").stat().st_mtime_ns
    return None


# Law: killed at any moment, also while a checkpoint is being written, the same command ends with the same model.
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_killed(moment: int, data: Path, whole: bytes, tmp_path: Path) -> None:
    rng = np.random.default_rng(moment)
    process = fit(data, tmp_path, *CHECKPOINT)
    event = begun_write if moment % 2 == 0 else last_write
    writes, wanted = 0, int(rng.integers(1, 9))
    seen: str | int | None = None
    while process.poll() is None:
        now = event(tmp_path)
        writes += now is not None and now != seen
        if writes == wanted:
            break
        seen = now
        time.sleep(0.0002)
    process.send_signal(signal.SIGKILL)
    finish(process)
    for name in os.listdir(tmp_path):
        assert name in ("m", "c", ".c.lock") or name.endswith(".partial")
    said = finish(fit(data, tmp_path, *CHECKPOINT))
    assert said.code == 0, said.err
    assert (tmp_path / "m").read_bytes() == whole
    assert os.listdir(tmp_path) == ["m"]


# Law: Ctrl-C ends with a word on how to go on, and going on ends with the same model.
def test_interrupted(data: Path, whole: bytes, tmp_path: Path) -> None:
    process = fit(data, tmp_path, *CHECKPOINT)
    while not (tmp_path / "c").exists():
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    said = finish(process)
    assert said.code == 130
    assert "Interrupted. The checkpoint is in c. Resume with the same command:\n  ridgeway fit " in said.err
    assert "Traceback" not in said.err
    assert os.listdir(tmp_path) == ["c"]
    said = finish(fit(data, tmp_path, *CHECKPOINT))
    assert "Resuming from c." in said.out
    assert (tmp_path / "m").read_bytes() == whole


# Law: while a fit uses a checkpoint, a second one with the same checkpoint is refused, and the first ends undisturbed.
def test_two_fits_on_one_checkpoint(data: Path, whole: bytes, tmp_path: Path) -> None:
    process = fit(data, tmp_path, *CHECKPOINT)
    while not (tmp_path / "c").exists():
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGSTOP)
    try:
        said = finish(fit(data, tmp_path, *CHECKPOINT, "--model", "n"))
    finally:
        process.send_signal(signal.SIGCONT)
    assert said.code == 1
    assert f"c: another fit is using this checkpoint (process {process.pid} on " in said.err
    assert finish(process).code == 0
    assert (tmp_path / "m").read_bytes() == whole
    assert os.listdir(tmp_path) == ["m"]


# Law: the checkpoint goes last: when the model cannot be written it stays, and the same command goes on from it.
def test_checkpoint_goes_last(data: Path, whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    given = [*CHECKPOINT, "--model", "out/m"]
    process = fit(data, tmp_path, *given)
    while not (tmp_path / "c").exists():
        assert process.poll() is None
        time.sleep(0.005)
    (tmp_path / "out").rename(tmp_path / "moved")
    assert finish(process).code == 1
    assert (tmp_path / "c").exists()
    (tmp_path / "moved").rename(tmp_path / "out")
    said = finish(fit(data, tmp_path, *given))
    assert "Resuming from c." in said.out
    assert (tmp_path / "out" / "m").read_bytes() == whole
    assert os.listdir(tmp_path) == ["out"]
