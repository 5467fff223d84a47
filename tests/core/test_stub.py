"""The types of the compiled core are those of the module that was built."""

from __future__ import annotations

import re
from pathlib import Path

from nanobind.stubgen import StubGen

import ridgeway
from ridgeway import _core

STUB = Path(ridgeway.__file__).with_name("_core.pyi")


# Law: the committed stub names every function and class of the module, with its arguments (`make stub` writes it).
def test_stub_is_current() -> None:
    generator = StubGen(_core)
    generator.put(_core)

    def words(text: str) -> list[str]:  # whatever the formatter makes of lines, quotes and commas
        return re.findall(r"\w+", text)

    assert words(generator.get()) == words(STUB.read_text(encoding="utf-8"))
