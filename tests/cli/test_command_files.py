"""The command line overwrites nothing by mistake: clashes of files are usage errors, found before anything is read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Command, Said, finish, start


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def unchanged(tmp_path: Path, shop_csv: Path, shop_model: Path) -> Iterator[None]:
    """Files that no refused command may change, nor put others beside them."""
    shutil.copy(shop_csv, tmp_path / "d.csv")
    shutil.copy(shop_model, tmp_path / "m")
    (tmp_path / "parts").mkdir()
    shutil.copy(shop_csv, tmp_path / "parts" / "a.csv")
    (tmp_path / "link.csv").symlink_to("d.csv")
    os.link(tmp_path / "d.csv", tmp_path / "twin.csv")
    before = contents(tmp_path)
    yield
    assert contents(tmp_path) == before


FIT = ["--target", "price", "--passes", 1]
CLASHES: dict[str, tuple[list[Any], list[str]]] = {
    "model over data": (["fit", "d.csv", *FIT, "--model", "d.csv"], ["--model d.csv", "DATA", "would overwrite it"]),
    "model over data, spelled otherwise": (["fit", "d.csv", *FIT, "--model", "./parts/../d.csv"], ["--model", "DATA"]),
    "report over data, by a link": (["fit", "d.csv", *FIT, "--report", "link.csv"], ["--report link.csv", "DATA"]),
    "data by a link": (["fit", "link.csv", *FIT, "--model", "d.csv"], ["--model d.csv", "DATA"]),
    "by a hard link": (["fit", "d.csv", *FIT, "--model", "twin.csv"], ["--model twin.csv", "DATA"]),
    "checkpoint over data": (["fit", "d.csv", *FIT, "--checkpoint", "d.csv"], ["--checkpoint d.csv", "DATA"]),
    "model and checkpoint": (["fit", "d.csv", *FIT, "--model", "x", "--checkpoint", "x"], ["--model and --checkpoint"]),
    "model and report": (["fit", "d.csv", *FIT, "--model", "x", "--report", "./x"], ["--model and --report"]),
    "model into the folder": (["fit", "parts", *FIT, "--model", "parts/b.csv"], ["--model", "read as data"]),
    "model over a part": (["fit", "parts", *FIT, "--model", "parts/a.csv"], ["--model", "read as data"]),
    "report among a pattern": (["fit", "parts/*.csv", *FIT, "--report", "parts/r.csv"], ["--report", "read as data"]),
    "predictions over data": (["predict", "m", "d.csv", "--out", "d.csv"], ["--out d.csv", "DATA"]),
    "predictions over the model": (["predict", "m", "d.csv", "--out", "m"], ["--out m", "MODEL"]),
    "predictions into the folder": (["predict", "m", "parts", "--out", "parts/p.csv"], ["--out", "read as data"]),
    "report over the model": (["report", "m", "--out", "m"], ["--out m", "MODEL"]),
    "evaluation over data": (["evaluate", "m", "d.csv", "--report", "link.csv"], ["--report link.csv", "DATA"]),
    "evaluation over the model": (["evaluate", "m", "d.csv", "--report", "m"], ["--report m", "MODEL"]),
    "export over the model": (["export", "m", "--onnx", "m"], ["--onnx m", "MODEL"]),
    "model to a device": (["fit", "d.csv", *FIT, "--model", "/dev/null"], ["--model /dev/null", "pipe or a device"]),
    "report to standard output": (["report", "m", "--out", "/dev/null"], ["--out", "pipe or a device"]),
    "demo to a device": (["demo", "--out", "/dev/null"], ["--out", "pipe or a device"]),
}


def assert_refused(said: Said, *words: str) -> None:
    assert (said.code, said.out) == (2, "")
    assert "Traceback" not in said.err
    for word in words:
        assert word in said.err


# Law: an output that is an input, another output, or would be read as data is refused with exit code 2.
@pytest.mark.parametrize("name", CLASHES)
def test_clashes(name: str, ridgeway: Command) -> None:
    arguments, words = CLASHES[name]
    assert_refused(ridgeway(*arguments), *words)


# Law: an output to a pipe is refused at once: nobody reads it, and no file can take its place.
def test_output_pipe(ridgeway: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for arguments in (["fit", "d.csv", *FIT, "--model", "pipe"], ["predict", "m", "d.csv", "--out", "pipe"]):
        assert_refused(ridgeway(*arguments), "pipe is a pipe or a device", "expected the path of a file")


# Law: clashes are found before data are read: data that cannot be read are refused for the clash.
def test_before_reading(ridgeway: Command) -> None:
    assert_refused(ridgeway("fit", "missing.csv", *FIT, "--model", "x", "--report", "x"), "--model and --report")
    assert_refused(ridgeway("predict", "missing", "missing.csv", "--out", "missing.csv"), "--out missing.csv", "DATA")


# Law: options that a fit on a cluster would ignore are refused, and so is one without its checkpoint.
def test_ignored_options(ridgeway: Command) -> None:
    cluster = ["fit", "d.csv", *FIT, "--workers", 1]
    assert_refused(ridgeway(*cluster, "--memory", 100), "--memory has no effect on a cluster")
    assert_refused(
        ridgeway(*cluster, "--checkpoint", "c", "--checkpoint-every", 10),
        "--checkpoint-every has no effect on a cluster",
    )
    assert_refused(ridgeway("fit", "d.csv", *FIT, "--checkpoint-every", 10), "--checkpoint-every needs a checkpoint")


# Law: predictions to /dev/stdout are predictions to standard output.
def test_standard_output(shop_csv: Path, shop_model: Path, tmp_path: Path) -> None:
    said = finish(start("predict", shop_model, shop_csv, "--out", "/dev/stdout", folder=tmp_path))
    assert said == finish(start("predict", shop_model, shop_csv, folder=tmp_path))
    assert said.code == 0
