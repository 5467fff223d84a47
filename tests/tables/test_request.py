"""What is learned from a table: several targets, columns left out or declared, spellings of missing values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ridgeway as rw
from ridgeway.dask.serial import Serial
from ridgeway.data import DataError, open_data
from ridgeway.tables import Request, fit_table, predict_table
from ridgeway.tables.distributed import fit_table_on

ROWS = 1200


def odd_file(path: Path) -> Path:
    """A CSV file with a column of numbers and text, day-first dates, and -999 for missing values."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(ROWS)
    day = np.datetime64("2006-12-16") + rng.integers(0, 300, ROWS)
    frame = pd.DataFrame(
        {
            "id": [f"A{k}" if k % 100 == 7 else str(k) for k in range(ROWS)],
            "date": pd.to_datetime(day).strftime("%d/%m/%Y"),
            "x": np.where(rng.random(ROWS) < 0.05, -999, x),
            "y": 2 * x + rng.standard_normal(ROWS),
            "z": 5 - x,
        }
    )
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Such a file."""
    return odd_file(tmp_path_factory.mktemp("odd") / "odd.csv")


def request_of(**options: Any) -> Request:
    """Return a request for a quick fit."""
    return Request(**{"target": "y", "averaging": "last", "passes": 1, **options})


# Law: a column that mixes numbers and text is refused, unless it is left out or declared; the model predicts the file.
@pytest.mark.parametrize(
    "options",
    [{"drop": ("id",)}, {"only": ("x", "date")}, {"kinds": {"id": "text"}}, {"kinds": {"id": "category"}}],
    ids=str,
)
def test_mixed_columns(odd: Path, options: dict[str, Any]) -> None:
    with pytest.raises(
        DataError, match=r"column 'id' mixes numbers and text.*--drop id.*--kind id=text.*--null-values"
    ):
        fit_table(odd, request_of())
    model = fit_table(odd, request_of(**options))
    assert ("id" in model.columns) == ("kinds" in options)
    assert np.isfinite(model.predict(odd)).all()


# Law: spellings of missing values are stored with the model, and hold for the files that it predicts.
def test_null_values(odd: Path, tmp_path: Path) -> None:
    model = fit_table(odd, request_of(drop=("id", "z"), null_values=("-999",)))
    assert model.encoder is not None
    assert "missing" in {row.column: row.done for row in model.encoder.describe()}["x"]
    model.save(tmp_path / "model.safetensors")
    loaded = rw.load(tmp_path / "model.safetensors")
    assert loaded.null_values == ("-999",)
    assert loaded.dropped == ("id", "z")
    new = tmp_path / "new.csv"
    new.write_text("x,date\n-999,16/12/2006\n-999.0,16/12/2006\n,16/12/2006\n")
    assert len(set(loaded.predict(new))) == 1


def many_levels(path: Path) -> Path:
    """A CSV file with a category of 300 levels, each with the same number of rows and its own mean."""
    rng = np.random.default_rng(0)
    level = rng.permutation(np.repeat(np.arange(300), 10))
    mean = rng.standard_normal(300)
    pd.DataFrame({"k": [f"L{k}" for k in level], "y": mean[level] + 0.1 * rng.standard_normal(3000)}).to_csv(
        path, index=False
    )
    return path


# Law: the user sets how many levels of a category have features; the others are hashed, and the model file keeps it.
@pytest.mark.parametrize("fit", [fit_table, partial(fit_table_on, Serial())], ids=["here", "cluster"])
def test_levels(fit: Callable[..., Any], tmp_path: Path) -> None:
    data, score = many_levels(tmp_path / "k.csv"), {}
    y = pd.read_csv(data)["y"].to_numpy()
    for levels, features in ((255, 255 + 32), (300, 300 + 1), (2, 2 + 32)):
        model = fit(data, Request(target="y", levels=levels))
        assert model.encoder is not None
        assert model.encoder.n_features_out_ == features
        assert ("the others hashed into 32 buckets" in model.encoder.describe().table[0].done) == (levels < 300)
        model.save(tmp_path / "model.safetensors")
        loaded = rw.load(tmp_path / "model.safetensors")
        np.testing.assert_array_equal(loaded.predict(data), model.predict(data))
        score[levels] = np.corrcoef(model.predict(data), y)[0, 1]
    assert score[2] < score[255] < score[300]
    for levels in (0, 65_537):
        with pytest.raises(ValueError, match=f"levels={levels}: expected an integer"):
            fit_table(data, Request(target="y", levels=levels))


# Law: the default is not part of the state, so that checkpoints without the option go on.
def test_state_of_levels() -> None:
    assert "levels" not in Request(target="y").state()
    assert Request(target="y", levels=300).state() == {**Request(target="y").state(), "levels": 300}


# Law: each of several targets has its own column of predictions, in memory, streamed, and after a way through a file.
@pytest.mark.parametrize("memory", [0, 2**28])
def test_several_targets(odd: Path, memory: int, tmp_path: Path) -> None:
    request = request_of(target=("y", "z"), drop=("id",), null_values=("-999",), passes=20)
    model = fit_table(odd, request, memory=memory)
    assert model.targets == ("y", "z")
    model.save(tmp_path / "model.safetensors")
    loaded = rw.load(tmp_path / "model.safetensors")
    predictions = loaded.predict(odd)
    assert predictions.shape == (ROWS, 2)
    np.testing.assert_array_equal(predictions, model.predict(odd))
    done = predict_table(loaded, odd, tmp_path / "out.parquet")
    assert done.columns == ("prediction_y", "prediction_z")
    table = pq.read_table(tmp_path / "out.parquet")
    np.testing.assert_array_equal(np.column_stack([table[name] for name in done.columns]), predictions)
    for place, name in enumerate(("y", "z")):
        assert np.corrcoef(predictions[:, place], table[name].to_numpy())[0, 1] > 0.8
    on_cluster = fit_table_on(Serial(), odd, request)
    assert on_cluster.predict(odd).shape == (ROWS, 2)


# Law: rows without one of the targets are left out; a target named twice, and logarithms of one below 0, are refused.
def test_bad_targets() -> None:
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, None, 3.0, 4.0], "z": [-1.0, 2.0, 3.0, None]})
    assert fit_table(table, request_of(target=("y", "z"))).facts.left_out == 2
    with pytest.raises(DataError, match="the target 'y' is given twice"):
        fit_table(table, request_of(target=("y", "y")))
    with pytest.raises(DataError, match="the target column 'z' holds -1"):
        fit_table(table, request_of(target=("y", "z"), log_target=True))
    with pytest.raises(DataError, match="there is no column 'w'"):
        fit_table(table, request_of(target=("y", "w")))


# Law: the index of a Parquet file that pandas wrote is learned from only if it is named; its file is predicted.
def test_pandas_index(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(300)}, index=pd.Index(rng.permutation(300), name="rank"))
    frame["y"] = frame.index + frame["x"]
    path = tmp_path / "frame.parquet"
    frame.to_parquet(path)
    with pytest.warns(UserWarning, match="the pandas index 'rank' is ignored") as caught:
        model = fit_table(path, request_of())
    assert len(caught) == 1
    assert model.columns == ["x"]
    named = fit_table(path, request_of(only=("x", "rank"), kinds={"rank": "number"}))
    assert named.columns == ["x", "rank"]
    for fitted in (model, named):
        np.testing.assert_array_equal(fitted.predict(path), fitted.predict(frame))
        predict_table(fitted, path, tmp_path / "out.parquet")
        assert set(pq.read_table(tmp_path / "out.parquet").column_names) == {"x", "y", "rank", "prediction"}


# Law: a single text stands for a list of one, in every parameter that takes a list; other values are refused.
def test_single_texts(odd: Path) -> None:
    request = request_of(drop="id", only="x", null_values="-999")
    assert (request.drop, request.only, request.null_values) == (("id",), ("x",), ("-999",))
    assert request == request_of(drop=["id"], only=["x"], null_values=["-999"])
    single = fit_table(odd, request_of(drop="id", null_values="-999"))
    several = fit_table(odd, request_of(drop=("id",), null_values=("-999",)))
    np.testing.assert_array_equal(single.predict(odd), several.predict(odd))
    assert open_data(odd, columns="x", null_values="-999").column("x").null_count > 0
    for name in ("drop", "only", "null_values"):
        with pytest.raises(TypeError, match=rf"{name} holds -999 \(int\): expected a text.*write {name}=\['-999'\]"):
            request_of(**{name: (-999,)})
    with pytest.raises(TypeError, match="null_values holds -999"):
        open_data(odd, null_values=-999)  # type: ignore[arg-type]


# Law: a column cannot be asked for and dropped, nor be target and weight.
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": "y"}, "'y' is the target .*--drop"),
        ({"drop": ("x", "id"), "only": ("x", "z")}, "'x' is to be used .*--only.*--drop"),
        ({"drop": "z", "weight": "z"}, "'z' is the weight .*--drop"),
        ({"weight": "y"}, "'y' is the target and the weight"),
    ],
)
def test_contradictions(odd: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit_table(odd, request_of(**options))


# Law: text in the target is named with its row, and the advice is not to drop the target.
def test_text_in_the_target(tmp_path: Path) -> None:
    path = tmp_path / "storms.csv"
    path.write_text("x,wind\n" + "".join(f"{k},{'unknown' if k == 5 else 20 + k % 7}\n" for k in range(40)))
    for fit in (fit_table, partial(fit_table_on, Serial())):
        with pytest.raises(DataError, match=r"column 'wind' mixes .*'unknown' \(row 6 below the header\)") as caught:
            fit(path, request_of(target="wind"))
        assert "--null-values unknown" in str(caught.value)
        assert "--drop" not in str(caught.value)
        assert fit(path, request_of(target="wind", null_values="unknown")).facts.left_out == 1
