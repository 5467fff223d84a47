"""Which solver a table takes; Gram matrices of files: one read, in any order, interrupted or not."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import Ridge
from tests.tables.shop import shop_table, write_csv, write_parquet
from tests.tables.test_table_fit import Killed, by_hand, killed_at

import ridgeway as rw
from ridgeway.data import DataError, TableEncoder, source
from ridgeway.estimators import solver_choice
from ridgeway.tables import Checkpoint, Request, batch_learner, fit_table, table_fit, table_rows
from ridgeway.tables.learnable_rows import learnable_rows

PRICE = Request(target="price")
ALPHAS = np.logspace(-6, 3, 20)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BATCH_ROWS", 256)
    monkeypatch.setattr(batch_learner, "FIRST_BATCH_ROWS", 1024)


# Law: a small table is RidgePathCV.fit on the encoded rows, bit for bit.
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("solver", ["auto", "krylov"])
def test_in_memory(solver: str, weight: str | None, tmp_path: Path) -> None:
    path = write_parquet(shop_table(), tmp_path / "t.parquet")
    request = Request(target="price", weight=weight, seed=3, solver=solver)
    model = fit_table(path, request)
    X, y, weights = (list(part) for part in zip(*by_hand(path, request)[1], strict=True))
    expected = rw.RidgePathCV(solver=solver, random_state=3).fit(
        np.concatenate(X), np.concatenate(y), None if weight is None else np.concatenate(weights)
    )
    np.testing.assert_array_equal(model.model.coef_, expected.coef_)
    assert model.model.selection_ == expected.selection_
    assert (model.facts.solver, model.facts.solver_reason) == (expected.solver_, expected.solver_reason_)
    assert model.facts.way == "held in memory"


# Law: a larger table of few columns is read once, in the order of the file, and equals ridge at every alpha.
@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_read_once(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(shop_table(), tmp_path / ("t.csv" if write is write_csv else "t.parquet"))
    reads = []

    def counted(*given: Any) -> Any:
        reads.append(given)
        return learnable_rows(*given)

    monkeypatch.setattr(table_rows, "learnable_rows", counted)
    request = Request(target="price", weight="weight")
    model = fit_table(path, request, memory=10_000)
    assert len(reads) == 1
    assert model.facts.streamed
    assert model.facts.way == "read once, in an order that does not matter"
    X, y, weights = (np.concatenate(part) for part in zip(*by_hand(path, request)[1], strict=True))
    X = X.astype(np.float64)
    mean = np.average(X, axis=0, weights=weights)
    scale = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    scale[scale == 0] = 1.0
    for alpha, coef in zip(ALPHAS[5:], model.path(ALPHAS[5:]).coefs, strict=True):
        ridge = Ridge(alpha=alpha * weights.sum(), solver="cholesky").fit((X - mean) / scale, y, weights)
        np.testing.assert_allclose(coef, ridge.coef_ / scale, rtol=1e-5, atol=1e-7 * np.abs(coef).max())


# Law: with the same encoder, a sorted file and a shuffled one have the same path.
@pytest.mark.parametrize("memory", [0, 20_000])
def test_order_does_not_matter(memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6000, 8)) * np.logspace(-3, 3, 8) + 1000 * np.arange(8)
    y = X @ np.logspace(3, -3, 8) + rng.standard_normal(6000)
    X[:, 7] += np.where(y > np.median(y), 5000, 0)
    table = pa.table({**{f"x{i}": X[:, i] for i in range(8)}, "price": y})
    encoder = TableEncoder(dtype="float64").fit(table.drop_columns(["price"]))
    monkeypatch.setattr(table_fit, "learned_encoder", lambda *given: encoder)
    ordered = write_parquet(table.sort_by("price"), tmp_path / "sorted.parquet")
    mixed = write_csv(table.take(rng.permutation(6000)), tmp_path / "mixed.csv")
    paths = [fit_table(file, PRICE, memory=memory).path(ALPHAS) for file in (ordered, mixed)]
    scales = np.abs(paths[0].coefs).max(axis=0)
    np.testing.assert_allclose(paths[0].coefs / scales, paths[1].coefs / scales, atol=1e-9)
    np.testing.assert_allclose(paths[0].intercepts, paths[1].intercepts, rtol=1e-9)


# Law: the same holds for rows that the encoder writes in float32, although their scales differ batch by batch.
def test_order_of_float32_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = shop_table().drop_columns(["weight"])
    encoder = TableEncoder(dtype="float32").fit(table.drop_columns(["price"]))
    monkeypatch.setattr(table_fit, "learned_encoder", lambda *given: encoder)
    ordered, mixed = table.sort_by("price"), table.take(np.random.default_rng(0).permutation(len(table)))
    one, other = (fit_table(rows, PRICE, memory=0).path(ALPHAS[5:]).coefs for rows in (ordered, mixed))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.abs(one).max())


# Law: rows that turn out to exceed the memory give the model of a stream from the start, and so does a checkpoint.
def test_over_to_a_stream(tmp_path: Path) -> None:
    path = write_csv(shop_table(), tmp_path / "t.csv")
    fit_table(path, PRICE, memory=0).save(tmp_path / "streamed")
    fit_table(path, PRICE, memory=10_000).save(tmp_path / "changed")
    fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(tmp_path / "c", 500)).save(tmp_path / "stored")
    for name in ("changed", "stored"):
        assert (tmp_path / "streamed").read_bytes() == (tmp_path / name).read_bytes()


# Law: whenever a fit with a checkpoint is killed, the same fit goes on to the same model file, bit for bit.
@pytest.mark.parametrize(
    ("where", "call", "before", "every"),
    [
        ("ridgeway.storage.checkpoint.write_state", 1, True, 1),
        ("ridgeway.storage.checkpoint.write_state", 1, False, 1),
        ("ridgeway.storage.checkpoint.write_state", 2, False, 600),
        ("ridgeway.tables.batch_learner.joined_rows", 1, True, 1),
        ("ridgeway.tables.batch_learner.joined_rows", 5, False, 600),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_killed(
    form: str, where: str, call: int, before: bool, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = (write_csv if form == "csv" else write_parquet)(shop_table(), tmp_path / f"t.{form}")
    fit_table(path, PRICE, memory=0).save(tmp_path / "whole")
    file = tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        killed_at(patch, where, call, before)
        with pytest.raises(Killed):
            fit_table(path, PRICE, memory=0, checkpoint=Checkpoint(file, every))
    checkpoint = Checkpoint(file, every)
    fit_table(path, PRICE, memory=2**28 if file.exists() else 0, checkpoint=checkpoint).save(tmp_path / "resumed")
    checkpoint.done()
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["resumed", f"t.{form}", "whole"]


# Law: a wide table is solved in memory, and learned by SGD beyond it; the model says why.
def test_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver_choice, "MAX_STREAM_COLUMNS", 30)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 300))
    table = pa.table({**{f"x{i}": X[:, i] for i in range(300)}, "price": X[:, 0] + rng.standard_normal(500)})
    held = fit_table(table, PRICE)
    assert held.facts.solver == "krylov"
    assert held.model.averaging == "geometric"
    with pytest.warns(UserWarning, match="averages of alpha below"):
        streamed = fit_table(table, PRICE, memory=100_000)
    assert isinstance(streamed.model, rw.AveragedSGDRegressor)
    assert streamed.facts.solver_reason.startswith("300 columns are too many for Gram matrices, and the rows exceed 0 ")
    assert fit_table(table, Request(target="price", solver="gram"), memory=100_000).facts.solver == "gram"


# Law: a model goes through a file with its solver, and stands at any alpha afterwards.
@pytest.mark.parametrize(("solver", "memory"), [("gram", 0), ("gram", None), ("krylov", None), ("sgd", 0)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_files(solver: str, memory: int | None, tmp_path: Path) -> None:
    table = shop_table()
    model = fit_table(table, Request(target="price", solver=solver), memory=memory)
    model.save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    assert loaded.facts == model.facts
    assert (loaded.facts.solver, loaded.facts.solver_reason) == (solver, "as requested")
    np.testing.assert_array_equal(loaded.at(0.3).predict(table), model.at(0.3).predict(table))


# Law: the model of a table says which solver fitted its kernel model, and why. In old files the estimator alone knows.
@pytest.mark.parametrize("solver", ["auto", "krylov", "sgd"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_solver_of_a_kernel(solver: str, tmp_path: Path) -> None:
    table = shop_table().slice(0, 120)
    model = fit_table(table, Request(target="price", kernel="rbf", alpha=0.1, solver=solver))
    expected = model.model.solver_, model.model.solver_reason_
    assert expected[0] == ("krylov" if solver == "auto" else solver)
    assert expected[1] == "as requested" or solver == "auto"
    assert (model.facts.solver, model.facts.solver_reason) == expected
    replace(model, facts=replace(model.facts, solver="sgd", solver_reason="")).save(tmp_path / "older")
    assert rw.load(tmp_path / "older").facts == model.facts


# Law: an option that only SGD has implies SGD, which the model says; beside another solver it is refused.
@pytest.mark.filterwarnings("ignore:averages of alpha below:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"passes": 2}, "because passes=2 is an option of SGD"),
        ({"cv": "progressive"}, "because cv='progressive' is an option of SGD"),
        ({"averaging": "tail"}, "because averaging='tail' averages the steps of SGD"),
        ({"averaging": rw.Tail(0.5)}, "because averaging=Tail(start=0.5) averages the steps of SGD"),
    ],
    ids=str,
)
def test_options_of_sgd(options: dict[str, Any], reason: str) -> None:
    request = Request(target="price", **options)
    assert isinstance(request.estimator(), rw.AveragedSGDRegressor)
    assert request.solver_reason == reason
    if "averaging" in options:  # exact solvers have these averages, too: of gradient descent
        model = fit_table(shop_table(), Request(target="price", solver="gram", **options)).model
        assert model.alpha_ is None
    else:
        with pytest.raises(ValueError, match=r"belongs to SGD, but solver='krylov' was requested.*leave \w+ out"):
            fit_table(shop_table(), Request(target="price", solver="krylov", **options))
    assert isinstance(Request(target="price", averaging=rw.Geometric(0.1)).estimator(), rw.RidgePathCV)


# Law: what a stream cannot do is refused, with what to do.
def test_refused_streams() -> None:
    with pytest.raises(DataError, match=r"'krylov' needs all rows in memory.*allow more memory"):
        fit_table(shop_table(), Request(target="price", solver="krylov"), memory=1000)
    with pytest.raises(DataError, match=r"cv='loo' needs all rows in memory.*a number of folds"):
        fit_table(shop_table(), Request(target="price", cv="loo"), memory=1000)
    with pytest.raises(ValueError, match="solver='lasso': expected 'auto', 'gram', 'krylov' or 'sgd'"):
        fit_table(shop_table(), Request(target="price", solver="lasso"))


def words_table(n: int = 900) -> pa.Table:
    """Texts of many words, each of them rare; the first one of a row sets the price."""
    rng = np.random.default_rng(0)
    picked = rng.integers(0, 3000, (n, 6))
    return pa.table({"t": [" ".join(f"w{k}" for k in row) for row in picked], "price": picked[:, 0] / 1000})


# Law: a text alone has many features if its rows fit in memory and nothing else than Krylov products may solve them,
# and the model is Ridge on the encoded rows as they are.
def test_words_in_memory() -> None:
    table = words_table()
    model = fit_table(table, PRICE)
    assert model.encoder is not None
    assert (model.facts.solver, model.encoder.n_features_out_) == ("krylov", 8192)
    X = model.encoder.transform(table).astype(np.float64)
    y = table["price"].to_numpy()
    for alpha in (1e-2, 1.0):
        ridge = Ridge(alpha * len(y), solver="sparse_cg", tol=1e-10).fit(X, y)
        (coef,) = model.path([alpha]).coefs
        np.testing.assert_allclose(coef, ridge.coef_, atol=1e-3 * np.abs(ridge.coef_).max())


# Law: rows that exceed the memory, and solvers that need few columns, leave a text at 1,024 features.
@pytest.mark.parametrize(
    ("memory", "options"),
    [(0, {}), (20_000, {}), (None, {"solver": "gram"}), (None, {"solver": "sgd"}), (None, {"kernel": "rbf"})],
)
def test_words_of_streams(memory: int | None, options: dict[str, Any]) -> None:
    model = fit_table(words_table(400), replace(PRICE, **options), memory=memory)
    assert model.encoder is not None
    assert model.encoder.n_features_out_ == 1024
    assert model.facts.streamed == (memory is not None)
