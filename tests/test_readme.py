"""What the README shows is run, and the commands it names exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

import ridgeway as rw

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


# Law: the Python of the README runs, and gives what its comments say.
def test_python() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["X"].shape == (327_346, 175)
    assert names["X"].dtype == np.float32
    assert names["coefs"].shape == (100, 175)
    exact = rw.ExactRidgePath(scale=False, fit_intercept=False).fit(names["X"], names["y"])
    ridge = exact.at(0.01).predict(names["X"])
    assert np.linalg.norm(names["X"] @ names["one"] - ridge) < 0.05 * np.linalg.norm(ridge)


# Law: every make target that the documents name is one.
def test_commands() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for document in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"(?:^|`)make (\w+)", (ROOT / document).read_text(), flags=re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
