"""Chromium for the tests that look at a report as a reader does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium without a window, or a skip that says what is missing.

    Its event loop runs until it is closed, and other tests of the same process start loops of their own.
    """
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium found, so reports were not opened: apt-get install chromium, or set CHROMIUM")
    sync_api = pytest.importorskip("playwright.sync_api")
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()
