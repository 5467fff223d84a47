"""Options of the command line that say how a file is read."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import Command
from tests.tables.test_request import many_levels, odd_file

import ridgeway as rw
from ridgeway.data.kinds import KINDS


# Law: several targets are fitted, told, shown, reported and predicted; what was inferred about dates is told.
def test_several_targets(ridgeway: Command, tmp_path: Path) -> None:
    data = odd_file(tmp_path / "odd.csv")
    options = ("--target", "y", "--target", "z", "--drop", "id", "--null-values", "-999", "--passes", 2)
    said = ridgeway("fit", data, *options, "--model", "m.safetensors", "--report", "m.html")
    assert said.code == 0, said.err
    assert "predict 'y', 'z'" in said.out
    assert "Dates of 'date' are read day-first." in said.out
    assert rw.load(tmp_path / "m.safetensors").targets == ("y", "z")
    shown = ridgeway("show", "m.safetensors")
    assert "(z)" in shown.out
    assert json.loads(ridgeway("--json", "show", "m.safetensors").out)["target"] == ["y", "z"]
    assert "z" in (tmp_path / "m.html").read_text()
    assert ridgeway("report", "m.safetensors", "--out", "again.html").code == 0
    said = ridgeway("predict", "m.safetensors", data, "--out", "p.csv")
    assert "the last columns are 'prediction_y', 'prediction_z'" in said.out
    assert (tmp_path / "p.csv").read_text().splitlines()[0].endswith('"prediction_y","prediction_z"')


# Law: --levels sets how many levels of a category have features, and is written to and read from a file of options.
def test_levels(ridgeway: Command, tmp_path: Path) -> None:
    data = many_levels(tmp_path / "k.csv")
    for options, features in (((), 287), (("--levels", 300), 301)):
        said = ridgeway("fit", data, "--target", "y", *options, "--model", "m.safetensors")
        assert said.code == 0, said.err
        assert rw.load(tmp_path / "m.safetensors").encoder.n_features_out_ == features
    assert ridgeway("fit", data, "--target", "y", "--levels", 300, "--write-config", "c.toml").code == 0
    assert ridgeway("fit", "--config", "c.toml", "--model", "again.safetensors").code == 0
    assert (tmp_path / "m.safetensors").read_bytes() == (tmp_path / "again.safetensors").read_bytes()
    assert ridgeway("fit", data, "--target", "y", "--levels", 0).code == 2


# Law: the help names every kind; an unknown kind or column is refused before anything is read.
def test_kinds(ridgeway: Command, tmp_path: Path) -> None:
    help_text = ridgeway("fit", "--help").out
    assert [kind for kind in KINDS if kind not in help_text] == []
    data = odd_file(tmp_path / "odd.csv")
    said = ridgeway("fit", data, "--target", "y", "--kind", "id=words")
    assert said.code == 2
    assert "expected COLUMN=KIND" in said.err
    said = ridgeway("fit", data, "--target", "y", "--kind", "id=text", "--kind", "id=number")
    assert said.code == 2
    said = ridgeway("fit", data, "--target", "y", "--kind", "ids=text")
    assert said.code == 1
    assert "there is no column 'ids': did you mean 'id'?" in said.err
    said = ridgeway("--json", "fit", data, "--target", "y", "--kind", "id=text", "--passes", 1)
    assert said.code == 0, said.err
