"""Bad input, by name: a message that says what was found, where, and what to do; exit code 1; old outputs stay."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.command import Command, Said
from tests.tables.shop import shop_table, write_csv, write_parquet

ROWS = "a,b,y\n" + "".join(f"{i},{'uvw'[i % 3]},{i * 2.5}\n" for i in range(50))


@pytest.fixture(autouse=True)
def outputs(tmp_path: Path) -> Iterator[None]:
    """Outputs of earlier runs, which must be the same afterwards, without any other file beside them."""
    names = ("m.safetensors", "r.html", "p.csv")
    for name in names:
        (tmp_path / name).write_text(f"an earlier {name}")
    yield
    for name in names:
        assert (tmp_path / name).read_text() == f"an earlier {name}"
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".partial")]


def fit(ridgeway: Command, data: object, *options: object) -> Said:
    return ridgeway("fit", data, "--target", "y", "--model", "m.safetensors", *options)


def assert_refused(said: Said, *words: str) -> None:
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("Error: ")
    assert "Traceback" not in said.err
    for word in words:
        assert word in said.err


TEXTS: dict[str, tuple[str | bytes, list[str]]] = {
    "target missing": ("a,b,z\n1,2,3\n", ["t.csv", "no column 'y'", "its columns are 'a', 'b', 'z'"]),
    "target spelled otherwise": ("a,Y\n1,2\n", ["no column 'y'", "did you mean 'Y'?"]),
    "target is text": ("a,y\n" + "1,low\n2,high\n" * 9, ["t.csv", "target column 'y' is of kind 'category'", "'low'"]),
    "all targets missing": ("a,y\n1,\n2,NA\n3,\n", ["t.csv", "none of the 3 rows has a target", "'y'"]),
    "empty": ("", ["t.csv", "empty"]),
    "header only": ("a,y\n", ["t.csv", "no rows"]),
    "only the target": ("y\n1\n2\n", ["t.csv", "no column is left"]),
    "nothing but constants": ("a,y\n" + "1,2\n1,3\n" * 9, ["t.csv", "no usable column"]),
    "numbers and text mixed": (
        "a,y\n" + "".join(f"{i},{i}\n" for i in range(500)) + "oops,1\n", ["t.csv", "'a'", "oops"]
    ),
    "ragged": ("a,b,y\n1,2,3\n4,5\n" * 9, ["t.csv", "3"]),
    "not UTF-8": (b"a,b,y\n1,caf\xe9,2\n2,t\xe9,3\n" * 9, ["t.csv", "UTF-8"]),
    "infinite target": ("a,y\n1,2\n2,inf\n3,1\n", ["t.csv", "'y' holds infinity"]),
    "two columns of one name": ("a,a,y\n1,2,3\n", ["t.csv", "two columns are named 'a'"]),
}  # fmt: skip


# Law: a file that cannot be learned from is refused for what it is.
@pytest.mark.parametrize("name", TEXTS)
def test_files(name: str, ridgeway: Command) -> None:
    text, words = TEXTS[name]
    Path("t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert_refused(fit(ridgeway, "t.csv"), *words)


# Law: the same for files that are not what their names say, damaged, or not there.
def test_other_files(ridgeway: Command) -> None:
    assert_refused(fit(ridgeway, "missing.csv"), "missing.csv: no such file", "check the path")
    assert_refused(fit(ridgeway, "*.parquet"), "no file matches")
    Path("t.parquet").write_text(ROWS)
    assert_refused(fit(ridgeway, "t.parquet"), "t.parquet", "damaged, or its ending is wrong")
    write_parquet(shop_table(), Path("t.parquet"))
    whole = Path("t.parquet").read_bytes()
    Path("t.parquet").write_bytes(whole[: len(whole) // 2])
    assert_refused(fit(ridgeway, "t.parquet"), "t.parquet", "damaged")
    zipped = gzip.compress(write_csv(shop_table(), Path("t.csv")).read_bytes())
    Path("t.csv.gz").write_bytes(zipped[: len(zipped) // 2])
    assert_refused(ridgeway("fit", "t.csv.gz", "--target", "price", "--model", "m.safetensors"), "t.csv.gz")
    Path("empty").mkdir()
    assert_refused(fit(ridgeway, "empty"), "no file to read")


# Law: options that do not fit the data say so.
def test_options(ridgeway: Command) -> None:
    Path("t.csv").write_text(ROWS)
    assert_refused(fit(ridgeway, "t.csv", "--drop", "c"), "no column 'c'")
    assert_refused(fit(ridgeway, "t.csv", "--weight", "b"), "weight column 'b' is of kind 'category'")
    assert_refused(fit(ridgeway, "t.csv", "--log-target"), "'y' holds 0", "above 0")
    assert_refused(fit(ridgeway, "t.csv", "--alpha", "-1"), "alpha=-1.0 is negative")
    assert_refused(fit(ridgeway, "t.csv", "--averaging", "tail", "--alpha", "1"), "alpha=1.0 has no meaning")
    assert_refused(fit(ridgeway, "t.csv", "--cv", "1"), "at least 2 folds")
    assert_refused(
        fit(ridgeway, "t.csv", "--solver", "sgd", "--cv", "5", "--memory", "0"), "cv=5 needs all rows in memory"
    )
    assert_refused(ridgeway("fit", "t.csv", "--model", "m.safetensors"), "no target")


# Law: predictions of rows that do not fit the model are refused by the names of the columns.
def test_predictions(ridgeway: Command, shop_model: Path) -> None:
    table = shop_table(20)
    write_csv(table.drop_columns(["shop"]), Path("few.csv"))
    assert_refused(ridgeway("predict", shop_model, "few.csv", "--out", "p.csv"), "few.csv", "no column 'shop'")
    write_csv(table.drop_columns(["shop", "day"]), Path("few.csv"))
    assert_refused(ridgeway("predict", shop_model, "few.csv", "--out", "p.csv"), "few.csv", "'shop', 'day'")
    write_csv(table.set_column(0, "size", pa.array(["big"] * 20)), Path("text.csv"))
    assert_refused(ridgeway("predict", shop_model, "text.csv", "--out", "p.csv"), "text.csv", "'size'")
    many = shop_table(200)
    sizes = [str(value) for value in np.random.default_rng(0).uniform(1, 3, 200)]
    write_csv(many.set_column(0, "size", pa.array([None, *sizes[1:150], "big", *sizes[151:]])), Path("mixed.csv"))
    for command in ("predict", "evaluate"):
        said = ridgeway(command, shop_model, "mixed.csv")
        row = "mixed.csv: column 'size' holds the text 'big' (row 151 below the header)"
        assert_refused(said, row, "expected numbers, as in the fit; correct the value or leave it empty.")
        assert "--" not in said.err
    assert_refused(ridgeway("predict", shop_model, "missing.csv", "--out", "p.csv"), "missing.csv")
    assert_refused(ridgeway("predict", "missing", "few.csv", "--out", "p.csv"), "missing: no such file")
    assert_refused(ridgeway("predict", "few.csv", "few.csv", "--out", "p.csv"), "few.csv", "not a model file")
    assert_refused(ridgeway("predict", shop_model, "few.csv", "--out", "p.xls"), "p.xls: unknown format")
    Path("broken").write_bytes(shop_model.read_bytes()[:-9])
    assert_refused(ridgeway("show", "broken"), "broken: damaged")


# Law: places that cannot be written to are found before the work begins.
def test_places(ridgeway: Command, shop_model: Path, shop_csv: Path) -> None:
    assert_refused(
        ridgeway("fit", shop_csv, "--target", "price", "--model", "no/m"), "--model no/m: there is no folder no"
    )
    assert_refused(
        ridgeway("predict", shop_model, shop_csv, "--out", "no/p.csv"),
        "--out no/p.csv: there is no folder no: create it (mkdir) or choose another path.",
    )
    assert_refused(ridgeway("report", shop_model, "--out", "no/r.html"), "--out no/r.html: there is no folder no")
    assert_refused(ridgeway("evaluate", shop_model, shop_csv, "--report", "no/r.html"), "--report no/r.html: there is")
    Path("link").symlink_to("no/elsewhere")
    assert_refused(ridgeway("fit", shop_csv, "--target", "price", "--model", "link"), "/no: create it (mkdir)")
    Path("folder").mkdir()
    assert_refused(ridgeway("export", shop_model, "--onnx", "folder"), "folder: a folder where a file was expected")


# Law: files and folders without permission are named.
def test_permissions(ridgeway: Command, as_user: None, shop_csv: Path) -> None:
    Path("t.csv").write_text(ROWS)
    Path("t.csv").chmod(0)
    assert_refused(fit(ridgeway, "t.csv"), "t.csv: no permission to read it")
    Path("closed").mkdir(mode=0o500)
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "closed/m")
    assert_refused(
        said, "--model closed/m: no permission to write to", "closed: choose another path, or change the mode"
    )
    Path("t.toml").write_text('target = "price"')
    Path("t.toml").chmod(0)
    said = ridgeway("fit", shop_csv, "--config", "t.toml")
    assert said.code == 2
    assert "Permission denied: expected a readable .toml file" in " ".join(said.err.split())


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB, nearly full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = [shutil.which("mount") or "false", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a disk of its own needs the right to mount one")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


# Law: a full disk leaves what was there, and no part of what was to be.
def test_full_disk(
    ridgeway: Command, full_disk: Path, shop_csv: Path, shop_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ridgeway.tables.batch_learner.FIRST_BATCH_ROWS", 1)
    for name in ("m.safetensors", "p.parquet", "p.csv", "c"):
        (full_disk / name).write_text(f"an earlier {name}")
    full = "no space is left on the disk"
    said = ridgeway("fit", shop_csv, "--target", "price", "--passes", 1, "--model", full_disk / "m.safetensors")
    assert_refused(said, "m.safetensors", full)
    for name in ("p.parquet", "p.csv"):
        assert_refused(ridgeway("predict", shop_model, shop_csv, "--out", full_disk / name), name, full)
    (full_disk / "c").unlink()
    options = ["--memory", 0, "--checkpoint", full_disk / "c", "--checkpoint-every", 1]
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m.safetensors", *options)
    assert_refused(said, f"{full_disk}/c", full)
    assert sorted(os.listdir(full_disk)) == ["m.safetensors", "p.csv", "p.parquet"]
    for name in ("m.safetensors", "p.parquet", "p.csv"):
        assert (full_disk / name).read_text() == f"an earlier {name}"
