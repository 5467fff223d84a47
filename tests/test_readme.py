"""What the README shows is run, and the commands it names exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ridgeway as rw

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


# Law: the Python of the README runs, and prints what the README says.
def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    printed = README[README.index(code) :].split("```")[2].strip("\n")
    names: dict[str, Any] = {}
    exec(code, names)
    assert capsys.readouterr().out.strip("\n") == printed
    assert names["stronger"].alpha_ == 0.1
    assert names["path"].coefs.shape == (3, 175)
    exact = rw.ExactRidgePath().fit(names["flights"].X, names["flights"].y).at(0.1)
    ours, ridge = (m.predict(names["flights"].X) - names["flights"].y.mean() for m in (names["stronger"], exact))
    assert np.linalg.norm(ours - ridge) < 0.1 * np.linalg.norm(ridge)


# Law: every make target that the documents name is one.
def test_commands() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for document in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"(?:^|`)make ([\w-]+)", (ROOT / document).read_text(), flags=re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
