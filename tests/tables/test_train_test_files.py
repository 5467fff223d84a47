"""Rows of a table that a fit does not see."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from ridgeway.data.parquet import ParquetSource
from ridgeway.tables import Request, fit_table, hold_back
from ridgeway.tables.train_test_files import split_table


# Law: every row is in one of the files, and random rows do not follow numbers that were drawn with the same seed.
@pytest.mark.parametrize("seed", [0, 1])
def test_random_rows(seed: int, tmp_path: Path) -> None:
    x = np.random.default_rng(seed).random(4000)
    split = split_table(pa.table({"x": x, "y": x}), Request("y", seed=seed), 0.25, None, tmp_path)
    train, test = (pyarrow.feather.read_table(path)["x"].to_numpy() for path in (split.train, split.test))
    assert (np.sort(np.concatenate([train, test])) == np.sort(x)).all()
    assert (len(train), len(test)) == (split.n_train, split.n_test)
    assert abs(len(test) - 1000) < 120
    assert abs(train.mean() - test.mean()) < 0.05


# Law: with time the last rows are held back, whatever their order in the table; rows without a time are learned from.
def test_last_rows(tmp_path: Path) -> None:
    day = np.random.default_rng(0).permutation(1000)
    table = pa.table({"day": pa.array(day, mask=day < 50), "y": day})
    split = split_table(table, Request("y"), 0.2, "day", tmp_path)
    test = pyarrow.feather.read_table(split.test)["y"].to_numpy()
    assert (np.sort(test) == np.arange(800, 1000)).all()
    assert split.n_train == 800


# Law: only the column of times is read to find the last rows.
def test_only_times_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"day": np.arange(500), "x": np.ones(500), "y": np.ones(500)})
    pq.write_table(table, tmp_path / "t.parquet")
    read, rows_of = list[list[str]](), ParquetSource._rows_of

    def recorded(source: ParquetSource, *given: Any) -> Iterator[Any]:
        read.append(source._schema.names)
        return rows_of(source, *given)

    monkeypatch.setattr(ParquetSource, "_rows_of", recorded)
    split_table(tmp_path / "t.parquet", Request("y"), 0.2, "day", tmp_path)
    assert read == [["day"], ["day", "x", "y"]]


# Law: dates written as text, and numbers in a text column, are held back in the order of time, not of the alphabet.
@pytest.mark.parametrize("written", ["%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%d.%m.%Y %H:%M", "%d-%b-%Y", "number"])
@pytest.mark.parametrize("as_file", [False, True])
def test_last_written_times(written: str, as_file: bool, tmp_path: Path) -> None:
    first = datetime(2011, 1, 1)
    n = 900
    row = np.random.default_rng(0).permutation(n)
    days = [str(i) if written == "number" else (first + timedelta(days=int(i))).strftime(written) for i in row]
    data = table = pa.table({"day": days, "x": row, "y": row})
    if as_file:
        data = tmp_path / "t.csv"
        pa.csv.write_csv(table, data)
    folder = tmp_path / "parts"
    folder.mkdir()
    split = split_table(data, Request("y", drop=("day",)), 0.2, "day", folder)
    test = pyarrow.feather.read_table(split.test)["y"].to_numpy()
    assert (np.sort(test) == np.arange(n - n // 5, n)).all()


# Law: a declared order is used; an order that the dates do not tell, and texts that are no dates, are told.
def test_doubtful_times(tmp_path: Path) -> None:
    days = [f"{day:02}/{month:02}/2011" for month in range(1, 11) for day in range(1, 11)]
    table = pa.table({"day": days, "x": np.arange(100), "y": np.arange(100)})
    split = split_table(table, Request("y", kinds={"day": "day-first"}), 0.2, "day", tmp_path)
    assert pyarrow.feather.read_table(split.test)["y"].to_pylist() == list(range(80, 100))
    with pytest.warns(UserWarning, match="may be dates with the day or the month first"):
        split_table(table, Request("y"), 0.2, "day", tmp_path)
    words = table.set_column(0, "day", pa.array([f"week {i}" for i in range(100)]))
    with pytest.raises(ValueError, match=r"'day' holds texts such as 'week 0'.*expected dates, times or numbers"):
        split_table(words, Request("y"), 0.2, "day", tmp_path)
    for form in ("{}-{:02}", "{}Q{}"):
        parts = [form.format(2000 + i // 4, 1 + i % 4) for i in range(100)]
        split = split_table(table.set_column(0, "day", pa.array(parts)), Request("y"), 0.2, "day", tmp_path)
        assert pyarrow.feather.read_table(split.test)["y"].to_pylist() == list(range(80, 100))
    mixed = table.set_column(0, "day", pa.array(["13/01/2011", "01/13/2011"] * 50))
    with pytest.raises(ValueError, match=r"'13/01/2011' in several orders: expected .*; write them in one order"):
        split_table(mixed, Request("y"), 0.2, "day", tmp_path)


# Law: a split without rows on one side is refused.
def test_refusals(tmp_path: Path) -> None:
    table = pa.table({"x": [1.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="expected some of both"):
        split_table(table, Request("y"), 0.5, "x", tmp_path)
    with pytest.raises(ValueError, match="share=1: expected"):
        split_table(table, Request("y"), 1.0, None, tmp_path)


# Law: texts of a file are split, too, although each batch of it has codes of its own.
def test_texts(tmp_path: Path) -> None:
    n = 200_000
    words = np.array([f"word {i}" for i in range(n // 100)])
    table = pa.table({"x": np.repeat(words, 100), "y": np.arange(n)})
    pa.csv.write_csv(table, tmp_path / "t.csv")
    folder = tmp_path / "parts"
    folder.mkdir()
    split = split_table(tmp_path / "t.csv", Request("y"), 0.25, None, folder)
    parts = [pa.ipc.open_file(part).read_all() for part in (split.train, split.test)]
    assert pa.concat_tables(parts).sort_by("y").equals(table.cast(parts[0].schema))


# Law: rows are held back by one call for a fit and a test; the copies are removed, and errors name the table.
def test_hold_back(tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal(1000)
    table = pa.table({"day": np.arange(1000), "x": x, "y": 3 * x})
    pyarrow.csv.write_csv(table, tmp_path / "my sales.csv")
    for data in (table, tmp_path / "my sales.csv", str(tmp_path / "my sales.csv")):
        with hold_back(data, 0.2, time="day", request="y") as rows:
            assert pyarrow.feather.read_table(rows.test)["day"].to_pylist() == list(range(800, 1000))
            model = fit_table(rows.train, "y")
            assert (model.facts.rows, model.facts.data.endswith("-train.feather")) == (800, True)
            assert model.score(rows.test) > 0.99
        assert not rows.train.exists()
    with (
        pytest.raises(ValueError, match=r"^my sales.csv \(rows to learn from\): there is no column 'z'"),
        hold_back(tmp_path / "my sales.csv", 0.2) as rows,
    ):
        fit_table(rows.train, "z")
    for share, options, message in (
        (0.2, {"time": "dya"}, "did you mean 'day'"),
        (0.2, {"request": "z"}, "there is no column 'z'"),
        (2, {}, "share=2: expected a share"),
    ):
        with pytest.raises(ValueError, match=message), hold_back(table, share, **options):
            pass
