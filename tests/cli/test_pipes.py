"""Pipes: read where that is possible, refused otherwise, and never waited for without end."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pytest
from tests.cli.command import Command, Said

import ridgeway as rw
from ridgeway.cli.pipes import copy_of_pipe
from ridgeway.data import DataError, open_data

FIT = ["--target", "price", "--passes", 3]


def piped(folder: Path, given: bytes | None, *arguments: Any, stdin: Any = subprocess.PIPE) -> Said:
    """Call a command with these bytes on standard input."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ridgeway", *map(str, arguments)],
        cwd=folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, err = process.communicate(given, timeout=120)
    return Said(process.returncode, out.decode(), err.decode())


# Law: rows from standard input, by any of its names, zipped or not, make the model of the same rows in a file.
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(name: str, packed: bool, shop_csv: Path, shop_model: Path, tmp_path: Path) -> None:
    text = shop_csv.read_bytes()
    said = piped(tmp_path, gzip.compress(text) if packed else text, "fit", name, *FIT, "--model", "m")
    assert said.code == 0, said.err
    assert "stdin.csv" in said.out
    got, expected = rw.load(tmp_path / "m"), rw.load(shop_model)
    np.testing.assert_array_equal(got.predict(shop_csv), expected.predict(shop_csv))
    assert os.listdir(tmp_path) == ["m"]


# Law: standard input that is a file is that file, also when an output would overwrite it.
def test_redirected(shop_csv: Path, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_bytes(shop_csv.read_bytes())
    with (tmp_path / "d.csv").open("rb") as file:
        said = piped(tmp_path, None, "fit", "-", *FIT, "--model", "d.csv", stdin=file)
    assert said.code == 2
    assert "--model d.csv is the input DATA" in said.err
    with (tmp_path / "d.csv").open("rb") as file:
        assert piped(tmp_path, None, "fit", "-", *FIT, "--model", "m", stdin=file).code == 0
    assert (tmp_path / "d.csv").read_bytes() == shop_csv.read_bytes()


# Law: the shell's process substitution works for data and for models.
def test_process_substitution(shop_csv: Path, shop_model: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -m ridgeway predict <(cat {shop_model}) <(cat {shop_csv}) --out p.csv"
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, capture_output=True, timeout=120)
    predicted = pyarrow.csv.read_csv(tmp_path / "p.csv")["prediction"].to_numpy()
    np.testing.assert_allclose(predicted, rw.load(shop_model).predict(shop_csv), rtol=1e-7)  # float32


# Law: a named pipe is read when a program writes to it; errors call it by its name.
def test_named_pipe(ridgeway: Command, shop_csv: Path, tmp_path: Path) -> None:
    os.mkfifo("rows.csv")
    for target, code, words in (("price", 0, "rows.csv"), ("cost", 1, "rows.csv: there is no column 'cost'")):
        writer = threading.Thread(target=Path("rows.csv").write_bytes, args=(shop_csv.read_bytes(),))
        writer.start()
        said = ridgeway("fit", "rows.csv", "--target", target, "--passes", 1)
        writer.join()
        assert said.code == code
        assert words in said.out + said.err
        assert "/ridgeway-" not in said.err


# Law: a pipe that nobody writes to is given up, and one that holds nothing is empty.
def test_no_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "copy").mkdir()
    with pytest.raises(DataError, match=r"pipe: no program wrote to this pipe for 0\.1 seconds"):
        copy_of_pipe(str(tmp_path / "pipe"), tmp_path / "copy", patience=0.1)
    said = piped(tmp_path, b"", "fit", "-", *FIT)
    assert said.code == 1
    assert "-: the file is empty" in said.err


# Law: what cannot be read again, or has no end, is refused with exit code 2.
def test_refused(ridgeway: Command, tmp_path: Path) -> None:
    os.mkfifo("pipe")
    for options in (["--checkpoint", "c"], ["--workers", 1]):
        said = ridgeway("fit", "pipe", *FIT, *options)
        assert said.code == 2
        assert "pipe is a pipe, which can be read only once" in said.err
        assert str(options[0]) in said.err
    for device in ("/dev/zero", "/dev/null"):
        said = ridgeway("fit", device, *FIT)
        assert said.code == 2
        assert f"{device} is a socket or a device" in said.err
    said = piped(tmp_path, b"", "predict", "-", "-")
    assert said.code == 2
    assert "MODEL and DATA are the same pipe" in said.err
    assert os.listdir() == ["pipe"]


# Law: the library itself refuses a pipe at once.
def test_library(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="a pipe or a device, whose rows can be read only once: expected a file"):
        open_data(tmp_path / "pipe.csv")
    with pytest.raises(rw.ModelFileError, match="a pipe or a device: expected a model file"):
        rw.load(tmp_path / "pipe.csv")
