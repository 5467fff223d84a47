"""Completion in shells, by the protocol that shells speak."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def completions(folder: Path, line: str, shell: str = "bash") -> list[str]:
    """Return what a shell is offered for the last word of a line, each with its kind."""
    words = line.split(" ")
    settings = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    if shell == "fish":
        settings["COMP_CWORD"] = words[-1]
    environment = {**os.environ, "_RIDGEWAY_COMPLETE": f"{shell}_complete", **settings}
    said = subprocess.run(
        [sys.executable, "-m", "ridgeway"], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert said.stderr == ""
    return said.stdout.split()


# Law: commands, options, files, folders and the columns of the data are offered.
def test_bash(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("size,shop,price\n1,a,2\n2,b,4\n")
    assert {"plain,fit", "plain,predict", "plain,paper"} <= set(completions(tmp_path, "ridgeway "))
    assert completions(tmp_path, "ridgeway pre") == ["plain,predict"]
    assert completions(tmp_path, "ridgeway fit t.csv --tar") == ["plain,--target"]
    assert completions(tmp_path, "ridgeway fit t") == ["file,t"]
    assert completions(tmp_path, "ridgeway fit t.csv --model m") == ["file,m"]
    assert completions(tmp_path, "ridgeway paper --out p") == ["dir,p"]
    assert completions(tmp_path, "ridgeway fit t.csv --target ") == ["plain,size", "plain,shop", "plain,price"]
    assert completions(tmp_path, "ridgeway fit t.csv --target price --drop s") == ["plain,size", "plain,shop"]


# Law: data that cannot be read at once offer no columns, and no error.
def test_no_columns(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "t.svm").write_text("1 3:4\n")
    (tmp_path / "broken.parquet").write_text("PAR1")
    for name in ("pipe.csv", "t.svm", "broken.parquet", "missing.csv"):
        assert completions(tmp_path, f"ridgeway fit {name} --target ") == []


# Law: zsh and fish are answered in their own forms, and every shell gets its script.
def test_other_shells(tmp_path: Path) -> None:
    assert "paper" in completions(tmp_path, "ridgeway pap", "zsh")
    assert completions(tmp_path, "ridgeway pap", "fish")[0].startswith("plain,paper")
    for shell in ("zsh", "fish"):
        environment = {**os.environ, "_RIDGEWAY_COMPLETE": f"{shell}_source"}
        said = subprocess.run(
            [sys.executable, "-m", "ridgeway"], env=environment, capture_output=True, text=True, check=True
        ).stdout
        assert "_RIDGEWAY_COMPLETE" in said


# Law: the script of bash works in bash.
def test_bash_script(tmp_path: Path) -> None:
    (tmp_path / "ridgeway").write_text(f'#!/bin/sh\nexec {sys.executable} -m ridgeway "$@"\n')
    (tmp_path / "ridgeway").chmod(0o755)
    script = (
        'eval "$(_RIDGEWAY_COMPLETE=bash_source ridgeway)"; COMP_WORDS=(ridgeway pre); COMP_CWORD=1; '
        '_ridgeway_completion ridgeway; echo "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    said = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    if "not supported" in said.stderr:
        pytest.skip("this bash is too old")
    assert said.stdout.strip() == "predict"
