"""Headers of any length."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridgeway.data import DataError, open_data
from ridgeway.data.csv_dialect import dialect_of, read_dialect


# Law: every name of a header is read, however long it is and whatever separates them.
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("columns", [10, 12_000, 40_000])
def test_long_headers(separator: str, columns: int, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"c{place}" for place in range(columns)]
    rows = [separator.join(str((place * row) % 7) for place in range(columns)) for row in (1, 2)]
    path.write_text("\n".join([separator.join(names), *rows]) + "\n")
    dialect = read_dialect(path)
    assert dialect.separator == separator
    assert list(dialect.names) == names
    source = open_data(path)
    assert source.schema is not None
    assert source.schema.names == names
    (batch,) = source.batches()
    assert batch.num_rows == 2
    assert batch.column(names[-1]).to_pylist() == [(columns - 1) % 7, 2 * (columns - 1) % 7]


# Law: two columns of one name are found behind the first 64 KB, too.
def test_duplicates_far_behind(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join([*(f"column_{place}" for place in range(9000)), "column_77"]) + "\n1\n")
    with pytest.raises(DataError, match="two columns are named 'column_77'"):
        open_data(path)


# Law: a row that is longer than a block of the reader is read.
def test_long_rows(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    long = "word " * 400_000  # 2 MB
    path.write_text(f"text,x\n{long},1\n" + "short,2\n" * 3)
    found = [value for batch in open_data(path).batches() for value in batch.column("x").to_pylist()]
    assert found == [1, 2, 2, 2]


# Law: a decimal comma is found between any separators; between commas, "1,234" alone may be a thousand and is left.
@pytest.mark.parametrize(
    ("head", "decimal"),
    [
        ("a;b\n1,5;2,5\n", ","),
        ("a\tb\n1.5\t2,5\n", "."),
        ('a,b\n"3,14",x\n"2,5",y\n', ","),
        ('a,b\n"1,234",x\n"0,125",y\n', ","),
        ('a,b\n"1,234",x\n"12,345",y\n', "."),
        ('a,b,c\n"3,14",1.5,2.5\n', "."),
        ("a,b\n1,2\n", "."),
    ],
)
def test_decimal_sign(head: str, decimal: str) -> None:
    assert dialect_of(head).decimal == decimal


# Law: quoted numbers with a decimal comma are read as numbers.
def test_quoted_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_text('x,y\n"3,14",1\n"-0,5",2\n7,3\n')
    found = [value for batch in open_data(path).batches() for value in batch.column("x").to_pylist()]
    assert found == [3.14, -0.5, 7.0]
