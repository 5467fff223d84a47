"""Real servers on loopback for tests: PostgreSQL, stores that speak S3 and Google's protocol, a web server.

A test that needs a server which is not installed is skipped with the reason. With RIDGEWAY_REQUIRE_SERVERS=1, as in
.ci/run, it fails.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn

import pytest

PASSWORD = "correct-horse-17"
USER = "tester"
START_SECONDS = 60.0


def unavailable(reason: str) -> NoReturn:
    """Skip a test, or fail where servers are required."""
    if os.environ.get("RIDGEWAY_REQUIRE_SERVERS"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass(frozen=True)
class PostgreSQLServer:
    """A running server with an empty database `shop`."""

    port: int

    @property
    def address(self) -> str:
        """The address, with user and password."""
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/shop"

    def run(self, *statements: str) -> None:
        """Run statements."""
        dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
        with dbapi.connect(self.address, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def load(self, name: str, table: Any) -> None:
        """Make a table of an Arrow table."""
        dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
        with dbapi.connect(self.address) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="replace")
            connection.commit()


@contextmanager
def postgresql() -> Iterator[PostgreSQLServer]:
    """Start a PostgreSQL server of its own, and stop it at the end."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    named = shutil.which("pg_ctl")
    if not found and named is None:
        unavailable("PostgreSQL is not installed (Debian: apt-get install postgresql).")
    binaries = found[-1].parent if found else Path(str(named)).parent
    as_owner: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="ridgeway-pg-", dir="/tmp"))
    try:
        if os.geteuid() == 0:  # the server refuses to run as root
            as_owner = ["runuser", "-u", "postgres", "--"]
            shutil.chown(folder, "postgres")
        (folder / "password").write_text(PASSWORD)
        (folder / "password").chmod(0o644)
        port = free_port()

        def call(program: str, *arguments: str) -> None:
            command = [*as_owner, str(binaries / program), *arguments]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, cwd=folder)

        data = str(folder / "data")
        secret = f"--pwfile={folder / 'password'}"
        call("initdb", "-D", data, "-A", "scram-sha-256", secret, "-U", USER, "-E", "UTF8", "--no-sync")
        settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        call("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
            first = f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port}/postgres"
            with dbapi.connect(first, autocommit=True) as connection, connection.cursor() as cursor:
                cursor.execute("CREATE DATABASE shop")
            yield PostgreSQLServer(port)
        finally:
            call("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def object_store() -> Iterator[str]:
    """Start an S3 server with an empty bucket `shop`, and yield its endpoint."""
    program = shutil.which("moto_server", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    if program is None:
        unavailable("moto's S3 server is not installed (pip install 'moto[s3]' flask flask-cors).")
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        _await(f"{endpoint}/moto-api/")
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/shop", method="PUT")).close()
        yield endpoint
    finally:
        server.terminate()
        server.wait()


@contextmanager
def google_store() -> Iterator[str]:
    """Start an emulator of Google's object store with an empty bucket `shop`, and yield its host and port."""
    if importlib.util.find_spec("gcp_storage_emulator") is None:
        unavailable("the emulator of Google's store is not installed (pip install gcp-storage-emulator).")
    host = f"127.0.0.1:{free_port()}"
    start = ["start", "--host=127.0.0.1", f"--port={host.rpartition(':')[2]}", "--in-memory", "--default-bucket=shop"]
    server = subprocess.Popen([sys.executable, "-m", "gcp_storage_emulator", *start], stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        _await(f"http://{host}/storage/v1/b/shop")
        yield host
    finally:
        server.terminate()
        server.wait()


@contextmanager
def web_server(folder: Path, handler: type[SimpleHTTPRequestHandler] | None = None) -> Iterator[str]:
    """Serve the files of a folder, and yield the address."""
    made = partial(handler or _Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), made) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def free_port() -> int:
    """Return a port that no program listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await(address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
