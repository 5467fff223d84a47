"""Gram matrices by partitions: one read, added up in a tree; the path of all rows at once, on any cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from sklearn.linear_model import Ridge

import ridgeway as rw
from ridgeway.dask.serial import Serial
from ridgeway.data import DataError
from ridgeway.storage.checkpoint import CheckpointError
from ridgeway.tables import Request
from ridgeway.tables.distributed import fit_table_on

ALPHAS = np.logspace(-4, 2, 8)


def problem(n: int = 2000, d: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * np.logspace(-2, 2, d) + 50
    y = X @ np.logspace(2, -2, d) + rng.standard_normal(n) * (1 + np.arange(n) / n)
    order = np.argsort(y)  # partitions differ
    return X[order], y[order]


def blocks(X: Any, y: Any, size: int = 130) -> tuple[Any, Any]:
    return da.from_array(X, chunks=(size, X.shape[1])), da.from_array(y, chunks=size)


# Law: whatever the partitions, the path is ridge of all rows.
@pytest.mark.parametrize("size", [40, 999, 2000])
@pytest.mark.parametrize("options", [{}, {"scale": False}, {"fit_intercept": False}], ids=str)
def test_path(size: int, options: dict[str, Any]) -> None:
    X, y = problem()
    model = rw.dask.fit(rw.RidgePathCV(random_state=0, **options), blocks(X, y, size), client="serial")
    assert (model.solver_, model.n_rows_, model.n_features_in_) == ("gram", len(y), X.shape[1])
    assert model.selection_ is not None
    assert model.selection_.method == "5 folds, Gram matrices"
    centred = options.get("fit_intercept", True)
    scale = X.std(axis=0) if options.get("scale", True) else np.ones(X.shape[1])
    for alpha, coef in zip(ALPHAS, model.path(ALPHAS).coefs, strict=True):
        ridge = Ridge(alpha=alpha * len(y), fit_intercept=centred, solver="cholesky").fit(X / scale, y)
        np.testing.assert_allclose(coef * scale, ridge.coef_, rtol=1e-6, atol=1e-7 * np.abs(ridge.coef_).max())


# Law: the errors of the folds are those of refits on all rows but one fold, for some deal of the rows.
def test_errors() -> None:
    X, y = problem()
    by_partitions = rw.dask.fit(rw.RidgePathCV(random_state=0), blocks(X, y), client="serial")
    in_memory = rw.RidgePathCV(cv=5, random_state=0).fit(X, y)
    assert by_partitions.selection_ is not None
    assert in_memory.selection_ is not None
    assert by_partitions.selection_.chosen.error == pytest.approx(in_memory.selection_.chosen.error, rel=0.02)


# Law: weights, several targets and sparse blocks count as in a fit of all rows; the model goes on with more rows.
def test_forms() -> None:
    X, y = problem()
    X = X - 50
    X[np.abs(X) < np.abs(X).mean(axis=0)] = 0
    Y, weight = np.stack([y, -2 * y], axis=1), np.arange(len(y)) % 3 + 0.0
    sparse = da.from_array(X, chunks=(300, X.shape[1])).map_blocks(scipy.sparse.csr_matrix)
    targets, weights = da.from_array(Y, chunks=(300, 2)), da.from_array(weight, chunks=300)
    model = rw.dask.fit(rw.RidgePathCV(alpha=0.1), (sparse, targets), client="serial", weight=weights)
    expected = rw.RidgePathCV(alpha=0.1, solver="gram").fit(scipy.sparse.csr_matrix(X), Y, weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8)
    np.testing.assert_allclose(model.predict(X), expected.predict(X), rtol=1e-8)
    model.partial_fit(scipy.sparse.csr_matrix(X), Y, weight)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8)


# Law: a checkpoint ends in the same model, and belongs to one fit.
def test_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = problem(500)
    whole = rw.dask.fit(rw.RidgePathCV(random_state=0), blocks(X, y), client="serial")
    file = tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        patch.setattr(rw.RidgePathCV, "_set_fit", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            rw.dask.fit(
                rw.RidgePathCV(random_state=0), blocks(X, y), client="serial", checkpoint=file, checkpoint_every=0
            )
    with pytest.raises(CheckpointError, match="with other parameters"):
        rw.dask.fit(rw.RidgePathCV(random_state=1), blocks(X, y), client="serial", checkpoint=file)
    monkeypatch.setattr(Serial, "total", lambda *given: 1 / 0)  # the sums are there already
    resumed = rw.dask.fit(rw.RidgePathCV(random_state=0), blocks(X, y), client="serial", checkpoint=file)
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    assert resumed.selection_ == whole.selection_
    assert not file.exists()


# Law: many columns are learned by SGD, as AveragedSGDRegressor learns them.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sgd() -> None:
    X, y = problem(6000)
    model = rw.dask.fit(rw.RidgePathCV(solver="sgd", random_state=0), blocks(X, y, 2000), client="serial")
    expected = rw.AveragedSGDRegressor(averaging="geometric", random_state=0)
    rw.dask.fit(expected, blocks(X, y, 2000), client="serial")
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.solver_ == "sgd"


# Law: a table on a cluster says its solver; options of SGD mean SGD there, too.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_table(tmp_path: Path) -> None:
    X, y = problem()
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({**{f"x{i}": X[:, i] for i in range(6)}, "y": y}), path, row_group_size=100)
    model = fit_table_on(Serial(), path, Request(target="y"))
    assert (model.facts.solver, model.facts.way, model.facts.rows) == ("gram", "on a cluster", len(y))
    assert 1 - np.mean((model.predict(path) - y) ** 2) / y.var() > 0.7
    assert fit_table_on(Serial(), path, Request(target="y", passes=1)).facts.solver == "sgd"
    with pytest.raises(ValueError, match="chains=2: expected 1 for solver='gram'"):
        fit_table_on(Serial(), path, Request(target="y", solver="gram"), chains=2)


# Law: what cannot be done is refused, with what to do.
def test_refusals() -> None:
    X, y = problem(300)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"solver": "krylov"}, "solver='krylov' needs all rows at once: expected 'auto', 'gram' or 'sgd' on a cluster"),
        ({"cv": "loo"}, "cv='loo' needs all rows at once: expected 'auto' or a number of folds"),
    ]
    for options, message in refused:
        with pytest.raises(ValueError, match=message):
            rw.dask.fit(rw.RidgePathCV(**options), blocks(X, y), client="serial")
    X[250, 2] = np.nan
    with pytest.raises(DataError, match=r"block 1 of the dask array: X\[120, 2\] is NaN"):
        rw.dask.fit(rw.RidgePathCV(), blocks(X, y), client="serial")
    zero = da.zeros(len(y), chunks=130)
    with pytest.raises(ValueError, match="no partition has a row with a target and a positive weight"):
        rw.dask.fit(rw.RidgePathCV(), blocks(X, y), client="serial", weight=zero)
