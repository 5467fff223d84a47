"""Sorted files: streamed within little memory they give the model that they give in memory."""

from __future__ import annotations

import gzip
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest
from tests.tables.shop import write_csv, write_parquet
from tests.tables.test_table_fit import Killed, killed_at

from ridgeway.data import TableEncoder, line_ranges, sample, shuffled
from ridgeway.data import source as source_module
from ridgeway.tables import Checkpoint, Request, batch_learner, fit_table

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:updates from .* were clipped"),
]

ROWS = 30_000
DELAY = Request(target="delay", solver="sgd")
PLAIN = ["parquet", "one group", "csv", "feather"]


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes as of a file a hundred times as long: a buffer of a tenth of the rows, and a sample of them."""
    monkeypatch.setattr(source_module, "MAX_BATCH_ROWS", 512)
    monkeypatch.setattr(batch_learner, "FIRST_BATCH_ROWS", 2048)
    monkeypatch.setattr(shuffled, "MIN_BUFFER_BYTES", 2**17, raising=False)
    monkeypatch.setattr(shuffled, "MAX_BUFFER_BYTES", 2**17, raising=False)
    monkeypatch.setattr(line_ranges, "MIN_RANGE_BYTES", 2**12, raising=False)
    monkeypatch.setattr(sample, "MAX_PART_BYTES", 2**16, raising=False)


def flights(rows: int = ROWS) -> Any:
    """Flights in the order of time: delays, carriers and distances change with the season and over the years."""
    rng = np.random.default_rng(0)
    day = np.sort(rng.uniform(0, 1000, rows))
    season = np.sin(2 * np.pi * day / 365)
    carrier = np.where(rng.random(rows) < 0.5 + 0.4 * season, "AA", "UA")
    distance = rng.normal(800 + 0.6 * day, 200)
    delay = 0.02 * day + 10 * season + 5 * (carrier == "AA") - distance / 50 + rng.normal(0, 12, rows)
    return pa.table(
        {
            "when": np.datetime64("2013-01-01") + (day * 86400).astype("timedelta64[s]"),
            "carrier": carrier,
            "distance": distance,
            "delay": delay,
        }
    )


def written(form: str, folder: Path, table: Any = None) -> Path:
    table = flights() if table is None else table
    if form == "parquet":
        pa.parquet.write_table(table, folder / "t.parquet", row_group_size=ROWS // 20)
        return folder / "t.parquet"
    if form == "one group":
        return write_parquet(table, folder / "t.parquet")
    if form == "feather":
        pa.feather.write_feather(table, folder / "t.feather", chunksize=500)
        return folder / "t.feather"
    path = write_csv(table, folder / "t.csv")
    if form == "csv.gz":
        (folder / "t.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
        return folder / "t.csv.gz"
    return path


def r_squared(model: Any) -> float:
    table = flights()
    y = table["delay"].to_numpy()
    return float(1 - np.mean((y - model.predict(table)) ** 2) / y.var())


# Law: streamed through a buffer of a tenth of its rows, a sorted file gives the R^2 of the fit in memory.
@pytest.mark.parametrize("form", PLAIN)
def test_as_good_as_in_memory(form: str, tmp_path: Path) -> None:
    path = written(form, tmp_path)
    in_memory, streamed = fit_table(path, DELAY, memory=2**28), fit_table(path, DELAY, memory=100_000)
    assert (in_memory.facts.way, streamed.facts.way) == ("held in memory", "streamed in random order")
    assert r_squared(in_memory) > 0.38
    assert r_squared(streamed) == pytest.approx(r_squared(in_memory), abs=0.005)


# Law: the encoder of a sorted file knows levels from all over it.
@pytest.mark.parametrize("form", PLAIN)
@pytest.mark.parametrize("memory", [0, 2**28])
def test_encoder_knows_the_whole_file(form: str, memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults: Any = TableEncoder.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "learn_rows", 2000)
    month = np.repeat([f"month {number:02}" for number in range(20)], ROWS // 20)
    path = written(form, tmp_path, flights().append_column("month", pa.array(month)))
    names = fit_table(path, DELAY, memory=memory).feature_names
    assert {f"month=month {number:02}" for number in range(20)} <= set(names)


# Law: the seed tells the order, and each pass has an order of its own.
def test_seeds_and_passes(tmp_path: Path) -> None:
    path = written("csv", tmp_path)
    models = [
        fit_table(path, Request(target="delay", solver="sgd", seed=seed, passes=passes), memory=0).model.coef_
        for seed, passes in ((0, 1), (0, 1), (1, 1), (0, 2))
    ]
    np.testing.assert_array_equal(models[0], models[1])
    assert not np.array_equal(models[0], models[2])
    assert not np.array_equal(models[0], models[3])


# Law: a checkpoint changes no byte of the model, whether the rows fit the memory or not.
@pytest.mark.parametrize("memory", [None, 100_000, 0])
@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz"])
@pytest.mark.filterwarnings("ignore:.* is sorted")
def test_checkpoint_changes_nothing(form: str, memory: int | None, tmp_path: Path) -> None:
    path = written(form, tmp_path)
    fit_table(path, DELAY, memory=memory).save(tmp_path / "without")
    checkpoint = Checkpoint(tmp_path / "checkpoint", 4000)
    fit_table(path, DELAY, memory=memory, checkpoint=checkpoint).save(tmp_path / "with")
    assert (tmp_path / "without").read_bytes() == (tmp_path / "with").read_bytes()
    assert (tmp_path / "checkpoint").exists() == (memory is not None)


# Law: a fit that was killed goes on in the same order, whatever memory is there then, to the same bytes.
@pytest.mark.parametrize("writes", [1, 4, 9])
@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz"])
@pytest.mark.filterwarnings("ignore:.* is sorted")
def test_killed(form: str, writes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, request = written(form, tmp_path), Request(target="delay", passes=2)
    fit_table(path, request, memory=100_000).save(tmp_path / "whole")
    file = tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        killed_at(patch, "ridgeway.storage.checkpoint.write_state", writes, before=False)
        with pytest.raises(Killed):
            fit_table(path, request, memory=100_000, checkpoint=Checkpoint(file, 5000))
    fit_table(path, request, memory=2**30, checkpoint=Checkpoint(file, 5000)).save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    os.unlink(file)


# Law: a compressed file that is sorted and exceeds the buffer is told, with the column and what to do.
def test_sorted_compressed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written("csv.gz", tmp_path)
    with pytest.warns(UserWarning, match=r"t\.csv\.gz is sorted: .*'when.*Parquet.*shuffle.*--memory") as told:
        model = fit_table(path, DELAY, memory=100_000)
    assert sum("is sorted" in str(one.message) for one in told) == 1
    assert model.facts.way == "streamed in the order of the file"
    file = tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        killed_at(patch, "ridgeway.storage.checkpoint.write_state", 2, before=False)
        with pytest.raises(Killed):
            fit_table(path, DELAY, memory=100_000, checkpoint=Checkpoint(file, 5000))
    with pytest.warns(UserWarning, match="is sorted"):
        fit_table(path, DELAY, checkpoint=Checkpoint(file, 5000))


# Law: nothing is told of a compressed file that is shuffled, fits the buffer, or fits the memory.
def test_shuffled_compressed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = flights()
    mixed = written("csv.gz", tmp_path, table.take(np.random.default_rng(0).permutation(ROWS)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        fit_table(mixed, DELAY, memory=100_000)
        path = written("csv.gz", tmp_path)
        fit_table(path, DELAY, memory=2**28)
        monkeypatch.setattr(shuffled, "MIN_BUFFER_BYTES", 2**24)
        model = fit_table(path, DELAY, memory=100_000)
    assert model.facts.way == "streamed in random order"
    assert r_squared(model) > 0.38


# Law: sparse rows of a compressed file are compared by their columns.
def test_sorted_sparse_rows(tmp_path: Path) -> None:
    lines = [f"{row / 1000} 1:{row} 2:{row % 7}" for row in range(1, 20_000)]
    (tmp_path / "t.svm.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.warns(UserWarning, match="is sorted"):
        fit_table(tmp_path / "t.svm.gz", Request(solver="sgd"), memory=1000)


# Law: memory that nobody sets is a quarter of what is available.
def test_default_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written("parquet", tmp_path)
    ways = []
    for available in (2**34, 400_000):
        monkeypatch.setattr("ridgeway.machine.available_memory.available_memory", lambda free=available: free)
        ways.append(fit_table(path, DELAY).facts.way)
    assert ways == ["held in memory", "streamed in random order"]
