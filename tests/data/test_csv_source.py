"""CSV files as people write them."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ridgeway.data import DataError, csv_source, open_data


def read(path: Path, text: str | bytes, **options: Any) -> dict[str, list[Any]]:
    """Write a file and read it back."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    columns: dict[str, list[Any]] = {}
    for batch in open_data(path, **options).batches():
        for name, values in batch.to_pydict().items():
            columns.setdefault(name, []).extend(values)
    return columns


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


# Law: separators, decimal commas, byte-order marks, line ends, quotes and spellings of missing are understood.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}),
        ("a;b\n1,5;x\n2,25;y\n", {"a": [1.5, 2.25], "b": ["x", "y"]}),
        ("a\tb\n1\tx, y\n2\ty\n", {"a": [1, 2], "b": ["x, y", "y"]}),
        ("a|b\n1.5|x\n2|y\n", {"a": [1.5, 2.0], "b": ["x", "y"]}),
        ("\ufeffa,b\r\n1,x\r\n2,y\r\n", {"a": [1, 2], "b": ["x", "y"]}),
        ('a,b\n1,"x\ny, ""z"""\n2,y\n', {"a": [1, 2], "b": ['x\ny, "z"', "y"]}),
        ("a,b\nNA,?\n2,None\n,y\n", {"a": [None, 2, None], "b": [None, None, "y"]}),
        ("a,b\nTrue,2013-01-31\nfalse,2013-02-01\n", {"a": [True, False], "b": ["2013-01-31", "2013-02-01"]}),
        ("a\n1\n2\n", {"a": [1, 2]}),
        ('a,b\n\n1,x\n\n2,"y\nz"\n', {"a": [1, 2], "b": ["x", "y\nz"]}),
        ("a,b;c\n1,2;3\n", {"a": [1], "b;c": ["2;3"]}),
    ],
)
def test_dialects(path: Path, text: str, expected: dict[str, list[Any]]) -> None:
    found = read(path, text)
    if "2013" in text:
        found["b"] = [str(value)[:10] for value in found["b"]]
    assert found == expected


# Law: what the csv module writes is read back, whatever the strings hold.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=8).map(
            lambda s: "s" + s
        ),
        min_size=1,
        max_size=20,
    )
)
def test_any_strings(path: Path, strings: list[str]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "text"])
    writer.writerows([[place, value] for place, value in enumerate(strings)])
    found = read(path, text.getvalue())
    assert found == {"number": list(range(len(strings))), "text": strings}


# Law: whole numbers that get decimals later, and dates that get hours, are read on; every row comes once.
def test_types_widen(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_source, "SAMPLE_BYTES", 1 << 10)
    monkeypatch.setattr(csv_source, "MIN_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(csv_source, "MIN_BLOCK_ROWS", 1)
    rows = [f"{k},2013-01-01,{k}" for k in range(1000)] + ["0.5,2013-01-01T12:00:00,1000"] + ["7,2013-01-01,1001"]
    found = read(path, "a,b,c\n" + "\n".join(rows) + "\n", batch_rows=300)
    assert found["a"] == [*map(float, range(1000)), 0.5, 7.0]
    assert found["c"] == list(range(1002))
    assert str(found["b"][1000]) == "2013-01-01 12:00:00"
    source = open_data(path, batch_rows=300)
    list(source.batches())  # from now on the wider types are known
    whole = [batch.to_pydict() for batch in source.batches()]
    assert [batch.to_pydict() for batch in source.batches(2)] == whole[2:]


# Law: a column that is empty among the first rows takes the type of its first value.
def test_empty_at_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_source, "SAMPLE_BYTES", 1 << 10)
    monkeypatch.setattr(csv_source, "MIN_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(csv_source, "MIN_BLOCK_ROWS", 1)
    rows = [f"{k},," for k in range(1000)] + ["1000,2.5,x"]
    found = read(path, "a,b,c\n" + "\n".join(rows) + "\n")
    assert found == {"a": list(range(1001)), "b": [None] * 1000 + [2.5], "c": [None] * 1000 + ["x"]}


# Law: text in a column of numbers is an error that names file, column, place, value and remedy.
def test_mixed_columns(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "\n".join(f"{k},x" for k in range(1000))
    with pytest.raises(DataError, match=r"table.csv: column 'a' mixes numbers and text: got 'abc' .*row 1,001 below"):
        read(path, f"a,b\n{rows}\nabc,x\n")
    assert read(path, f"a,b\n{rows}\nabc,x\n", null_values=["abc"])["a"][-1] is None
    assert read(path, f"a,b\n{rows}\nabc,x\n", kinds={"a": "text"})["a"][-1] == "abc"
    assert "a" not in read(path, f"a,b\n{rows}\nabc,x\n", columns=["b"])
    monkeypatch.setattr(csv_source, "SAMPLE_BYTES", 1 << 10)
    monkeypatch.setattr(csv_source, "MIN_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(csv_source, "MIN_BLOCK_ROWS", 1)
    with pytest.raises(DataError, match=r"column 'a': after row [\d,]+: got 'abc', expected a number.*kinds="):
        read(path, f"a,b\n{rows}\nabc,x\n")
    with pytest.raises(DataError, match=r"column 'a': after row .*got 'abc', expected a number"):
        read(path, f"a,b\n{rows}\nabc,x\n", kinds={"a": "number"})
    # Few numbers and some words are codes.
    codes = "\n".join("123S"[k % 4] for k in range(1000))
    assert set(read(path, f"a\n{codes}\n")["a"]) == {"1", "2", "3", "S"}


# Law: one text among numbers is an error in a table of any size; it names the value, its row and --null-values.
@pytest.mark.parametrize(("n_rows", "decimal"), [(10, "."), (50, ","), (400, "."), (20_000, ".")])
def test_one_bad_cell(path: Path, n_rows: int, decimal: str) -> None:
    cells = [f"{k}{decimal}5" for k in range(n_rows)]
    cells[n_rows // 2] = "not known"
    text = "a;b\n" + "".join(f"{cell};{'' if k % 7 else k}\n" for k, cell in enumerate(cells))
    message = rf"got 'not known' \(row {n_rows // 2 + 1:,} below the header\) in 1 of {n_rows:,} values"
    with pytest.raises(DataError, match=message) as caught:
        read(path, text)
    assert "--null-values 'not known' (in Python: null_values=['not known'])" in str(caught.value)
    assert "--drop a" in str(caught.value)
    with pytest.raises(DataError, match=message) as caught:
        read(path, text, needed=["a"])
    assert "--drop" not in str(caught.value)
    assert read(path, text, null_values=["not known"])["a"].count(None) == 1


# Law: a column that must hold numbers, and holds some beside many texts, is refused with the first text.
def test_needed_numbers(path: Path) -> None:
    with pytest.raises(DataError, match=r"column 'a' mixes .*got 'mean 12', 'x' \(row 2 below .* in 2 of 4 values"):
        read(path, "a,b\n1,1\nmean 12,2\nx,3\n4,4\n", needed=["a"])
    assert read(path, "a,b\n1,1\nmean 12,2\nx,3\n4,4\n")["a"][1] == "mean 12"


# Law: leading zeros stay when a column is read as text.
def test_given_kinds(path: Path) -> None:
    text = "zip,v\n00501,1\n00544,2\n"
    assert read(path, text)["zip"] == [501, 544]
    assert read(path, text, kinds={"zip": "text"})["zip"] == ["00501", "00544"]
    with pytest.raises(DataError, match="there is no column 'zap': did you mean 'zip'"):
        read(path, text, kinds={"zap": "text"})
    with pytest.raises(ValueError, match="'word' for column 'zip' is unknown: expected one of number, boolean"):
        read(path, text, kinds={"zip": "word"})


# Law: what is no table is said.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        (" \n\n", "the file is empty"),
        (b"\xef\xbb\xbf\n", "the first line is not a header"),
        ("a,b\n", "there is a header but no rows"),
        ("a,b,a\n1,2,3\n", "two columns are named 'a'"),
        ("a,b\n1,2\n3\n", r"line 3 has 1 field \('3'\): expected 2 as in the header, separated by ','.*is missing"),
        ("a,b\n1,2\n3,4,5\n", r"line 3 has 3 fields .*put a field that holds ',' in quotation marks"),
        ('a,b\n1,"x\ny"\n3\n', "line 4 has 1 field"),
        ("a,b\n1,2\n3,x\ry\n5,6\n", r"line 3 holds a carriage return \(\\r\) within a field.*tr -d"),
        ('a,b\n1,2\n"3,4\n5,6\n', "the row of lines 3 to 4 has 1 field.*close the quotation mark in line 3"),
        (
            "Report of loans, 2018\nrate,x,y\n1,2,3\n4,5,6\n",
            "first line has 2 fields .* but other lines have 3.*no title",
        ),
        ("Report of loans\n\nrate,x\n1,2\n4,5\n", "first line has 1 field .'Report of loans'.*no title above"),
        (b"\x7fELF\x02\x01\x00\n\x00\x01,b\n", "not a text file, as its first line holds the byte 0x02"),
        ('a,b\n1,2\n3,"x\n', "column 'b': a quotation mark before 'x.*is never closed"),
        ("1,2\n3,4\n", "the first line holds numbers .*add a first line with names"),
        ("a,b\n1,é\n2,x\n".encode("latin1"), "column 'b' holds text that is not UTF-8, probably Windows-1252"),
        ("a,größe\n1,2\n2,3\n".encode("cp1252"), "the header holds text that is not UTF-8, probably Windows-1252"),
        ("a,b\n1,2\n".encode("utf-16"), "the text is UTF-16"),
    ],
)
def test_no_table(path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(path, text)
    assert "table.csv" in str(caught.value)


# Law: what is wrong far below the first rows is said with its place, or its column.
@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"1000\n", r"line 1,002 has 1 field .*expected 2 as in the header"),
        (b"1000,caf\xe9\n", r"column 'b' holds text that is not UTF-8"),
        (b'1000,"x\n', r"column 'b': a quotation mark before 'x.*is never closed"),
    ],
)
def test_faults_far_below(path: Path, row: bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("SAMPLE_BYTES", 1 << 10), ("MIN_BLOCK_BYTES", 1 << 10), ("MIN_BLOCK_ROWS", 1)):
        monkeypatch.setattr(csv_source, name, size)
    rows = b"".join(f"{k},x\n".encode() for k in range(1000))
    with pytest.raises(DataError, match=message):
        read(path, b"a,b\n" + rows + row)


# Law: text that a fitted model finds far below is an error without the options of a fit, which a model does not have.
def test_text_far_below_for_a_model(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("SAMPLE_BYTES", 1 << 10), ("MIN_BLOCK_BYTES", 1 << 10), ("MIN_BLOCK_ROWS", 1)):
        monkeypatch.setattr(csv_source, name, size)
    text = "a,b\n" + "".join(f"{k}.5,x\n" for k in range(1000)) + "big,x\n"
    with pytest.raises(DataError, match=r"got 'big'.*--kind"):
        read(path, text)
    with pytest.raises(DataError, match="got 'big': expected numbers, as in the fit; correct the value") as caught:
        read(path, text, index=True)
    assert "--" not in str(caught.value)


# Law: the command that converts a file to UTF-8 can be pasted, and converts it.
@pytest.mark.skipif(shutil.which("iconv") is None, reason="needs iconv")
def test_conversion_to_utf8(tmp_path: Path) -> None:
    (tmp_path / "my table.csv").write_bytes("größe,b\n1,2\n2,3\n".encode("cp1252"))
    with pytest.raises(DataError) as caught:
        open_data(tmp_path / "my table.csv")
    command = str(caught.value).partition("convert the file: ")[2].replace("> NEW", "> new.csv")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert read(tmp_path / "new.csv", (tmp_path / "new.csv").read_bytes()) == {"größe": [1, 2], "b": [2, 3]}


# Law: columns that turn out to need wider types in one block widen together: the file is not read once for each.
def test_columns_widen_together(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("SAMPLE_BYTES", 1 << 13), ("MIN_BLOCK_BYTES", 1 << 14), ("MIN_BLOCK_ROWS", 1)):
        monkeypatch.setattr(csv_source, name, size)
    columns = 300
    early = [",".join(["1", ""] * (columns // 2)) for _ in range(40)]
    late = [",".join(["0.5", "x"] * (columns // 2)) for _ in range(3)]
    opened, count = csv_source.CSVSource._open, 0

    def counting(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        return opened(*arguments, **options)

    monkeypatch.setattr(csv_source.CSVSource, "_open", counting)
    found = read(path, "\n".join([",".join(f"c{k}" for k in range(columns)), *early, *late]) + "\n")
    assert found["c298"] == [1.0] * 40 + [0.5] * 3
    assert found["c299"] == [None] * 40 + ["x"] * 3
    assert count <= 8


# Law: a spelling of a missing value that is a whole number is one with a decimal point, too.
def test_spellings_of_missing(path: Path) -> None:
    assert read(path, "a,b\n-999,x\n-999.0,y\n1.5,z\n", null_values=["-999"])["a"] == [None, None, 1.5]
