"""Tests are seeded."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import settings

TESTS = Path(__file__).parent


# Law: every Hypothesis test takes its examples from the profile of all tests, which is seeded; none unseeds itself.
def test_one_seeded_profile() -> None:
    assert settings.default is not None
    assert settings.default.derandomize
    assert settings(max_examples=5).derandomize
    files = list(TESTS.rglob("*.py"))
    assert len(files) > 100
    for file in files:
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.keyword) and call.arg == "derandomize":
                assert isinstance(call.value, ast.Constant), file
                assert call.value.value is True, file


# Law: the profiles of single tests or folders would come between: there is one, in one place.
def test_one_place() -> None:
    loading = [file for file in TESTS.rglob("*.py") if "load_profile(" in file.read_text(encoding="utf-8")]
    assert [file for file in loading if file != Path(__file__)] == [TESTS / "conftest.py"]
