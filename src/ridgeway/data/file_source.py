"""`FileSource`: what all sources of files share: fingerprints, the columns to read, and batches across files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, Self

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError
from ridgeway.data.files import FileMark
from ridgeway.data.pandas_index import index_columns
from ridgeway.data.part import Part
from ridgeway.data.schema import Column, Schema, kind_of, require_columns, require_distinct, type_name
from ridgeway.data.source import Source, regroup


class FileSource(Source):
    """Tables in one or more files that are read one after the other.

    Parameters
    ----------
    paths : the files in the order to read them.
    columns : names of the columns to read, None for all.
    index : whether to read the index of pandas as columns.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str] | None, index: bool = False) -> None:
        self.paths = list(paths)
        self.index_names: list[str] = []  # columns of the pandas index in the first file, if it is left out
        self._index = index
        self.name = str(paths[0]) if len(paths) == 1 else f"{paths[0].parent} ({len(paths)} files)"
        self.columns = None if columns is None else list(columns)
        self._marks = [FileMark.of(path) for path in paths]
        self._rows: list[int | None] = [None] * len(paths)  # rows of each file, if known

    def fingerprint(self) -> dict[str, Any]:
        """Return names, sizes, times of change and hashes of the ends of the files, and which columns are read.

        Temporary files are known by their content.
        """
        if self.origin is not None:
            return {"origin": self.origin.name, "content": self.origin.content(self.paths), "columns": self.columns}
        return {"files": [mark.as_dict() for mark in self._marks], "columns": self.columns}

    @property
    def marks(self) -> list[FileMark]:
        """Fingerprints of the files."""
        return self._marks

    def alone(self, number: int) -> Self:
        """Return the source of one of the files."""
        other = copy(self)
        other.paths, other._marks, other._rows = [self.paths[number]], [self._marks[number]], [self._rows[number]]
        other.name = str(other.paths[0])
        return other

    def only(self, columns: Sequence[str]) -> Self:
        """Return the source of some columns of the same files, which are not opened again."""
        other = copy(self)
        other.columns = list(columns)
        if self.schema is not None:
            kinds = self.schema.kinds
            other.schema = Schema(tuple(Column(name, kinds[name]) for name in columns))
        return other

    def pieces(self) -> Iterator[Any]:
        """Yield all rows in record batches of any size; there may be none."""
        return self._pieces(0)

    def parts(self, most_rows: int) -> list[Part]:
        """Return the parts of all files."""
        return [part for number in range(len(self.paths)) for part in self._parts_of_file(number, most_rows)]

    def _parts_of_file(self, number: int, most_rows: int) -> list[Part]:
        return [self._part(number, partial(self._read, number, 0), self._rows[number])]

    def _part(self, number: int, read: Callable[[], Iterator[Any]], n_rows: int | None = None) -> Part:
        """Return a part of a file; reading it checks that the file has not changed."""
        mark = self._marks[number]

        def checked() -> Iterator[Any]:
            with self._named():
                mark.require_same()
                with naming(mark.path):
                    yield from read()
                mark.require_same()

        return Part(checked, n_rows)

    def _batches(self, first_row: int) -> Iterator[Any]:
        some = False
        with self._named(), naming(self.name):
            for batch in regroup(self._pieces(first_row), self.batch_rows):
                some = True
                yield batch
        if not some and first_row == 0:
            raise DataError(f"{self.name}: there are columns but no rows: expected at least one row.")

    def _named(self) -> AbstractContextManager[None]:
        """Name the origin in errors about temporary files."""
        return nullcontext() if self.origin is None else self.origin.named()

    def _pieces(self, skipped: int) -> Iterator[Any]:
        """Yield record batches of any size, without the first `skipped` rows."""
        for number, mark in enumerate(self._marks):
            mark.require_same()
            known = self._rows[number]
            if known is None or known > skipped:
                with naming(mark.path):
                    yield from self._read(number, skipped)
                mark.require_same()
            skipped = max(skipped - (self._rows[number] or 0), 0)

    def _selected(self, schema: Any, path: Path) -> Any:
        """Return the Arrow schema of the columns to read, whose names must differ."""
        require_distinct(schema.names, str(path))
        columns = self.columns
        if columns is None:
            index = [] if self._index else self._index_in(schema)
            if path == self.paths[0]:
                self.index_names = index
            columns = [name for name in schema.names if name not in index]
        if not columns:
            raise DataError(f"{path}: the table has no columns: expected at least one; write it again.")
        require_columns(columns, schema.names, str(path))
        return pa.schema([schema.field(name) for name in columns])

    def _index_in(self, schema: Any) -> list[str]:
        """Return the columns that hold the index of a pandas data frame."""
        return index_columns(schema)

    @abstractmethod
    def _read(self, number: int, skipped: int) -> Iterator[Any]:
        """Yield the record batches of one file without its first rows; set its number of rows at the end."""


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Turn errors of pyarrow and of the system into errors that name the file."""
    try:
        yield
    except DataError:
        raise
    except PermissionError:
        raise DataError(f"{path}: no permission to read it: expected a readable file; change its mode.") from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # Arrow raises OSError without it for damaged files
            reason = error.strerror or error
            raise DataError(f"{path}: cannot be read: {reason}; check the disk or the connection.") from None
        said = " ".join(str(error).split())
        raise DataError(
            f"{path}: the file is damaged, or its ending is wrong: {said[:300]}; write or download it again."
        ) from None


def require_alike(schema: Any, first: Any, path: Path, first_path: Path) -> None:
    """Raise an error for a file whose columns differ from those of the first file; their order may differ."""
    here, there = dict.fromkeys(schema.names), dict.fromkeys(first.names)
    lost = [name for name in there if name not in here]
    new = [name for name in here if name not in there]
    if lost or new:
        parts = [f"lacks {_listed(lost)}"] if lost else []
        parts += [f"also has {_listed(new)}"] if new else []
        raise DataError(
            f"{path}: its columns differ from those of {first_path.name}: it {' and '.join(parts)}: expected the same "
            "columns in every file; read them separately, or give the common ones with columns=."
        )
    for name in there:
        got, expected = kind_of(schema.field(name).type), kind_of(first.field(name).type)
        alike = {"category", "text"}
        if got != expected and "empty" not in (got, expected) and not {got, expected} <= alike:
            got_name, expected_name = type_name(schema.field(name).type), type_name(first.field(name).type)
            raise DataError(
                f"{path}: column {name!r} holds {got_name}, but {expected_name} in {first_path.name}: expected one "
                "kind in every file; convert it, or leave it out with columns=."
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
