"""Rows in random order: each once, the same order for the same seed, few of them in memory at a time."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file
from tests.data.tables import FORMS, ONE_PART, mixed_table, values, write

from ridgeway.data import DataError, ShuffledSource, Source, line_ranges, open_data
from ridgeway.data.part import Part
from ridgeway.data.shuffled import MIN_BUFFER_BYTES, MIN_MIXED_PARTS, shuffled

ROWS = 6000


@pytest.fixture(autouse=True)
def short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_ranges, "MIN_RANGE_BYTES", 2000)


def numbered(rows: int = ROWS) -> Any:
    """A table with the number of each row, and columns of other kinds."""
    return mixed_table(rows).append_column("number of row", pa.array(np.arange(rows)))


def numbers(source: Source, start: int = 0) -> list[int]:
    return [row for batch in source.batches(start) for row in batch.column("number of row").to_pylist()]


# Law: in every format each row comes once, with all of its values.
@pytest.mark.parametrize("buffer_rows", [1, 700, 2500, 10 * ROWS])
@pytest.mark.parametrize("form", FORMS)
def test_every_row_once(form: str, buffer_rows: int, tmp_path: Path) -> None:
    table = numbered()
    plain = open_data(write(table, tmp_path / f"table.{form}"), batch_rows=256)
    source = ShuffledSource(plain, buffer_rows, seed=1)
    batches = list(source.batches())
    assert [batch.num_rows for batch in batches] == [256] * (ROWS // 256) + [ROWS % 256]
    found = pa.Table.from_batches([batch.cast(batches[0].schema) for batch in batches])
    back = found.sort_by("number of row").combine_chunks().to_batches()
    assert values(back) == values(open_data(table, batch_rows=ROWS).batches())


# Law: sparse rows come once each, from text and from memory, with their targets.
@pytest.mark.parametrize("compressed", [False, True])
def test_sparse_rows(compressed: bool, tmp_path: Path) -> None:
    X: Any = scipy.sparse.random(3000, 40, density=0.1, random_state=0, format="csr")
    y = np.arange(3000.0)
    path = tmp_path / ("t.svm.gz" if compressed else "t.svm")
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=True)
    if compressed:
        path.write_bytes(gzip.compress((tmp_path / "t.svm").read_bytes()))
    for source in (open_data(path, batch_rows=128), open_data((X, y), batch_rows=128)):
        rows, targets = zip(*ShuffledSource(source, 512).batches(), strict=True)
        order = np.concatenate(targets).astype(int)
        assert sorted(order) == list(range(3000))
        np.testing.assert_allclose(scipy.sparse.vstack(rows).toarray(), X.toarray()[order], rtol=1e-12)


# Law: the order is that of the seed and the pass; other seeds and passes have other ones.
@pytest.mark.parametrize("form", FORMS)
def test_order(form: str, tmp_path: Path) -> None:
    path = write(numbered(), tmp_path / f"table.{form}")

    def order(seed: int = 0, pass_number: int = 0) -> list[int]:
        return numbers(ShuffledSource(open_data(path, batch_rows=256), 2000, seed).of_pass(pass_number))

    orders = [order(), order(seed=1), order(pass_number=1), order(seed=1, pass_number=1)]
    assert len({tuple(one) for one in orders}) == 4
    assert order() == orders[0]
    assert order(seed=1, pass_number=1) == orders[3]
    prints = [ShuffledSource(open_data(path), 2000, seed).fingerprint() for seed in (0, 0, 1)]
    assert prints[0] == prints[1] != prints[2]


# Law: starting at batch k leaves out the first k batches and nothing else, within a buffer or at its end.
@pytest.mark.parametrize("form", FORMS)
def test_start_at_a_batch(form: str, tmp_path: Path) -> None:
    source = ShuffledSource(open_data(write(numbered(), tmp_path / f"table.{form}"), batch_rows=256), 1024, seed=2)
    whole = numbers(source)
    for start in (0, 1, 3, 4, 5, 8, 23, 24, 50):
        assert numbers(source, start) == whole[256 * start :]


class Counting(Source):
    """Counts the rows that were read."""

    def __init__(self, rows: int, part_rows: int, batch_rows: int) -> None:
        self.name, self.schema, self.n_rows, self.batch_rows = "counted", None, None, batch_rows
        self._rows, self._part_rows, self.read = rows, part_rows, 0

    def fingerprint(self) -> dict[str, Any]:
        return {}

    def parts(self, most_rows: int) -> list[Part]:
        del most_rows
        starts = range(0, self._rows, self._part_rows)
        return [Part(lambda first=first: self._stretch(first)) for first in starts]  # type: ignore[misc]

    def _stretch(self, first: int) -> Iterator[Any]:
        rows = np.arange(first, min(first + self._part_rows, self._rows))
        self.read += len(rows)
        yield pa.record_batch({"number of row": rows})

    def _batches(self, first_row: int) -> Iterator[Any]:
        raise NotImplementedError


# Law: whatever the sizes, each row comes once, and no more rows are held than the buffer has, and one piece.
@settings(deadline=None, derandomize=True)
@given(rows=st.integers(1, 200), part=st.integers(1, 60), batch=st.integers(1, 30), buffer=st.integers(1, 250))
def test_bounded_buffer(rows: int, part: int, batch: int, buffer: int) -> None:
    counting = Counting(rows, part, batch)
    source = ShuffledSource(counting, buffer, seed=3)
    done, found = 0, []
    for piece in source.batches(ahead=0):
        assert counting.read - done <= source.buffer_rows + part
        done += piece.num_rows
        found += piece.column("number of row").to_pylist()
    assert sorted(found) == list(range(rows))
    assert source.buffer_rows <= max(buffer, batch)


def dependence(order: list[int]) -> float:
    """Correlation of the place of a row in the file and in the order."""
    return abs(float(np.corrcoef(order, np.arange(len(order)))[0, 1]))


# Law: a buffer of a tenth of the rows is enough to forget their order, unless the file has a single part.
@pytest.mark.parametrize("form", FORMS)
def test_rows_mix(form: str, tmp_path: Path) -> None:
    path = write(numbered(), tmp_path / f"table.{form}")
    order = numbers(ShuffledSource(open_data(path, batch_rows=128), ROWS // 10))
    single = form in ONE_PART
    assert ShuffledSource(open_data(path, batch_rows=128), ROWS // 10).n_parts == 1 or not single
    assert dependence(order) > 0.9 if single else dependence(order) < 0.3
    assert dependence(numbers(ShuffledSource(open_data(path), ROWS))) < 0.1
    assert dependence(numbers(open_data(path))) == pytest.approx(1.0)


# Law: files of a folder come in random order, compressed or not.
@pytest.mark.parametrize("form", ["csv.gz", "parquet"])
def test_files_in_random_order(form: str, tmp_path: Path) -> None:
    table = numbered()
    for number in range(20):
        write(table.slice(300 * number, 300), tmp_path / f"{number:02}.{form}")
    source = ShuffledSource(open_data(tmp_path, batch_rows=100), 600, seed=0)
    order = numbers(source)
    assert sorted(order) == list(range(ROWS))
    assert dependence(order) < 0.4
    assert source.n_parts >= 20


# Law: a Parquet file of a single row group mixes as well.
def test_one_row_group(tmp_path: Path) -> None:
    pa.parquet.write_table(numbered(), tmp_path / "t.parquet")
    source = ShuffledSource(open_data(tmp_path / "t.parquet", batch_rows=128), ROWS // 10)
    assert source.n_parts >= 32
    assert dependence(numbers(source)) < 0.3


# Law: categories of a few rows do not carry the levels of all others with them.
def test_levels_stay_few(tmp_path: Path) -> None:
    rows = 4000
    table = pa.table({"number of row": np.arange(rows), "name": [f"n{row}" for row in range(rows)]})
    source = ShuffledSource(open_data(write(table, tmp_path / "t.parquet"), batch_rows=100), 2000)
    for batch in source.batches():
        assert len(batch.column("name").dictionary) <= 100
        assert batch.column("name").to_pylist() == [f"n{row}" for row in batch.column("number of row").to_pylist()]


# Law: a buffer takes half of the memory allowed, 64 MiB at least, and 1 GiB at most where there are many parts.
def test_size_of_buffer(tmp_path: Path) -> None:
    table = pa.table({"a": np.arange(ROWS, dtype=np.int64)})
    many, one = (open_data(write(table, tmp_path / f"t.{form}"), batch_rows=64) for form in ("feather", "csv.gz"))
    rows = {memory: shuffled(many, memory).buffer_rows * 8 for memory in (0, 2**28, 2**28 + 2**20, 2**34)}
    assert rows == {0: MIN_BUFFER_BYTES, 2**28: 2**27, 2**28 + 2**20: 2**27, 2**34: 2**30}
    assert shuffled(many, 0).n_parts >= MIN_MIXED_PARTS
    assert [shuffled(one, memory).buffer_rows * 8 for memory in (2**28, 2**34)] == [2**27, 2**33]


# Law: open_data keeps the order of the file unless it is asked to shuffle, and refuses a seed that is none.
def test_open_data(tmp_path: Path) -> None:
    path = write(numbered(), tmp_path / "t.csv")
    assert numbers(open_data(path)) == list(range(ROWS))
    orders = [numbers(open_data(path, shuffle=True, random_state=seed, memory=2**20)) for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(ROWS))
    assert sorted(numbers(open_data(path, shuffle=True))) == list(range(ROWS))
    with pytest.raises(ValueError, match="seed=-1: expected an integer, 0 or more"):
        open_data(path, shuffle=True, random_state=-1)
    with pytest.raises(ValueError, match="buffer_rows=0: expected an integer of 1 or more"):
        ShuffledSource(open_data(path), 0)


# Law: a file that changes, or has no rows, is an error in random order, too.
def test_errors(tmp_path: Path) -> None:
    path = write(numbered(), tmp_path / "t.csv")
    source = ShuffledSource(open_data(path), 1000)
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(DataError, match=r"t\.csv: the file changed while it was being read"):
        list(source.batches())
    empty = write(numbered().slice(0, 0), tmp_path / "none.feather")
    with pytest.raises(DataError, match=r"none\.feather: there are columns but no rows"):
        list(ShuffledSource(open_data(empty), 1000).batches())
    text = path.read_text().splitlines()
    text[ROWS // 2] = text[ROWS // 2].replace(",", ",,", 1)
    path.write_text("\n".join(text))
    with pytest.raises(DataError, match=r"t\.csv: line 3,001 has \d+ fields .*expected \d+ as in the header"):
        list(ShuffledSource(open_data(path), 1000).batches())


# Law: a column of whole numbers that has decimals somewhere is read with them, wherever reading begins.
def test_types_widen(tmp_path: Path) -> None:
    lines = [f"{row},{row}.5" if row > 500_000 else f"{row},{row}" for row in range(0, 1_000_000, 25)]
    (tmp_path / "t.csv").write_text("number of row,x\n" + "\n".join(lines))
    source = open_data(tmp_path / "t.csv")
    found = pa.Table.from_pylist([row for batch in ShuffledSource(source, 9000).batches() for row in batch.to_pylist()])
    expected = [float(line.split(",")[1]) for line in lines]
    assert found.sort_by("number of row")["x"].to_pylist() == expected
