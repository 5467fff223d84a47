"""Test rows: a share of a table that is not learned from, random rows or the last in time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data import DataError, Source, column_names, open_data
from ridgeway.data.arrow import pa
from ridgeway.data.origin import Origin
from ridgeway.data.schema import no_column
from ridgeway.data.target import Targets
from ridgeway.data.time_order import time_ranks
from ridgeway.tables.request import Request, request_of
from ridgeway.validation.scalars import real_number

SPLIT_SEED = 0x5EED  # data are often drawn with small seeds, and a split must not follow the same numbers


@contextmanager
def hold_back(
    data: Any, share: float, *, time: str | None = None, request: Request | Targets | None = None
) -> Iterator[TrainTestFiles]:
    """Hold a share of the rows of a table back, to test a model on them; the table may have any size.

    It copies the rows to two temporary files, which are removed at the end of the block.

    Parameters
    ----------
    data : as in `fit_table`.
    share : of the rows that are held back, between 0 and 1.
    time : the rows with the latest values of this column are held back; None holds random rows back.
    request : the `Request` of the fit, which tells how columns are read and has the seed, or the name of the target;
        None reads them as they are.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa, ridgeway as rw
    >>> from ridgeway.tables import fit_table, hold_back
    >>> x = np.random.default_rng(0).standard_normal(2000)
    >>> with hold_back(pa.table({"x": x, "y": 2 * x + 1}), 0.2, time="x") as rows:
    ...     found = rw.evaluate(fit_table(rows.train, "y"), rows.test)
    >>> rows.n_train, rows.n_test, found.n_rows
    (1600, 400, 400)
    """
    with tempfile.TemporaryDirectory(prefix="ridgeway-") as folder:
        rows = split_table(data, None if request is None else request_of(request), share, time, folder)
        name = table_name(data)
        named = {"rows to learn from": rows.train, "test rows": rows.test}
        with ExitStack() as origins:
            for what, path in named.items():
                origins.enter_context(Origin(f"{name} ({what})", str(path), None).named())
            yield rows


def table_name(data: Any) -> str:
    """Return the name of a table in messages: of a file without its folder.

    Parameters
    ----------
    data : as in `fit_table`.
    """
    if isinstance(data, str | os.PathLike):
        return Path(data).name
    name = getattr(data, "name", None)
    return name if isinstance(name, str) else "the table"


@dataclass(frozen=True)
class TrainTestFiles:
    """Two files that hold the rows of a table: those to learn from, and those to test on.

    Attributes
    ----------
    train, test : paths of the files, in Arrow's format.
    n_train, n_test : their rows.
    """

    train: Path
    test: Path
    n_train: int
    n_test: int


def split_table(
    data: Any, request: Request | None, share: float, time: str | None, folder: str | os.PathLike[str]
) -> TrainTestFiles:
    """Write the rows of a table to two files, batch by batch.

    Parameters
    ----------
    data : path of a file, of a folder, or a pattern; or a data frame or Arrow table.
    request : the fit, which tells how columns are read and has the seed; None reads them as they are.
    share : of the rows that are held back, between 0 and 1.
    time : the rows with the latest values of this column are held back; None holds random rows back, by the seed of
        the request.
    folder : where to write; the two files take as much space as the table.

    Examples
    --------
    >>> import tempfile, pyarrow as pa
    >>> split = split_table(pa.table({"x": range(10), "y": range(10)}), Request("y"), 0.2, "x", tempfile.mkdtemp())
    >>> split.n_train, split.n_test
    (8, 2)
    """
    part = real_number("share", share, "it must be a number between 0 and 1, such as 0.2")
    if not 0 < part < 1:
        raise ValueError(f"share={part:g}: expected a share of the rows between 0 and 1, such as 0.2.")
    columns = column_names(data)
    if columns is None:
        raise DataError("sparse rows cannot be split: expected a table; give test rows in a file of their own.")
    unused: list[str] = []
    if request is not None:
        used = {*request.columns(request.features(columns))}  # says which columns are missing before anything is read
        unused = [name for name in columns.names if name not in used]
    if time is not None and time not in columns.names:
        raise no_column(time, columns.names, columns.source_name)
    request = request or Request()
    source = open_data(
        data, kinds=request.read_kinds, null_values=request.null_values, lenient=unused, needed=request.needed
    )
    held = _last_rows(source, time, request.kinds.get(time), part) if time is not None else None
    stem = Path(table_name(data)).stem.replace(" ", "-")
    train, test = Path(folder) / f"{stem}-train.feather", Path(folder) / f"{stem}-test.feather"
    counts, first = np.zeros(2, np.int64), 0
    with ExitStack() as files:
        writers: list[Any] = [None, None]
        for number, batch in enumerate(map(_without_dictionaries, source.batches())):
            n = batch.num_rows
            chosen = (
                np.random.default_rng([request.seed, number, SPLIT_SEED]).random(n) < part
                if held is None
                else held[first : first + n]
            )
            first += n
            for place, (path, mask) in enumerate(((train, ~chosen), (test, chosen))):
                if writers[place] is None:
                    writers[place] = files.enter_context(pa.ipc.new_file(str(path), batch.schema))
                writers[place].write_batch(batch.filter(pa.array(mask)))
                counts[place] += int(mask.sum())
    if not counts.all():
        raise DataError(
            f"{source.name}: a share of {part:g} leaves {counts[0]:,} rows to learn from and {counts[1]:,} to test: "
            "expected some of both; choose another share."
        )
    return TrainTestFiles(train, test, int(counts[0]), int(counts[1]))


def _without_dictionaries(batch: Any) -> Any:
    """Return a batch with texts for dictionary codes: a file can store only one dictionary for all batches."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pa.record_batch(columns, names=batch.schema.names)


def _last_rows(source: Source, time: str, kind: str | None, share: float) -> NDArray[np.bool_]:
    """Return which rows have the latest times; rows of one time stay together, and rows without a time are early."""
    column = source.column(time)
    if column.null_count == len(column):
        raise DataError(f"{source.name}: column {time!r} has no value: expected times; choose another column.")
    ranks = time_ranks(column, time, source.name, kind)
    counts = np.bincount(ranks[ranks >= 0])
    latest = len(counts) - 1 - int(np.searchsorted(np.cumsum(counts[::-1]), share * len(column)))
    held: NDArray[np.bool_] = ranks >= max(latest, 1)
    return held
