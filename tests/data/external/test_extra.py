"""Sources whose packages are not installed: the message names the extra."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ridgeway.data import external_table


# Law: a source without its package says which extra installs it.
@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("postgresql://host/db", "adbc_driver_postgresql", "sql"),
        ("a.duckdb", "duckdb", "sql"),
        ("a.sqlite", "adbc_driver_sqlite", "sql"),
        ("a.xlsx", "python_calamine", "excel"),
    ],
)
def test_missing(name: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.duckdb").touch()
    Path("a.sqlite").touch()
    Path("a.xlsx").touch()
    for loaded in [known for known in sys.modules if known.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=rf"not installed: pip install 'ridgeway\[{extra}\]'"):
        external_table(name)
