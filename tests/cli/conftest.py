"""Fixtures of the command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.tables.shop import shop_table, write_csv

from ridgeway.tables import Request, fit_table


@pytest.fixture
def ridgeway(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Commands that are called in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return Command(capsys)


@pytest.fixture(scope="session")
def shop_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV file."""
    return write_csv(shop_table(), tmp_path_factory.mktemp("shop") / "shop.csv")


@pytest.fixture(scope="session")
def shop_model(tmp_path_factory: pytest.TempPathFactory, shop_csv: Path) -> Path:
    """A model of it."""
    file = tmp_path_factory.mktemp("model") / "shop.safetensors"
    fit_table(shop_csv, Request(target="price", passes=3)).save(file)
    return file


@pytest.fixture
def as_user(tmp_path: Path) -> None:
    """Skip where permissions do not matter."""
    closed = tmp_path / "closed.txt"
    closed.touch(mode=0)
    if os.access(closed, os.R_OK):
        pytest.skip("the superuser may read everything")
