"""Checkpoints: written when it is time, read by the fit they are of, and by no other."""

from __future__ import annotations

from pathlib import Path

import pytest

import ridgeway as rw
from ridgeway.storage.checkpoint import Checkpoint, CheckpointError
from ridgeway.storage.file_lock import FileInUseError
from ridgeway.storage.model_file import read_state, write_state


# Law: a fit that counts rows is written after every so many of them, whatever the clock says.
def test_written_by_rows(tmp_path: Path) -> None:
    file, written = tmp_path / "c", list[int]()
    checkpoint, done = Checkpoint(file, every=100, seconds=0.0), list[int]()
    assert checkpoint.begin("checkpoint", {"data": 1}) is None
    checkpoint.follow("done", lambda: sum(done))
    for _ in range(10):
        done.append(40)
        checkpoint.tick(40)
        written.append(read_state(file, "checkpoint").integer("done") if file.exists() else 0)
    assert written == [0, 0, 120, 120, 120, 240, 240, 240, 360, 360]


# Law: a fit that does not count rows is written by the clock.
@pytest.mark.parametrize("seconds", [0.0, 1000.0])
def test_written_by_seconds(tmp_path: Path, seconds: float) -> None:
    checkpoint = Checkpoint(tmp_path / "c", every=1, seconds=seconds)
    checkpoint.begin("checkpoint", {})
    checkpoint.tick()
    assert (tmp_path / "c").exists() == (seconds == 0)


# Law: a part is made once; the next fit finds it, and what was followed, as they were written.
def test_parts_and_followed(tmp_path: Path) -> None:
    first = Checkpoint(tmp_path / "c")
    first.begin("checkpoint", {"data": 1}, version=3)
    assert first.follow("looks", lambda: [1, 2]) is None
    assert first.part("settings", lambda: {"seed": 5}).integer("seed") == 5
    again = Checkpoint(tmp_path / "c")
    assert again.begin("checkpoint", {"data": 1}, version=3) is not None
    assert again.follow("looks", lambda: []) == [1, 2]
    assert again.part("settings", lambda: pytest.fail("made again")).integer("seed") == 5
    again.done()
    assert list(tmp_path.iterdir()) == []


# Law: without a path nothing is written, and parts are made.
def test_without_a_path(tmp_path: Path) -> None:
    with Checkpoint(None, every=1) as checkpoint:
        assert checkpoint.begin("checkpoint", {"data": 1}) is None
        assert checkpoint.part("settings", lambda: {"seed": 5}).integer("seed") == 5
        checkpoint.tick(10)
        checkpoint.done()


# Law: a checkpoint of another fit, of another version or of another kind is refused and stays as it was.
def test_refused(tmp_path: Path) -> None:
    file = tmp_path / "c"
    write_state(file, {"version": 2, "data": {"rows": 3}}, "checkpoint")
    kept = file.read_bytes()
    with pytest.raises(CheckpointError, match=r"of another fit, with other data \(rows is 4, and was 3\)"):
        Checkpoint(file).begin("checkpoint", {"data": {"rows": 4}}, version=2)
    with pytest.raises(CheckpointError, match="of another version of ridgeway"):
        Checkpoint(file).begin("checkpoint", {"data": {"rows": 3}}, version=1)
    with pytest.raises(rw.ModelFileError, match="a checkpoint file of ridgeway: expected a dask checkpoint file"):
        Checkpoint(file).begin("dask checkpoint", {"data": {"rows": 3}}, version=2)
    with pytest.raises(rw.ModelFileError, match=r"that ridgeway writes: options is missing;.* delete it"):
        Checkpoint(file).begin("checkpoint", {"options": {}}, version=2)
    assert file.read_bytes() == kept


# Law: a checkpoint needs a folder, and one process at a time.
def test_folder_and_lock(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="create it first"):
        Checkpoint(tmp_path / "nowhere" / "c")
    with Checkpoint(tmp_path / "c"), pytest.raises(FileInUseError), Checkpoint(tmp_path / "c"):
        pytest.fail("two at a time")
