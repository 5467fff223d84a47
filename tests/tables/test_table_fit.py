"""Fits of tables: the same model as by hand, in memory or streamed, interrupted or not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.datasets import dump_svmlight_file
from tests.tables.shop import shop_table, write_csv, write_parquet

import ridgeway as rw
from ridgeway.data import DataError, TableEncoder, open_data, source, target_of
from ridgeway.data.shuffled import shuffled
from ridgeway.storage import read_state, write_state
from ridgeway.storage.checkpoint import CheckpointError
from ridgeway.tables import Checkpoint, Request, batch_learner, fit_table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PRICE = Request(target="price", passes=2)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BATCH_ROWS", 256)
    monkeypatch.setattr(batch_learner, "FIRST_BATCH_ROWS", 1024)


def by_hand(path: Path, request: Request, pass_number: int | None = None) -> tuple[TableEncoder, Iterator[Any]]:
    """Encoder and batches (X, y, weight), in the order of the file or of a pass, made without the code under test."""
    features = ["size", "shop", "day", "used", *([] if request.weight else ["weight"])]
    encoder = TableEncoder().fit(open_data(path, columns=features))
    columns = [*features, "price", *([request.weight] if request.weight else [])]
    rows_of_file = open_data(path, columns=columns)
    if pass_number is not None:
        rows_of_file = shuffled(rows_of_file, memory=0, seed=request.seed).of_pass(pass_number)

    def batches() -> Iterator[Any]:
        for batch in rows_of_file.batches():
            rows = target_of(batch, "price", request.weight)
            keep = np.ones(len(rows.y), bool) if rows.weight is None else rows.weight > 0
            X = encoder.transform(rows.table)[keep]
            yield X, rows.y[keep], None if rows.weight is None else rows.weight[keep]

    return encoder, batches()


# Law: a fit in memory is AveragedSGDRegressor.fit on the encoded rows, bit for bit.
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_in_memory(write: Any, weight: str | None, tmp_path: Path) -> None:
    path = write(shop_table(), tmp_path / ("t.csv" if write is write_csv else "t.parquet"))
    request = Request(target="price", weight=weight, passes=2, seed=3)
    model = fit_table(path, request)
    _, batches = by_hand(path, request)
    X, y, weights = (list(part) for part in zip(*batches, strict=True))
    by_sklearn = rw.AveragedSGDRegressor(passes=2, random_state=3).fit(
        np.concatenate(X), np.concatenate(y), None if weight is None else np.concatenate(weights)
    )
    np.testing.assert_array_equal(model.model.coef_, by_sklearn.coef_)
    assert model.model.intercept_ == by_sklearn.intercept_
    assert model.model.selection_ == by_sklearn.selection_
    assert not model.facts.streamed
    assert model.facts.rows == len(np.concatenate(y))
    assert model.facts.rows + model.facts.left_out == 3000


# Law: a streamed fit is partial_fit over the shuffled and encoded batches, pass after pass, bit for bit.
@pytest.mark.parametrize("weight", [None, "weight"])
def test_streamed(weight: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.tables.batch_learner.FIRST_BATCH_ROWS", 1)
    path = write_parquet(shop_table(), tmp_path / "t.parquet")
    request = Request(target="price", weight=weight, passes=3)
    model = fit_table(path, request, memory=0)
    stream = rw.AveragedSGDRegressor(passes=3, random_state=0)
    for pass_number in range(3):
        for X, y, weights in by_hand(path, request, pass_number)[1]:
            stream.partial_fit(X, y, weights)
    np.testing.assert_array_equal(model.model.coef_, stream.coef_)
    assert model.model.selection_ == stream.selection_
    assert model.facts.streamed


# Law: a stream begins with enough rows to set scales, whatever the batches.
def test_stream_begins_with_enough_rows(tmp_path: Path) -> None:
    path = write_parquet(shop_table(), tmp_path / "t.parquet")
    model = fit_table(path, Request(target="price", solver="sgd"), memory=0)
    X, y, _ = (list(part) for part in zip(*by_hand(path, Request(target="price"), 0)[1], strict=True))
    first = next(k for k in range(20) if sum(map(len, y[:k])) >= 1024)
    stream = rw.AveragedSGDRegressor(random_state=0).partial_fit(np.concatenate(X[:first]), np.concatenate(y[:first]))
    for rest in range(first, len(X)):
        stream.partial_fit(X[rest], y[rest])
    np.testing.assert_array_equal(model.model.coef_, stream.coef_)


# Law: rows that turn out to exceed the memory are streamed, as if they had been from the start.
def test_over_to_a_stream(tmp_path: Path) -> None:
    path = write_csv(shop_table(), tmp_path / "t.csv")
    fit_table(path, PRICE, memory=0).save(tmp_path / "streamed")
    fit_table(path, PRICE, memory=10_000).save(tmp_path / "changed")
    assert (tmp_path / "streamed").read_bytes() == (tmp_path / "changed").read_bytes()


# Law: a model at an alpha predicts what a fit at that alpha predicts, in memory and streamed.
@pytest.mark.parametrize("memory", [0, 2**28])
def test_another_alpha(memory: int, tmp_path: Path) -> None:
    table = shop_table()
    fit_table(table, PRICE, memory=memory).save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    given = Request(target="price", passes=2, alpha=0.3).estimator()
    encoder, _ = TableEncoder().fit(table.drop_columns(["price"])), None
    if memory:
        rows = table.filter(pa.compute.is_valid(table["price"]))
        given.fit(encoder.transform(rows), rows["price"].to_numpy())
        expected = given.predict(encoder.transform(table))
    else:
        expected = fit_table(table, Request(target="price", passes=2, alpha=0.3), memory=0).predict(table)
    np.testing.assert_array_equal(loaded.at(0.3).predict(table), expected)


# Law: a log target is learned as such and predicted in its own units.
def test_log_target() -> None:
    table = shop_table()
    logs = table.set_column(5, "price", pa.compute.ln(table["price"]))
    one = fit_table(table, Request(target="price", log_target=True, passes=2))
    other = fit_table(logs, Request(target="price", passes=2))
    np.testing.assert_allclose(one.predict(table), np.exp(other.predict(table)), rtol=1e-12)
    with pytest.raises(DataError, match=r"'price' holds -\d.*expected numbers above 0"):
        fit_table(logs, Request(target="price", log_target=True))


# Law: only the columns asked for are learned from.
def test_drop_and_only() -> None:
    table = shop_table()
    kept = fit_table(table, Request(target="price", drop=("day", "weight", "used"), passes=1))
    only = fit_table(table, Request(target="price", only=("size", "shop"), passes=1))
    assert kept.columns == only.columns == ["size", "shop"]
    np.testing.assert_array_equal(kept.model.coef_, only.model.coef_)
    with pytest.raises(DataError, match="no column is left"):
        fit_table(table, Request(target="price", only=("price",)))
    named: Any = ("sized",)
    for wrong in ({"drop": named}, {"only": named}, {"weight": named[0]}, {"target": named[0]}):
        with pytest.raises(DataError, match="there is no column 'sized': did you mean 'size'"):
            fit_table(table, Request(**{"target": "price", **wrong}))


# Law: sparse rows of LIBSVM files are learned from as they are, and rows with fewer columns are predicted.
def test_libsvm(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X: Any = scipy.sparse.random(600, 40, density=0.1, random_state=rng, format="csr")
    y = X @ rng.standard_normal(40)
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=False)
    dump_svmlight_file(X[:, :30], y, str(tmp_path / "few.svm"), zero_based=False)
    model = fit_table(tmp_path / "t.svm", Request(passes=2))
    parts, targets = zip(*open_data(tmp_path / "t.svm").batches(), strict=True)
    read = scipy.sparse.vstack(parts, format="csr")
    by_sklearn = rw.AveragedSGDRegressor(passes=2, random_state=0).fit(read, np.concatenate(targets))
    np.testing.assert_array_equal(model.model.coef_, by_sklearn.coef_)
    model.save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(tmp_path / "t.svm"), by_sklearn.predict(read))
    assert loaded.predict(tmp_path / "few.svm").shape == (600,)
    assert loaded.feature_names[:2] == ["column 1", "column 2"]
    np.testing.assert_array_equal(loaded.predict(read), by_sklearn.predict(read))
    with pytest.raises(DataError, match="have no names"):
        fit_table(tmp_path / "t.svm", Request(target="y"))


# Law: sparse rows that are streamed are partial_fit over their batches, pass after pass.
def test_libsvm_streamed(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X: Any = scipy.sparse.random(600, 40, density=0.1, random_state=rng, format="csr")
    dump_svmlight_file(X, X @ rng.standard_normal(40), str(tmp_path / "t.svm"), zero_based=False)
    model = fit_table(tmp_path / "t.svm", Request(passes=2), memory=0)
    by_hand = rw.AveragedSGDRegressor(random_state=0, passes=2)
    for pass_number in range(2):
        source = shuffled(open_data(tmp_path / "t.svm"), memory=0).of_pass(pass_number)
        read, y = (list(part) for part in zip(*source.batches(), strict=True))
        by_hand.partial_fit(scipy.sparse.vstack(read, format="csr"), np.concatenate(y))
    np.testing.assert_array_equal(model.model.coef_, by_hand.coef_)


# Law: rows without targets change nothing but the order of the others, wherever they stand.
@pytest.mark.parametrize("first", [0, 1280])
def test_batch_without_targets(first: int) -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.standard_normal(2304), rng.standard_normal(2304)
    missing = (np.arange(2304) >= first) & (np.arange(2304) < first + 256)
    table = pa.table({"x": x, "y": pa.array(3 * x + noise, mask=missing)})
    got = fit_table(table, Request(target="y", solver="sgd"), memory=0)
    expected = rw.AveragedSGDRegressor(random_state=0)
    held: list[Any] = []
    for batch in shuffled(open_data(table), memory=0).batches():
        held.append(target_of(batch, "y"))
        if expected.__sklearn_is_fitted__() or sum(len(rows.y) for rows in held) >= 1024:
            X = np.concatenate([rows.table.column("x").to_numpy() for rows in held])[:, None].astype(np.float32)
            expected.partial_fit(X, np.concatenate([rows.y for rows in held]))
            held.clear()
    np.testing.assert_array_equal(got.model.coef_, expected.coef_)
    assert (got.facts.rows, got.facts.left_out) == (2048, 256)


class Killed(BaseException):
    """Stands for the end of the process."""


def killed_at(monkeypatch: pytest.MonkeyPatch, where: str, call: int, before: bool) -> None:
    """End the process at a call of something."""
    module, name = where.rsplit(".", 1)
    original: Any = getattr(__import__(module, fromlist=[name]), name)
    calls = 0

    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and before:
            raise Killed
        answer = original(*args, **kwargs)
        if calls == call:
            raise Killed
        return answer

    monkeypatch.setattr(where, counted)


# Law: whenever a fit with a checkpoint is killed, the same fit goes on to the same model file, bit for bit.
@pytest.mark.parametrize(
    ("where", "call", "before", "every"),
    [
        ("ridgeway.storage.checkpoint.write_state", 1, True, 1),
        ("ridgeway.storage.checkpoint.write_state", 1, False, 1),
        ("ridgeway.storage.checkpoint.write_state", 9, True, 1),
        ("ridgeway.storage.checkpoint.write_state", 17, False, 1),
        ("ridgeway.storage.checkpoint.write_state", 3, False, 600),
        ("ridgeway.tables.batch_learner.joined_rows", 1, True, 1),
        ("ridgeway.tables.batch_learner.joined_rows", 4, False, 600),
        ("ridgeway.tables.batch_learner.joined_rows", 15, True, 600),
    ],
)
def test_checkpoints(
    where: str, call: int, before: bool, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_parquet(shop_table(), tmp_path / "t.parquet")
    fit_table(path, PRICE, memory=0).save(tmp_path / "whole")
    file = tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        killed_at(patch, where, call, before)
        with pytest.raises(Killed):
            fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, every))
    checkpoint = Checkpoint(file, every)
    fit_table(path, PRICE, memory=0, checkpoint=checkpoint).save(tmp_path / "resumed")
    checkpoint.done()
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["resumed", "t.parquet", "whole"]


# Law: a checkpoint goes on with the fit it is of, and with no other.
def test_checkpoint_of_another_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(shop_table(), tmp_path / "t.parquet")
    file = tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        killed_at(patch, "ridgeway.storage.checkpoint.write_state", 3, before=False)
        with pytest.raises(Killed):
            fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, 1))
    kept = file.read_bytes()
    with pytest.raises(CheckpointError, match=r"with other options \(passes is 3, and was 2\).*delete it"):
        fit_table(path, Request(target="price", passes=3), checkpoint=Checkpoint(file, 1))
    with pytest.raises(CheckpointError, match="with other options"):
        fit_table(path, replace(PRICE, levels=300), checkpoint=Checkpoint(file, 1))
    values: Any = read_state(file, "checkpoint")._values
    write_state(file, {**values, "options": {**values["options"], "loss": "huber"}}, "checkpoint")
    with pytest.raises(CheckpointError, match=r"with other options \(of another form\)"):
        fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, 1))
    write_state(file, {**values, "place": {}}, "checkpoint")
    with pytest.raises(rw.ModelFileError, match=r"not a checkpoint that ridgeway writes: place\.\w+ is missing"):
        fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, 1))
    old_place = {name: value for name, value in values["place"].items() if name != "buffer_rows"}
    write_state(file, {**values, "place": old_place}, "checkpoint")
    with pytest.raises(
        CheckpointError, match=r"a checkpoint of version 0\.1, which read rows in the order of the file.*delete"
    ):
        fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, 1))
    file.write_bytes(kept)
    write_parquet(shop_table(seed=1), path)
    with pytest.raises(CheckpointError, match=r"with other data \(files is .*delete it"):
        fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, 1))
    assert file.read_bytes() == kept
    file.write_bytes(kept[: len(kept) // 2])
    with pytest.raises(rw.ModelFileError, match="damaged"):
        fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, 1))


# Law: data that change between two passes are noticed.
def test_data_that_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(shop_table(), tmp_path / "t.parquet")
    n_batches, calls = -(-3000 // 256), 0
    original = rw.AveragedSGDRegressor.partial_fit

    def changing(self: Any, *args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == n_batches - 4:  # the first five batches are learned from together; all of them have been read
            write_parquet(shop_table(seed=1), path)
        return original(self, *args)

    monkeypatch.setattr(rw.AveragedSGDRegressor, "partial_fit", changing)
    with pytest.raises(DataError, match=r"t\.parquet.* changed"):
        fit_table(path, PRICE, memory=0)


# Law: what cannot be learned from says so.
def test_nothing_to_learn_from() -> None:
    table = pa.table({"x": [1.0, 2.0], "y": pa.array([None, None], pa.float64())})
    with pytest.raises(DataError, match=r"none of the 2 rows has a target \(column 'y'\)"):
        fit_table(table, Request(target="y"))
    with pytest.raises(DataError, match="no usable column"):
        fit_table(pa.table({"x": [1.0, 1.0], "y": [1.0, 2.0]}), Request(target="y"))
    with pytest.raises(DataError, match="cv=5 needs all rows in memory"):
        fit_table(shop_table(), Request(target="price", solver="sgd", cv=5), memory=1000)
    with pytest.raises(DataError, match="no target"):
        fit_table(table, Request())


# Law: the name of the target, or the names of several, are a request; anything else is refused by what it is.
def test_target_by_name() -> None:
    table = shop_table(500)
    expected = fit_table(table, Request("price")).coef_
    np.testing.assert_array_equal(fit_table(table, "price").coef_, expected)
    np.testing.assert_array_equal(fit_table(table, target="price").coef_, expected)
    assert fit_table(table, ["price", "size"]).target == ("price", "size")
    wrong: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((Request("price"),), {"target": "price"}, "request and target are both given: expected one"),
        ((3,), {}, "got a int: expected the name of the column to predict"),
        (([],), {}, "got a list: expected the name"),
    ]
    for arguments, options, message in wrong:
        with pytest.raises(TypeError, match=message):
            fit_table(table, *arguments, **options)
    with pytest.raises(DataError, match="no target: expected the column to predict"):
        fit_table(table)
