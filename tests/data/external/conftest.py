"""Servers that the tests of this folder share, started when a test needs one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.servers import PostgreSQLServer, google_store, object_store, postgresql


@pytest.fixture(scope="session")
def database() -> Iterator[PostgreSQLServer]:
    with postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def store() -> Iterator[str]:
    with object_store() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def google() -> Iterator[str]:
    with google_store() as host:
        yield host
