"""Options in a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.cli.command import Command

OPTIONS = (
    "--target", "price", "--alpha", "0.1", "--averaging", "geometric:0.1", "--drop", "day", "--kind", "size=number",
    "--seed", "7", "--passes", "2", "--log-target",
)  # fmt: skip


# Law: the options that one command writes give another the same model; none that was not given is set.
def test_round_trip(ridgeway: Command, shop_csv: Path) -> None:
    options = [option for option in OPTIONS if option not in ("--alpha", "0.1")]
    said = ridgeway("fit", shop_csv, *options, "--write-config", "c.toml")
    assert (said.code, "Nothing was fitted" in said.out) == (0, True), said.err
    written = tomllib.loads(Path("c.toml").read_text())
    assert written == {
        "data": str(shop_csv), "target": ["price"], "averaging": "geometric:0.1", "drop": ["day"],
        "kind": ["size=number"], "seed": 7, "passes": 2, "log-target": True,
    }  # fmt: skip
    assert ridgeway("fit", shop_csv, *options, "--model", "a.safetensors").code == 0
    assert ridgeway("fit", "--config", "c.toml", "--model", "b.safetensors").code == 0
    assert Path("a.safetensors").read_bytes() == Path("b.safetensors").read_bytes()


# Law: an option on the command line takes precedence over the file.
def test_precedence(ridgeway: Command, shop_csv: Path) -> None:
    Path("c.toml").write_text('target = "price"\nlog_target = true\n[kind]\nsize = "drop"\n')
    said = ridgeway("fit", shop_csv, "--config", "c.toml", "--kind", "day=drop", "--json")
    assert (said.code, '"target": "price"' in said.out) == (0, True), said.err


# Law: a wrong file is told with the key, what was found and what was expected, and nothing is fitted.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('tarjet = "price"', "there is no option 'tarjet': did you mean 'target'"),
        ('wholly_other = "x"', "there is no option 'wholly_other': expected one of data, query"),
        ("target = true", "target = true: expected a text, a number, or a list of texts"),
        ('log-target = "yes"', 'log-target = "yes": expected true or false'),
        ('memory = "much"', "'--memory': 'much' is not a valid integer"),
        ("seed = [1, 2]", "seed = [1, 2]: expected a text or a number"),
        ("seed = ", "not a TOML file"),
        ("checkpoint-every = 5", "--checkpoint-every needs a checkpoint"),
    ],
)
def test_errors(ridgeway: Command, shop_csv: Path, text: str, message: str) -> None:
    Path("c.toml").write_text(text)
    said = ridgeway("fit", shop_csv, "--config", "c.toml")
    assert (said.code, message in said.err) == (2, True), said.err


# Law: a file that is not there, and a name that is not one of a TOML file, are told.
def test_files(ridgeway: Command, shop_csv: Path) -> None:
    assert "nowhere.toml: no such file" in ridgeway("fit", "--config", "nowhere.toml").err
    said = ridgeway("fit", shop_csv, "--write-config", shop_csv)
    assert (said.code, "ends in .toml" in said.err) == (2, True)
    assert "Missing argument 'DATA'" in ridgeway("fit", "--target", "y").err
