"""One door for all forms of data: the same rows come in the same batches, again and again, from any place on."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.data.tables import FORMS, mixed_table, values, write

from ridgeway.data import DataError, column_names, open_data
from ridgeway.data.common_type import wider
from ridgeway.data.csv_source import CSVSource
from ridgeway.data.file_source import naming
from ridgeway.data.files import FORMATS
from ridgeway.data.source import BATCH_BYTES, MAX_BATCH_ROWS, MIN_BATCH_ROWS, rows_per_batch


# Law: every format gives the same rows in the same batches as the table it was written from.
@pytest.mark.parametrize("form", FORMS)
def test_same_batches_from_every_format(form: str, tmp_path: Path) -> None:
    table = mixed_table()
    expected = values(open_data(table, batch_rows=400).batches())
    source = open_data(write(table, tmp_path / f"table.{form}"), batch_rows=400)
    assert values(source.batches()) == expected
    assert [len(batch["y"]) for batch in expected] == [400] * 6 + [100]
    assert source.schema is not None
    assert source.schema.names == table.column_names
    assert source.schema.kinds["when"] == "time"
    assert source.schema.kinds["open"] == "boolean"


# Law: a column of a source is that of the table, and reading it reads no other; the source stays as it is.
@pytest.mark.parametrize("form", ["table", *FORMS])
def test_columns_alone(form: str, tmp_path: Path) -> None:
    table = mixed_table()
    source = open_data(table if form == "table" else write(table, tmp_path / f"table.{form}"), batch_rows=400)
    before = values(source.batches())
    for name in ("when", "user", "number"):
        assert source.column(name).to_pylist() == [value for batch in before for value in batch[name]]
        alone = source.only([name])
        assert [batch.schema.names for batch in alone.batches()] == [[name]] * 7
        assert alone.schema is not None
        assert alone.schema.names == [name]
    assert values(source.batches()) == before
    assert source.schema is not None
    assert source.schema.names == table.column_names


# Law: a column of whole numbers whose last rows have decimals is a column of numbers, whatever its batches.
def test_column_of_widened_types(tmp_path: Path) -> None:
    numbers = np.arange(1_000_000, 1_300_000)
    text = "\n".join(["t", *map(str, numbers), "0.5"])
    (tmp_path / "t.csv").write_text(text + "\n")
    source = CSVSource([tmp_path / "t.csv"], None, 30_000, {"t": "number"}, ())
    source._types = {"t": pa.int64()}  # as if the rows that tell the types had no decimals
    column = source.column("t")
    assert column.type == pa.float64()
    np.testing.assert_array_equal(column.to_numpy(), [*numbers, 0.5])


# Law: starting at batch k leaves out the first k batches and nothing else, whether read ahead or not.
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ahead", [0, 2])
def test_start_at_a_batch(form: str, ahead: int, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    table = mixed_table()
    for number, first in enumerate((0, 900, 1000, 1900)):  # of 900, 100, 900 and 600 rows
        part = table.slice(first, (900, 100, 900, 600)[number])
        write(part, folder / f"part-{number}.{form}")
    source = open_data(folder, batch_rows=256)
    whole = values(source.batches(ahead=ahead))
    for start in (0, 1, 3, 5, 9, 10, 20):
        assert values(source.batches(start, ahead=ahead)) == whole[start:]
    assert whole == values(open_data(table, batch_rows=256).batches())


# Law: batches of any size, from any start, are the rows in their order.
@settings(deadline=None)
@given(rows=st.integers(1, 40), size=st.integers(1, 45), start=st.integers(0, 6))
def test_rows_keep_their_order(rows: int, size: int, start: int) -> None:
    source = open_data(pa.table({"a": np.arange(rows)}), batch_rows=size)
    found = [value for batch in source.batches(start, ahead=0) for value in batch.column("a").to_pylist()]
    assert found == list(range(rows))[start * size :]


# Law: files of a folder come in the order of their names; hidden ones, marks of writers and other files are left out.
def test_folder_and_pattern(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".cache").mkdir()
    for number, name in enumerate(["b.csv", "a.csv", "sub/c.csv", "_metadata.csv", ".hidden.csv", ".cache/d.csv"]):
        (tmp_path / name).write_text(f"x,y\n{number},1\n")
    (tmp_path / "README.md").write_text("no data")
    (tmp_path / "_SUCCESS").write_text("")

    def read(path: Any) -> list[int]:
        (batch,) = open_data(path).batches()
        return list(batch.column("x").to_pylist())

    assert read(tmp_path) == [1, 0, 2]
    assert read(str(tmp_path / "?.csv")) == [1, 0]
    assert read(tmp_path / "b.csv") == [0]


# Law: data frames of any library, arrays and Arrow data are the same rows.
def test_rows_in_memory() -> None:
    table = pa.table({"a": [1.0, None, 3.0], "b": ["x", "y", None]})
    frames = [table, table.to_batches()[0], table.to_pandas(), pl.from_arrow(table)]
    for frame in frames:
        (batch,) = open_data(frame).batches()
        assert batch.column("b").to_pylist() == ["x", "y", None]
        assert batch.column("a").to_pylist()[::2] == [1.0, 3.0]
    (batch,) = open_data((np.eye(2), [3.0, 4.0])).batches()
    assert batch.to_pydict() == {"x0": [1.0, 0.0], "x1": [0.0, 1.0], "y": [3.0, 4.0]}
    X, y = next(open_data((scipy.sparse.eye_array(5, format="csr"), np.arange(5.0)), batch_rows=2).batches(2))
    assert X.toarray().tolist() == [[0, 0, 0, 0, 1]]
    assert y.tolist() == [4.0]


# Law: only the columns asked for are read, in the order asked for.
@pytest.mark.parametrize("form", FORMS)
def test_columns(form: str, tmp_path: Path) -> None:
    path = write(mixed_table(50), tmp_path / f"table.{form}")
    source = open_data(path, columns=["y", "shop"])
    assert source.schema is not None
    assert source.schema.names == ["y", "shop"]
    assert next(source.batches()).schema.names == ["y", "shop"]
    with pytest.raises(DataError, match=r"table\..*there is no column 'shops': did you mean 'shop'\?"):
        open_data(path, columns=["shops"])


# Law: a fingerprint is the same for the same data, differs for other data, and goes through JSON.
@pytest.mark.parametrize("form", [*FORMS, "svm"])
def test_fingerprint(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{form}"
    if form == "svm":
        path.write_text("1 1:2\n0 2:1\n")
    else:
        write(mixed_table(50), path)
    first = open_data(path).fingerprint()
    assert open_data(path).fingerprint() == first
    os.utime(path, ns=(1, 1))
    assert open_data(path).fingerprint() != first
    one, other = (open_data(pa.table({"a": [1, last]})).fingerprint() for last in (2, 3))
    assert one != other
    assert one == open_data(pa.table({"a": [1, 2]})).fingerprint()


# Law: a file that changes between passes, or during one, is an error that names it.
@pytest.mark.parametrize("form", [*FORMS, "svm"])
def test_changed_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{form}"
    if form == "svm":
        path.write_text("1 1:2\n" * 100)
    else:
        write(mixed_table(100), path)
    source = open_data(path, batch_rows=10)
    list(source.batches())
    time.sleep(0.01)
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(DataError, match=f"table.{form}: the file changed while it was being read"):
        list(source.batches())
    path.unlink()
    with pytest.raises(DataError, match=f"table.{form}: no such file"):
        list(source.batches())


# Law: whatever cannot be opened is said, with its name.
def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.csv: no such file: expected a file, a folder or a pattern"):
        open_data(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match=r"no file matches the pattern"):
        open_data(str(tmp_path / "*.parquet"))
    with pytest.raises(DataError, match="the folder has no file to read"):
        open_data(tmp_path)
    (tmp_path / "table.xyz").write_bytes(b"PK")
    with pytest.raises(DataError, match=r"table\.xyz: unknown format: expected Parquet, CSV, .*rename"):
        open_data(tmp_path / "table.xyz")
    with pytest.raises(DataError, match="a dict is not a table: expected a path"):
        open_data({"a": [1]})
    with pytest.raises(DataError, match="it has no rows"):
        open_data(pa.table({"a": pa.array([], pa.int64())}))
    with pytest.raises(DataError, match="two columns are named 'a'"):
        open_data(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(DataError, match=r"y has shape \(3,\): expected \(2,\)"):
        open_data((np.eye(2), [1.0, 2.0, 3.0]))
    with pytest.raises(DataError, match=r"column of mixed or unsupported types.*column b"):
        open_data(pd.DataFrame({"b": [1, "x", 2.5]}))
    with pytest.raises(ValueError, match="start=-1: expected the number of a batch"):
        open_data(pa.table({"a": [1]})).batches(-1)
    with pytest.raises(ValueError, match="batch_rows=0: expected an integer of 1 or more"):
        open_data(pa.table({"a": [1]}), batch_rows=0)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = write(mixed_table(10), tmp_path / "table.csv")
    path.chmod(0)
    with pytest.raises(DataError, match="no permission to read it"):
        open_data(path)


# Law: an error of the system is not called a damaged file; one of Arrow's readers, which has no number, is.
def test_error_of_the_system(tmp_path: Path) -> None:
    path = write(mixed_table(10), tmp_path / "table.parquet")
    with pytest.raises(DataError, match="No such file or directory; check the disk or the connection"), naming(path):
        (tmp_path / "absent").read_bytes()
    path.write_bytes(path.read_bytes()[:-4] + b"none")
    with pytest.raises(DataError, match="the file is damaged, or its ending is wrong"):
        open_data(path)


# Law: files of one folder have one format and the same columns; a column in a folder's name is not lost silently.
def test_files_that_disagree(tmp_path: Path) -> None:
    for form in ("parquet", "csv", "feather"):
        folder = tmp_path / form
        folder.mkdir()
        write(pa.table({"a": [1], "b": ["x"]}), folder / f"1.{form}")
        write(pa.table({"b": ["x"], "a": [2.5]}), folder / f"2.{form}")  # another order, a wider type
        (batch,) = open_data(folder).batches()
        assert batch.to_pydict() == {"a": [1.0, 2.5], "b": ["x", "x"]}
        write(pa.table({"a": [1], "c": ["x"]}), folder / f"3.{form}")
        with pytest.raises(DataError, match=rf"3\.{form}: its columns differ .* lacks 'b' and also has 'c'"):
            open_data(folder)
        assert open_data(folder, columns=["a"]).schema is not None
        write(pa.table({"a": ["one"], "b": ["x"]}), folder / f"3.{form}")
        with pytest.raises(
            DataError, match=rf"3\.{form}: column 'a' holds text, but (whole|decimal) numbers in 1\.{form}"
        ):
            open_data(folder)
    with pytest.raises(DataError, match=r"a feather file beside 1\.csv, a csv file"):
        open_data(tmp_path)
    (tmp_path / "parts" / "year=2013").mkdir(parents=True)
    write(mixed_table(5), tmp_path / "parts" / "year=2013" / "1.parquet")
    with pytest.raises(DataError, match=r"'year=2013' holds a column that the file lacks"):
        open_data(tmp_path / "parts")


# Law: without rows, or without what its name says, a file is refused.
@pytest.mark.parametrize("form", FORMS)
def test_empty_and_damaged(form: str, tmp_path: Path) -> None:
    path = write(mixed_table(20).slice(0, 0), tmp_path / f"none.{form}")
    with pytest.raises(DataError, match=rf"none\.{form}: there (is a header|are columns) but no rows"):
        list(open_data(path).batches())
    path = tmp_path / f"empty.{form}"
    path.write_bytes(b"")
    with pytest.raises(DataError, match=rf"empty\.{form}: "):
        open_data(path)
    whole = write(mixed_table(2000), tmp_path / f"whole.{form}").read_bytes()
    path = tmp_path / f"cut.{form}"
    path.write_bytes(whole[: len(whole) // 2])
    if form != "csv":  # half a CSV file is a CSV file, unless it ends within a row
        with pytest.raises(DataError, match=rf"cut\.{form}: "):
            list(open_data(path).batches())


# Law: files without a known ending are read by what they hold; a source is its own source.
@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_files_by_their_contents(form: str, tmp_path: Path) -> None:
    table = mixed_table(50)
    path = write(table, tmp_path / f"table.{form}").rename(tmp_path / "table")
    source = open_data(path)
    assert open_data(source) is source
    assert values(source.batches()) == values(open_data(table).batches())


# Law: sparse rows need a target each, and at least one row; their fingerprint is that of their values.
def test_sparse_rows_in_memory() -> None:
    X = scipy.sparse.eye_array(5, format="csr")
    with pytest.raises(DataError, match=r"y has shape \(4,\): expected \(5,\), one number per row of X"):
        open_data((X, np.zeros(4)))
    with pytest.raises(DataError, match="the matrix: it has no rows"):
        open_data((X[:0], np.zeros(0)))
    prints = [
        open_data((rows, y)).fingerprint() for rows, y in ((X, np.zeros(5)), (2 * X, np.zeros(5)), (X, np.ones(5)))
    ]
    assert open_data((X.copy(), np.zeros(5))).fingerprint() == prints[0]
    assert prints[0] != prints[1]
    assert prints[0] != prints[2]


# Law: arrays that are no table, and tables without columns, are refused by their shape.
def test_shapes(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"X has shape \(3,\): expected \(rows, columns\); reshape it"):
        open_data(np.arange(3.0))
    with pytest.raises(DataError, match="column 1 of X mixes types"):
        open_data(np.array([[1, "a"], [2, 3]], dtype=object))
    pa.parquet.write_table(pa.table({}), tmp_path / "none.parquet")
    with pytest.raises(DataError, match=r"none\.parquet: the table has no columns"):
        open_data(tmp_path / "none.parquet")


# Law: a format without a source is a bug of ours: its files are not read as CSV.
def test_format_without_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "rows", (".rows",))
    (tmp_path / "table.rows").write_text("a,b\n1,2\n")
    for read in (open_data, column_names):
        with pytest.raises(AssertionError, match="no source reads files of format 'rows'"):
            read(tmp_path / "table.rows")


# Law: a batch takes some 32 MB, and is a power of two, whatever the rows.
@given(st.floats(1, 1e9))
def test_rows_of_a_batch(row_bytes: float) -> None:
    rows = rows_per_batch(None, row_bytes)
    assert rows & (rows - 1) == 0
    assert MIN_BATCH_ROWS <= rows <= MAX_BATCH_ROWS
    assert rows * row_bytes <= BATCH_BYTES or rows == MIN_BATCH_ROWS
    assert 2 * rows * row_bytes > BATCH_BYTES or rows == MAX_BATCH_ROWS


# Law: the type of two columns holds the values of both, whichever comes first; where there is none, the first stays.
@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (pa.int64(), pa.float32(), pa.float64()),
        (pa.null(), pa.string(), pa.string()),
        (pa.date32(), pa.timestamp("ns"), pa.timestamp("ns")),
        (pa.date32(), pa.timestamp("s", "UTC"), pa.timestamp("us", "UTC")),
        (pa.time32("s"), pa.date32(), None),
        (pa.timestamp("s", "UTC"), pa.timestamp("s"), None),
        (pa.int64(), pa.string(), pa.string()),
        (pa.int64(), pa.date32(), None),
    ],
    ids=str,
)
def test_wider(one: Any, other: Any, expected: Any) -> None:
    assert wider(one, other) == (one if expected is None else expected)
    assert wider(other, one) == (other if expected is None else expected)
