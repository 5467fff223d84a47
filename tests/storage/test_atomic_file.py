"""Atomic writes: the new file or the old one, and nothing beside them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ridgeway.storage.atomic_file import atomic_path, remove_partials, write_atomically


# Law: a write that fails, whenever it does, leaves the old contents and no other file.
@pytest.mark.parametrize("written", [b"", b"half of it"])
def test_failure_leaves_the_old_file(written: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_atomically(file, "old")

    def interrupted() -> None:
        with atomic_path(file) as partial:
            partial.write_bytes(written)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


# Law: a file whose name is that of a hidden file is a file like any other: it is written completely or not at all.
def test_names_like_hidden_files(tmp_path: Path) -> None:
    file = tmp_path / ".x.partial"
    write_atomically(file, "old")

    def interrupted() -> None:
        with atomic_path(file) as partial:
            write_atomically(partial, "half of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == [file.name]
    write_atomically(file, "new")
    assert file.read_text() == "new"


# Law: several files are put into place together: when one fails, none is.
def test_files_together(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"

    def write(fails: bool) -> None:
        with atomic_path(one) as first, atomic_path(other) as second:
            write_atomically(first, "1")
            assert sorted(os.listdir(tmp_path)) == [first.name]
            write_atomically(second, "2")
            if fails:
                raise OSError(28, "full")

    with pytest.raises(OSError, match="full"):
        write(fails=True)
    assert os.listdir(tmp_path) == []
    write(fails=False)
    assert (one.read_text(), other.read_text()) == ("1", "2")
    assert sorted(os.listdir(tmp_path)) == ["one", "other"]


# Law: an error names the file that was asked for, and the folder that is not there.
def test_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing.file: there is no folder .*: expected"):
        write_atomically(tmp_path / "missing" / "file", "new")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_atomically(tmp_path, "new")


# Law: permissions of a file that is replaced stay, and links are followed.
def test_permissions_and_links(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


# Law: what killed processes left is removed, and nothing else is.
def test_remove_partials(tmp_path: Path) -> None:
    for name in (".file.0123abcd.partial", ".other.0123abcd.partial", "file", ".file"):
        (tmp_path / name).touch()
    remove_partials(tmp_path / "file")
    assert sorted(os.listdir(tmp_path)) == [".file", ".other.0123abcd.partial", "file"]


# Law: what is no ordinary file, a pipe or a device such as /dev/null, is not replaced.
def test_pipes_and_devices_are_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="is a device or a pipe"):
        write_atomically(pipe, "text")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


# Law: what was left beside a file is removed, and nothing happens where there is no folder.
def test_partials_of_no_folder(tmp_path: Path) -> None:
    remove_partials(tmp_path / "nowhere" / "file")
    assert list(tmp_path.iterdir()) == []
