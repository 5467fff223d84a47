"""What a path, a folder or a pattern stands for."""

from __future__ import annotations

from pathlib import Path

from ridgeway.data.files import reads


# Law: a folder reads the files of known formats in it and below, a pattern those that match, also ones not there yet.
def test_reads(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    folder, deep = str(tmp_path), str(tmp_path / "deep")
    assert reads(folder, f"{deep}/new.csv")
    assert not reads(folder, f"{deep}/new.html")
    assert not reads(folder, f"{deep}/.new.csv")
    assert not reads(deep, f"{folder}/new.csv")
    assert reads(f"{folder}/**/*.csv", f"{deep}/new.csv")
    assert reads(f"{folder}/**/*.csv", f"{folder}/new.csv")
    assert not reads(f"{folder}/*.csv", f"{deep}/new.csv")
    assert not reads(f"{folder}/*.csv", f"{folder}/.new.csv")
    (tmp_path / "link").symlink_to("deep")
    assert reads(f"{folder}/link", f"{deep}/new.csv")
    assert reads(f"{deep}/*.csv", f"{folder}/link/new.csv")
