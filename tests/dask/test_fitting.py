"""Fits by partitions in this process against fits of all rows at once, and against runs made by fold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from tests.dask.conftest import COLUMNS, ROWS

import dask
import ridgeway as rw
from ridgeway.dask import partition_sweep
from ridgeway.dask.partition_folds import PartitionFolds
from ridgeway.data import DataError
from ridgeway.rows import check_batch
from ridgeway.sgd import schedule_of
from ridgeway.storage.checkpoint import CheckpointError

Table = tuple[np.ndarray, np.ndarray, np.ndarray]
FLOAT64 = np.dtype(np.float64)
CHUNK = 500


def blocks(X: Any, y: Any, size: int = CHUNK) -> tuple[Any, Any]:
    return da.from_array(X, chunks=(size, X.shape[1])), da.from_array(y, chunks=size)


def fit(estimator: rw.AveragedSGDRegressor, data: Any, **given: Any) -> rw.AveragedSGDRegressor:
    return rw.dask.fit(estimator, data, client="serial", **given)


# Law: without a shuffle, the fit of partitions is that of all rows one after the other, and so is the choice.
@pytest.mark.filterwarnings("ignore:the held-out error was still falling")
@pytest.mark.parametrize(
    "parameters",
    [
        {"alpha": 0.1, "passes": 2},
        {"cv": 5, "passes": 1},
        {"cv": "holdout", "passes": 2},
        {"alpha": 0.5, "passes": 2, "batch_size": 7},
        {"alpha": 1.0, "passes": 1, "chains": 3},
        {"alpha": 0.1, "passes": 1, "cv": "holdout"},
        {"cv": 3, "passes": 2, "scale": False, "fit_intercept": False, "step": 0.001},
    ],
    ids=str,
)
def test_unshuffled_fit_is_that_of_all_rows(table: Table, parameters: dict[str, Any]) -> None:
    X, y, _ = table
    given = {"shuffle": False, "random_state": 0, "step": rw.LimitedStep(0.05), **parameters}
    got = fit(rw.AveragedSGDRegressor(**given), blocks(X, y))
    expected = rw.AveragedSGDRegressor(**given).fit(X, y)
    assert got.step_ == pytest.approx(expected.step_, rel=1e-12)
    assert got.n_steps_ == expected.n_steps_
    assert got.averaging_ == expected.averaging_
    np.testing.assert_allclose(got.coef_, expected.coef_, rtol=1e-8)
    np.testing.assert_allclose(got.intercept_, expected.intercept_, rtol=1e-8)
    np.testing.assert_allclose(got.path([0, 0.1, 10]).coefs, expected.path([0, 0.1, 10]).coefs, rtol=1e-8)
    if expected.selection_ is not None:
        assert got.selection_ is not None
        assert got.selection_.chosen.error == pytest.approx(expected.selection_.chosen.error, rel=1e-7)
        # Outlying errors are capped by medians of groups, which here go by partitions: poor candidates may differ.
        errors, others = (selection.to_dict()["error"] for selection in (got.selection_, expected.selection_))
        good = np.array(others) < 1.5 * min(others)
        np.testing.assert_allclose(np.array(errors)[good], np.array(others)[good], rtol=1e-6)
        assert got.selection_.halfway == pytest.approx(expected.selection_.halfway, rel=1e-7)
        rows, others_rows = got.held_out_, expected.held_out_
        assert rows is not None
        assert others_rows is not None
        assert rows.n_rows == others_rows.n_rows
        np.testing.assert_allclose(rows.mean_squared_error, others_rows.mean_squared_error, rtol=1e-7)
        np.testing.assert_allclose(rows.variance, others_rows.variance, rtol=1e-7)
        np.testing.assert_allclose(rows.actual[:, 0], y[rows.numbers])


# Law: held-out rows are numbered as they stand in the data, also behind rows without a weight or a target.
@pytest.mark.filterwarnings("ignore:the held-out error was still falling")
@pytest.mark.parametrize("cv", [3, "holdout"])
@pytest.mark.parametrize("source", ["arrays", "files"])
def test_numbers_of_held_out_rows(table: Table, source: str, cv: Any, tmp_path: Path) -> None:
    X, y, _ = (np.asarray(part) for part in table)
    left_out = np.random.default_rng(0).random(len(y)) < 0.4
    left_out[:CHUNK] |= np.arange(CHUNK) < 400
    estimator = rw.AveragedSGDRegressor(cv=cv, passes=1, random_state=0)
    if source == "arrays":
        model = fit(estimator, blocks(X, y), weight=da.from_array(np.where(left_out, 0.0, 1.0), chunks=CHUNK))
    else:
        columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": pa.array(y, mask=left_out)}
        columns["weight"] = np.where(np.arange(len(y)) % 7, 1.0, 0.0)
        pq.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=CHUNK)
        model = fit(estimator, tmp_path / "rows.parquet", target="y", weight="weight", partition_bytes=1)
    rows = model.held_out_
    assert rows is not None
    assert not left_out[rows.numbers].any()
    assert len(np.unique(rows.numbers)) == len(rows)
    np.testing.assert_allclose(rows.actual[:, 0], y[rows.numbers])


# Law: one chain is one run over the partitions in their order and over the rows of each in theirs, bit for bit.
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("grows", [False, True])
def test_one_chain_is_one_run(table: Table, sparse: bool, weighted: bool, dtype: str, grows: bool) -> None:
    X, y, weight = (np.asarray(part) for part in table)
    X = X.astype(dtype)
    rows = X * (X > 0) if sparse else X
    data = blocks(rows, y)
    if sparse:
        data = data[0].map_blocks(scipy.sparse.csr_matrix), data[1]
    weights = da.from_array(weight, chunks=CHUNK) if weighted else None
    step: Any = rw.GrowingStep(0.4) if grows else rw.LimitedStep(0.05)
    model = fit(rw.AveragedSGDRegressor(alpha=0.1, passes=2, step=step, random_state=3), data, weight=weights)
    standardization = model._selected_model.averages.standardization
    seed = int(np.random.default_rng(3).integers(2**62))
    folds = PartitionFolds(seed, 0, np.empty(0, np.int64))
    run = rw.SGDRun(schedule_of(step, 2 * model.n_rows_) or "auto")
    batches = [
        check_batch(
            scipy.sparse.csr_matrix(rows[a : a + CHUNK]) if sparse else rows[a : a + CHUNK],
            y[a : a + CHUNK],
            weight[a : a + CHUNK] if weighted else None,
            target_dtype=FLOAT64,
        )
        for a in range(0, ROWS, CHUNK)
    ]
    for pass_number in range(2):
        for p in folds.shuffled(np.arange(len(batches)), pass_number, 0).tolist():
            if grows:
                prepared = partition_sweep.prepare(batches[p], folds, standardization, pass_number, p, step.size)
                assert prepared is not None
                counts = prepared.splitting.split_counts(range(len(prepared.batch)))
                run.advance(prepared.batch, split_counts=counts)
            else:
                run.advance(standardization.batch(batches[p], folds.order(batches[p].rows, pass_number, p)))
    assert (model.n_split_ > 0) == grows
    expected = run.trajectory()
    assert model.trajectory_.n_steps == expected.n_steps
    for scheme in (rw.Geometric(0.1), rw.Uniform(), rw.Last()):
        assert (model.trajectory_.coef(scheme) == expected.coef(scheme)).all()


# Law: parallel chains are runs on disjoint contiguous partitions, merged.
def test_chains_are_merged_runs(table: Table) -> None:
    X, y, _ = table
    constant = rw.LimitedStep(0.05)
    model = fit(rw.AveragedSGDRegressor(alpha=1.0, passes=1, chains=3, shuffle=False, step=constant), blocks(X, y))
    standardization = model._selected_model.averages.standardization
    runs = []
    for part in np.split(np.arange(ROWS), 3):
        run = rw.SGDRun(rw.LimitedStep(model.step_))
        run.advance(standardization.batch(check_batch(X[part], y[part], target_dtype=FLOAT64)))
        runs.append(run.trajectory())
    assert (model.trajectory_.coef(rw.Geometric(1.0)) == rw.merge(runs).coef(rw.Geometric(1.0))).all()


# Law: what comes from files, arrays or data frames is one table.
def test_sources_agree(table: Table, parquet: Path, tmp_path: Path) -> None:
    X, y, weight = table
    estimator: dict[str, Any] = {"alpha": 0.1, "passes": 1, "random_state": 0}
    by_array = fit(rw.AveragedSGDRegressor(**estimator), blocks(X, y), weight=da.from_array(weight, chunks=CHUNK))
    by_file = fit(rw.AveragedSGDRegressor(**estimator), parquet, target="y", weight="w", partition_bytes=1)
    frame = pd.read_parquet(parquet)
    by_frame = fit(
        rw.AveragedSGDRegressor(**estimator), dd.from_pandas(frame, npartitions=ROWS // CHUNK), target="y", weight="w"
    )
    for a in range(0, ROWS, CHUNK):
        frame.iloc[a : a + CHUNK].to_csv(tmp_path / f"part{a:05d}.csv", index=False)
    (tmp_path / "part99999.csv").write_text(",".join(frame.columns) + "\n")  # no rows
    by_csv = fit(rw.AveragedSGDRegressor(**estimator), tmp_path, target="y", weight="w")
    assert (by_array.coef_ == by_file.coef_).all()
    assert (by_array.coef_ == by_frame.coef_).all()
    np.testing.assert_allclose(by_csv.coef_, by_array.coef_, rtol=1e-6, atol=1e-6)
    assert by_file.feature_names_in_.tolist() == [f"x{j}" for j in range(COLUMNS)]
    assert by_file.predict(frame.drop(columns=["y", "w"])).shape == (ROWS,)


# Law: columns of any kind become features by an encoder that is learned on the way.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_encoder_makes_features(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    size, shop = rng.standard_normal(600), rng.choice(["a", "b", "c"], 600)
    y = size + 2.0 * (shop == "b") + 0.01 * rng.standard_normal(600)
    frame = pa.table({"size": pa.array(size, mask=rng.random(600) < 0.1), "shop": shop, "y": y})
    pq.write_table(frame, tmp_path / "t.parquet", row_group_size=100)
    with pytest.raises(DataError, match=r"'shop' \(text\) is not numeric.*encoder=TableEncoder"):
        fit(rw.AveragedSGDRegressor(), tmp_path / "t.parquet", target="y")
    encoder = rw.TableEncoder()
    model = fit(
        rw.AveragedSGDRegressor(random_state=0, cv="holdout", passes=60),
        tmp_path,
        target="y",
        encoder=encoder,
        partition_bytes=1,
    )
    assert encoder.rows_seen_ == 600
    assert model.n_features_in_ == encoder.n_features_out_
    assert model.selection_ is not None
    assert model.selection_.chosen.error < 0.3


# Law: the model file of a fit by partitions is an ordinary one, and the stream can go on.
def test_model_is_ordinary(table: Table, tmp_path: Path) -> None:
    X, y, _ = table
    model = fit(rw.AveragedSGDRegressor(random_state=0, cv="holdout", passes=1), blocks(X, y))
    model.save(tmp_path / "m.safetensors")
    again = rw.load(tmp_path / "m.safetensors")
    assert (again.predict(X) == model.predict(X)).all()
    again.partial_fit(X[:100], y[:100])
    assert again.n_rows_ == ROWS + 100
    assert again.n_steps_ > model.n_steps_
    assert "hold-out of 300 rows" in repr(model.selection_)


def test_empty_partitions_are_handled(table: Table) -> None:
    X, y, _ = table
    sizes = (0, 500, 0, 0, 2500, 0)
    rows = da.from_array(X, chunks=((3000,), (COLUMNS,)))
    parts = [da.from_array(X[a:b], chunks=(b - a or 1, COLUMNS)) for a, b in zip(*_ends(sizes), strict=True)]
    targets = [da.from_array(y[a:b], chunks=b - a or 1) for a, b in zip(*_ends(sizes), strict=True)]
    holes = da.concatenate(parts), da.concatenate(targets)
    given: dict[str, Any] = {"alpha": 0.1, "passes": 1, "shuffle": False, "step": rw.LimitedStep(0.05)}
    got = fit(rw.AveragedSGDRegressor(**given), holes)
    expected = fit(rw.AveragedSGDRegressor(**given), (rows, da.from_array(y)))
    np.testing.assert_allclose(got.coef_, expected.coef_, rtol=1e-10)
    nothing = da.from_array(X[:0], chunks=(1, COLUMNS)), da.from_array(y[:0], chunks=1)
    with pytest.raises((ValueError, DataError), match="at least one"):
        fit(rw.AveragedSGDRegressor(), nothing)


def _ends(sizes: tuple[int, ...]) -> tuple[list[int], list[int]]:
    ends = np.cumsum(sizes).tolist()
    return [0, *ends[:-1]], ends


def test_few_rows_are_fitted_or_refused(table: Table) -> None:
    X, y, _ = table
    with pytest.warns(UserWarning, match="nothing could be chosen from 3 rows"):
        assert fit(rw.AveragedSGDRegressor(passes=5), blocks(X[:3], y[:3])).averaging_ == rw.Uniform()
    with pytest.raises(ValueError, match=r"fold 4 of 5 has none of the 4 rows"):
        fit(rw.AveragedSGDRegressor(passes=5, shuffle=False), blocks(X[:4], y[:4]))


# Law: chains too short for the average that was chosen are said to be.
def test_short_chains_warn(table: Table) -> None:
    X, y, _ = table
    with pytest.warns(UserWarning, match=r"alpha=0.001 is weaker than .* take fewer chains"):
        fit(rw.AveragedSGDRegressor(alpha=1e-3, passes=1, chains=6), blocks(X, y))
    fit(rw.AveragedSGDRegressor(alpha=10.0, passes=1, chains=2), blocks(X, y))  # long enough: silent


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cv": "gcv"}, "cv='gcv' needs all rows in one place"),
        ({"cv": "progressive"}, "needs all rows in one place"),
        ({"store": "replay"}, "would gather all rows"),
        ({"chains": 7}, "only 6 partitions have rows"),
        ({"chains": "many"}, "chains"),
    ],
)
def test_what_a_cluster_cannot_do_is_said(table: Table, parameters: dict[str, Any], message: str) -> None:
    X, y, _ = table
    with pytest.raises((ValueError, TypeError), match=message):
        fit(rw.AveragedSGDRegressor(**parameters), blocks(X, y))


def test_bad_data_name_the_partition(table: Table, tmp_path: Path) -> None:
    X, y, _ = table
    estimator = rw.AveragedSGDRegressor(alpha=0.1)
    frame = pd.DataFrame(X[:100], columns=[f"x{j}" for j in range(COLUMNS)]).assign(y=y[:100])
    with pytest.raises(DataError, match=r"which column is the target.*, one of 'x0', 'x1', .*'y'\.$"):
        fit(estimator, dd.from_pandas(frame, npartitions=2))
    wide = pd.DataFrame(np.zeros((20, 40)), columns=[f"x{j}" for j in range(40)])
    with pytest.raises(DataError, match=r"one of 'x0', .*, \.\.\. \(40 in all\)\.$"):
        fit(estimator, dd.from_pandas(wide, npartitions=2))
    with pytest.raises(DataError, match=r"no column 'z'"):
        fit(estimator, dd.from_pandas(frame, npartitions=2), target="z")
    meta = frame.iloc[:0]
    for other, message in (
        (frame.drop(columns="y"), r"partition 1 of the dask data frame: there is no column 'y'"),
        (frame.drop(columns="x1"), r"partition 1 of the dask data frame: there is no column 'x1'"),
        (frame.assign(new=1.0), r"partition 1 of the dask data frame: it has the column 'new'"),
        (frame.assign(x1="text"), r"partition 1 of the dask data frame: column 'x1' holds text"),
        (frame.assign(x1=np.nan), r"partition 1 of the dask data frame: column 'x1' has 100 missing|X\[0, 1\] is NaN"),
    ):
        parts = _frames([frame, other], meta)
        with pytest.raises(DataError, match=message):
            fit(estimator, parts, target="y")
    bad = X.copy()
    bad[700, 2] = np.inf
    with pytest.raises(DataError, match="block 1 of the dask array"):
        fit(estimator, blocks(bad, y))
    sparse = da.from_array(X[:500], chunks=(500, COLUMNS)).map_blocks(scipy.sparse.csr_matrix)
    mixed = da.concatenate([sparse, da.from_array(X[500:1000], chunks=(500, COLUMNS))])
    with pytest.raises(DataError, match=r"expected the same form"):
        fit(estimator, (mixed, da.from_array(y[:1000], chunks=500)))
    with pytest.raises(TypeError, match="expected a path"):
        fit(estimator, frame)
    with pytest.raises(DataError, match="no such file"):
        fit(estimator, tmp_path / "nothing.parquet", target="y")
    with pytest.raises(DataError, match="expected as many rows in both"):
        fit(estimator, (da.from_array(X), da.from_array(y[:10])))


def _frames(frames: list[pd.DataFrame], meta: pd.DataFrame) -> Any:
    return dd.from_delayed([dask.delayed(frame) for frame in frames], meta=meta, verify_meta=False)


# Law: a fit goes on from its checkpoint, at whatever partition it was stopped, to the model of one that never stopped.
@pytest.mark.parametrize("parameters", [{"cv": 3, "passes": 2}, {"cv": "holdout", "passes": 2, "chains": 2}], ids=str)
@pytest.mark.filterwarnings("ignore:.*take fewer chains")
@pytest.mark.parametrize("stop", [2, 7, 12])
def test_checkpoint_resumes(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parameters: dict[str, Any], stop: int
) -> None:
    X, y, _ = table
    estimator = {"random_state": 0, **parameters}
    expected = fit(rw.AveragedSGDRegressor(**estimator), blocks(X, y))
    file, learn, calls = tmp_path / "state", partition_sweep.learn, []

    def interrupted(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == stop:
            raise KeyboardInterrupt
        return learn(*given)

    monkeypatch.setattr(partition_sweep, "learn", interrupted)
    given: dict[str, Any] = {"checkpoint": file, "checkpoint_every": 0.0}
    with pytest.raises(KeyboardInterrupt):
        fit(rw.AveragedSGDRegressor(**estimator), blocks(X, y), **given)
    assert file.exists()
    with pytest.raises(CheckpointError, match="a checkpoint of another fit"):
        fit(rw.AveragedSGDRegressor(**{**estimator, "passes": 3}), blocks(X, y), **given)
    resumed = fit(rw.AveragedSGDRegressor(**estimator), blocks(X, y), **given)
    assert not file.exists()
    assert (resumed.path([0.0, 0.1]).coefs == expected.path([0.0, 0.1]).coefs).all()
    assert resumed.averaging_ == expected.averaging_
    assert resumed.selection_ is not None
    assert expected.selection_ is not None
    assert resumed.selection_.to_dict()["error"] == expected.selection_.to_dict()["error"]
    assert resumed.selection_.halfway == expected.selection_.halfway
    held = 0 if parameters["cv"] == 3 else 6
    assert len(calls) <= 12 + held + 3  # tasks of a fit, the one that was lost, and results not yet written


# Law: without a seed, the checkpoint holds the one that was drawn.
def test_checkpoint_keeps_the_seed(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = table
    file, prepare, orders = tmp_path / "state", partition_sweep.prepare, []

    def watched(batch: Any, folds: PartitionFolds, *given: Any) -> Any:
        orders.append(folds.seed)
        if len(orders) == 5:
            raise KeyboardInterrupt
        return prepare(batch, folds, *given)

    monkeypatch.setattr(partition_sweep, "prepare", watched)
    given: dict[str, Any] = {"checkpoint": file, "checkpoint_every": 0.0}
    with pytest.raises(KeyboardInterrupt):
        fit(rw.AveragedSGDRegressor(alpha=0.1, passes=1), blocks(X, y), **given)
    fit(rw.AveragedSGDRegressor(alpha=0.1, passes=1), blocks(X, y), **given)
    assert len(set(orders)) == 1


# Law: blocks of columns, and targets cut elsewhere than the rows, make no difference.
def test_other_blocks_same_fit(table: Table) -> None:
    X, y, _ = table
    given = rw.AveragedSGDRegressor(alpha=0.1, passes=1, random_state=0)
    expected = fit(given, blocks(X, y)).coef_
    columns = da.from_array(X, chunks=(CHUNK, 2))
    np.testing.assert_array_equal(fit(given, (columns, da.from_array(y, chunks=ROWS // 2))).coef_, expected)
    some = da.from_array(y, chunks=CHUNK)
    unknown = da.concatenate([some[:CHUNK][some[:CHUNK] > -np.inf], some[CHUNK:]])  # of unknown length, but as many
    np.testing.assert_array_equal(fit(given, (columns, unknown)).coef_, expected)


# Law: an encoder learns from as many rows as it asks for; one that has learned is used as it is.
def test_encoder_learns_once(parquet: Path) -> None:
    given, encoder = rw.AveragedSGDRegressor(alpha=0.1, passes=1, random_state=0), rw.TableEncoder(learn_rows=800)
    model = fit(given, parquet, target="y", weight="w", encoder=encoder, partition_bytes=1)
    assert encoder.rows_seen_ == 800
    learned = encoder.to_dict()
    again = fit(given, parquet, target="y", weight="w", encoder=encoder, partition_bytes=1)
    assert encoder.to_dict() == learned
    np.testing.assert_array_equal(again.coef_, model.coef_)
    columns = pq.read_table(parquet).select(["x0", "x1", "x2", "x3"])
    lazy = rw.dask.predict(model, dd.from_pandas(columns.to_pandas(), npartitions=3), encoder=encoder)
    expected = model.predict(encoder.transform(columns))
    np.testing.assert_allclose(lazy.compute(scheduler="synchronous"), expected, rtol=1e-6)


# Law: rows without a target are as if they were not there, also where a partition has no others.
@pytest.mark.filterwarnings("ignore:the held-out error was still falling")
@pytest.mark.parametrize("parameters", [{"cv": 3, "passes": 1}, {"cv": "holdout", "passes": 1}], ids=str)
def test_partition_without_targets(table: Table, parameters: dict[str, Any]) -> None:
    X, y, _ = table
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)]).assign(y=y)
    frame.loc[CHUNK : 2 * CHUNK - 1, "y"] = np.nan
    present = frame["y"].notna().to_numpy()
    given: dict[str, Any] = {"shuffle": False, "random_state": 0, "step": rw.LimitedStep(0.05), **parameters}
    got = fit(rw.AveragedSGDRegressor(**given), dd.from_pandas(frame, npartitions=6), target="y")
    expected = rw.AveragedSGDRegressor(**given).fit(X[present], y[present])
    assert got.n_steps_ == expected.n_steps_
    np.testing.assert_allclose(got.coef_, expected.coef_, rtol=1e-8)


# Law: data without any target have nothing to learn from, nor to make components of.
@pytest.mark.parametrize("estimator", [rw.AveragedSGDRegressor(alpha=0.1), rw.AveragedKernelRegressor(n_components=5)])
def test_no_targets_at_all(estimator: Any, table: Table) -> None:
    frame = pd.DataFrame(table[0][:100]).rename(columns=str).assign(y=np.nan)
    with pytest.raises(ValueError, match=r"has a row with a target and a positive weight"):
        fit(estimator, dd.from_pandas(frame, npartitions=2), target="y")


# Law: a checkpoint needs a folder, and a file that is none is refused by its name.
def test_checkpoint_files(table: Table, tmp_path: Path) -> None:
    X, y, _ = table
    given = rw.AveragedSGDRegressor(alpha=0.1, passes=1, random_state=0)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere: create it first"):
        fit(given, blocks(X, y), checkpoint=tmp_path / "nowhere" / "state")
    (tmp_path / "state").write_text("something else")
    with pytest.raises(rw.ModelFileError, match="state: "):
        fit(given, blocks(X, y), checkpoint=tmp_path / "state")
    assert (tmp_path / "state").read_text() == "something else"


class Refusal(Exception):
    """An error at the last moment."""


def refuse(*_: Any, **__: Any) -> None:
    raise Refusal


# Law: a fit that fails, be it at the last moment, leaves estimator and encoder as they were: fitted or not.
@pytest.mark.parametrize(
    ("estimator", "last"),
    [
        (rw.RidgePathCV(random_state=0), "ridgeway.estimators.unsolved_stream.fit_sums"),
        (rw.RidgePathCV(solver="sgd", alpha=0.1, random_state=0), "ridgeway.estimators.RidgePathCV._set_fit"),
        (rw.AveragedSGDRegressor(alpha=0.1, passes=1, random_state=0), "ridgeway.dask.fitting._tell_short_chains"),
        (
            rw.AveragedKernelRegressor(n_components=20, alpha=0.1, passes=1, random_state=0),
            "ridgeway.dask.fitting._tell_short_chains",
        ),
    ],
    ids=str,
)
def test_failed_fit_changes_nothing(estimator: Any, last: str, parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for begun in (False, True):
        encoder = rw.TableEncoder()
        if begun:
            fit(estimator, parquet, target="y", encoder=encoder)
        before, known = dict(vars(estimator)), dict(vars(encoder))
        with monkeypatch.context() as patch:
            patch.setattr(last, refuse)
            with pytest.raises(Refusal):
                fit(estimator, parquet, target="y", encoder=encoder)
        for one, attributes in ((estimator, before), (encoder, known)):
            assert list(vars(one)) == list(attributes)
            assert all(value is attributes[name] for name, value in vars(one).items())
