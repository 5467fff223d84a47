"""What commands import before they answer: a mistake in a path is told at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("matplotlib", "pandas", "pyarrow", "scipy", "sklearn")
CODE = f"""
import json, sys
from ridgeway.cli.commands import run
code = run(sys.argv[1:])
print(json.dumps([code, [name for name in {HEAVY} if name in sys.modules]]))
"""


def answer(folder: Path, arguments: str) -> tuple[int, list[str], str]:
    """Run a command in a fresh interpreter; return its exit code, the heavy imports, and what it said of errors."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments.split()], cwd=folder, capture_output=True, text=True, check=True
    )
    code, heavy = json.loads(done.stdout.splitlines()[-1])
    return code, heavy, done.stderr


# Law: a file that is not there, a model that is none, or outputs that clash are told before anything heavy is imported.
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("fit nosuch.csv --target y --model m.safetensors", 1, "nosuch.csv: no such file"),
        ("fit nosuch.csv --target y --report r.html --cv 5 --alpha 0.1", 1, "nosuch.csv: no such file"),
        ("fit nosuch*.csv --target y", 1, "no file matches the pattern"),
        ("fit sheet.xlsx --target y", 1, "an Excel workbook"),
        ("fit rows.csv --target y --model rows.csv", 2, "would overwrite it"),
        ("fit rows.csv --target y --model a --report a", 2, "are the same file"),
        ("fit rows.csv --target y --model nowhere/m.safetensors", 1, "there is no folder nowhere"),
        ("predict nosuch rows.csv", 1, "nosuch: no such file"),
        ("predict model nosuch.csv", 1, "nosuch.csv: no such file"),
        ("predict rows.csv rows.csv --out p.csv", 1, "rows.csv: damaged, or not a model file"),
        ("predict rows.csv rows.csv", 1, "expected a file of save or of ridgeway fit --model; give that file"),
        ("predict model model", 1, "model: a model file: expected a table; give the model first"),
        ("show nosuch", 1, "nosuch: no such file"),
        ("show rows.csv", 1, "rows.csv: damaged, or not a model file"),
        ("report nosuch --out r.html", 1, "nosuch: no such file"),
        ("export nosuch --onnx m.onnx", 1, "nosuch: no such file"),
    ],
)
def test_mistakes_are_told_at_once(tmp_path: Path, arguments: str, code: int, said: str) -> None:
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n3,4\n")
    (tmp_path / "sheet.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / "model").write_bytes((2).to_bytes(8, "little") + b"{}")
    got, heavy, errors = answer(tmp_path, arguments)
    assert (got, heavy) == (code, [])
    assert said in errors


# Law: help and version come without anything heavy.
@pytest.mark.parametrize("arguments", ["--help", "--version", "fit --help", "predict --help", "show --help"])
def test_help_comes_at_once(tmp_path: Path, arguments: str) -> None:
    assert answer(tmp_path, arguments)[:2] == (0, [])
