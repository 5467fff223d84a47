"""Files in object stores (s3, gs) and on web servers (http, https)."""

from __future__ import annotations

import base64
import fnmatch
import http.client
import os
import posixpath
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ridgeway.data.address import shown, with_user
from ridgeway.data.arrow import pa, pq
from ridgeway.data.data_error import DataError
from ridgeway.data.external.base_table import ExternalTable
from ridgeway.data.external.extra import load_extra
from ridgeway.data.external.spill import SpillFolder, naming_source
from ridgeway.data.files import KNOWN_FORMATS, named_format
from ridgeway.data.schema import require_columns
from ridgeway.version import __version__

DOWNLOAD_CHUNK_BYTES = 1 << 20
TIMEOUT_SECONDS = 60.0  # without an answer of a web server or of Google's store
TEXT_TYPES = ("text/csv", "text/plain", "text/tab-separated-values")
FORMAT_OF_TYPE = {"application/vnd.apache.parquet": ".parquet", "application/vnd.apache.arrow.file": ".arrow"}
STORE_REMEDY = "check the address, your credentials and the network, and start again."
WEB_REMEDY = "check the address and the network, and start again."


class StoredFiles(ExternalTable):
    """A file, the files below a folder, or a pattern of files in an object store.

    The needed columns of Parquet files are copied row group by row group; other files are copied whole.

    Parameters
    ----------
    address : such as ``s3://bucket/folder/*.parquet``. Credentials come from where the store's own programs find them.
    """

    def __init__(self, address: str) -> None:
        self.name = shown(address)
        self._address = address
        self._found: tuple[Any, list[str]] | None = None
        self._folders: dict[tuple[str, ...] | None, SpillFolder] = {}

    def schema(self) -> Any:
        """Return the Arrow schema of the first Parquet file; None for other formats."""
        with naming_source(self.name, STORE_REMEDY):
            store, paths = self._files()
            if named_format(Path(paths[0])) != "parquet":
                return None
            with store.open_input_file(paths[0]) as file:
                return pq.read_schema(file)

    def local(self, columns: Sequence[str] | None) -> Path:
        """Copy the files, or the columns of Parquet files, to a temporary folder."""
        with naming_source(self.name, STORE_REMEDY):
            store, paths = self._files()
            projected = columns is not None and all(named_format(Path(path)) == "parquet" for path in paths)
            key = tuple(columns) if columns is not None and projected else None
            if key not in self._folders:
                folder = SpillFolder(self.name)
                base = posixpath.commonpath([posixpath.dirname(path) for path in paths])
                for path in paths:
                    target = _place(folder.path, path, base, self.name)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    if key is None:
                        _copy(store, path, target, folder)
                    else:
                        _copy_columns(store, path, target, folder, key, self.name)
                self._folders[key] = folder
        place = self._folders[key].path
        return next(place.iterdir()) if len(paths) == 1 else place

    def _files(self) -> tuple[Any, list[str]]:
        """Return the file system and the paths of the files in it, by name."""
        if self._found is None:
            fs = load_extra("pyarrow.fs", "pyarrow", "cloud", "An object store")
            plain, pattern = _without_pattern(self._address)
            store, root = fs.FileSystem.from_uri(_with_limit(plain))
            info = store.get_file_info(root)
            if pattern is None and info.type == fs.FileType.File:
                paths = [root]
            elif info.type == fs.FileType.NotFound and pattern is None:
                raise DataError(f"{self.name}: no such file or folder: expected one; check the address.")
            else:
                below = store.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True))
                paths = sorted(entry.path for entry in below if entry.type == fs.FileType.File)
                paths = [path for path in paths if _is_wanted(posixpath.relpath(path, root), pattern)]
            if not paths:
                raise DataError(f"{self.name}: no file to read: expected {KNOWN_FORMATS}; check the address.")
            self._found = store, paths
        return self._found


class WebFile(ExternalTable):
    """A file on a web server.

    Parameters
    ----------
    address : ``https://host/file.csv``.
    """

    def __init__(self, address: str) -> None:
        self.name = shown(address)
        self._address = address
        self._folder: SpillFolder | None = None

    def schema(self) -> None:
        """Return None: the file must be copied first."""

    def local(self, columns: Sequence[str] | None) -> Path:
        """Copy the file to a temporary folder."""
        if self._folder is None:
            folder = SpillFolder(self.name)
            with naming_source(self.name, WEB_REMEDY), _opened(self._address) as answer:
                length = answer.headers["Content-Length"]
                size = 0
                with (folder.path / _file_name(self._address, answer.headers)).open("wb") as file:
                    while chunk := answer.read(DOWNLOAD_CHUNK_BYTES):
                        folder.hold(len(chunk))
                        file.write(chunk)
                        size += len(chunk)
                if length is not None and size != int(length):
                    raise http.client.HTTPException(f"the connection ended after {size:,} of {int(length):,} bytes")
            self._folder = folder
        return next(self._folder.path.iterdir())


@contextmanager
def _opened(address: str) -> Iterator[Any]:
    """Open an address; a user and password in it become a header."""
    plain, user = with_user(address)
    headers = {"User-Agent": f"ridgeway/{__version__}"}
    if user is not None:
        headers["Authorization"] = "Basic " + base64.b64encode(user.encode()).decode()
    try:
        with urllib.request.urlopen(urllib.request.Request(plain, headers=headers), timeout=TIMEOUT_SECONDS) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        error.close()  # it holds the connection
        raise


def _file_name(address: str, headers: Any) -> str:
    """Return a local name whose ending tells the format."""
    name = re.sub(r"[^\w.-]", "_", unquote(posixpath.basename(urlsplit(address).path))).lstrip("._") or "download"
    if named_format(Path(name)) is not None:
        return name
    kind = headers.get_content_type()
    return name + (".csv" if kind in TEXT_TYPES else FORMAT_OF_TYPE.get(kind, ""))


def _without_pattern(address: str) -> tuple[str, str | None]:
    """Return the address of the folder above a pattern, and the pattern; None if there is none."""
    plain, mark, parameters = address.partition("?")
    if not re.search(r"[*\[]", plain):
        return address, None
    parts = plain.split("/")
    first = next(place for place, part in enumerate(parts) if re.search(r"[*\[]", part))
    return "/".join(parts[:first]) + mark + parameters, "/".join(parts[first:])


def _with_limit(address: str) -> str:
    """Return an address of Google's store with a limit of time, which is a quarter of an hour without one.

    Examples
    --------
    >>> _with_limit("gs://shop/sales.parquet")
    'gs://shop/sales.parquet?retry_limit_seconds=60'
    """
    if not address.startswith(("gs://", "gcs://")) or "retry_limit_seconds=" in address:
        return address
    return f"{address}{'&' if '?' in address else '?'}retry_limit_seconds={TIMEOUT_SECONDS:g}"


def _is_wanted(path: str, pattern: str | None) -> bool:
    if pattern is not None:
        return len(path.split("/")) == len(pattern.split("/")) and all(
            map(fnmatch.fnmatch, path.split("/"), pattern.split("/"))
        )
    return named_format(Path(path)) is not None and not any(part.startswith((".", "_")) for part in path.split("/"))


def _place(folder: Path, path: str, base: str, name: str) -> Path:
    """Return where the copy of an object belongs in a local folder; keys that lead out of it are refused."""
    target = Path(os.path.normpath(folder / posixpath.relpath(path, base)))
    if {".", ".."} & set(path.split("/")) or not target.is_relative_to(os.path.normpath(folder)):
        raise DataError(
            f"{name}: an object has the key {path!r}: expected keys without the parts '.' and '..', which could name a "
            "file outside of the folder of the copies; rename the object, or choose others by a pattern."
        )
    return target


def _copy(store: Any, path: str, target: Path, folder: SpillFolder) -> None:
    with store.open_input_stream(path) as source, target.open("wb") as file:
        while chunk := source.read(DOWNLOAD_CHUNK_BYTES):
            folder.hold(len(chunk))
            file.write(chunk)


def _copy_columns(
    store: Any, path: str, target: Path, folder: SpillFolder, columns: tuple[str, ...], name: str
) -> None:
    """Write some columns of a Parquet file; its row groups stay as they are, so its parts do."""
    with store.open_input_file(path) as source, pq.ParquetFile(source, pre_buffer=True) as file:
        require_columns(columns, file.schema_arrow.names, name)
        schema = pa.schema([file.schema_arrow.field(column) for column in columns], file.schema_arrow.metadata)
        with target.open("wb") as out, pq.ParquetWriter(out, schema) as writer:
            place = 0
            for group in range(file.metadata.num_row_groups):
                rows = file.read_row_group(group, columns=list(columns)).select(list(columns))
                writer.write_table(rows.cast(schema), row_group_size=max(rows.num_rows, 1))
                folder.hold(out.tell() - place)
                place = out.tell()
