"""The index of a pandas data frame is no feature, in memory or in a file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

import ridgeway as rw
from ridgeway.data import DataError, TableEncoder, column_names, open_data
from ridgeway.tables import Request, fit_table

NAMED = r"the pandas index 'when' is ignored.*frame\.reset_index\(\)"


def sorted_frame(rows: int = 400) -> tuple[Any, Any]:
    """A frame whose rows are sorted by the target."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(rows)
    y = np.sort(0.5 * x + rng.standard_normal(rows))
    return pd.DataFrame({"x": x, "shop": rng.choice(["a", "b"], rows)}), y


# Law: rows of train_test_split are learned from by their columns alone, and other frames are predicted.
def test_split_frames() -> None:
    X, y = sorted_frame()
    train, test, y_train, _ = train_test_split(X, y, random_state=0)
    encoder = TableEncoder().fit(train)
    assert encoder.feature_names_in_.tolist() == ["x", "shop"]
    expected = encoder.transform(train)
    np.testing.assert_array_equal(encoder.transform(train.reset_index(drop=True)), expected)
    model = make_pipeline(TableEncoder(), rw.AveragedSGDRegressor(passes=40, random_state=0)).fit(train, y_train)
    whole = model.predict(X)
    np.testing.assert_allclose(model.predict(test), whole[test.index], rtol=1e-5)
    np.testing.assert_allclose(model.predict(pa.Table.from_pandas(test)), whole[test.index], rtol=1e-5)


# Law: cross-validation over a pipeline scores what the columns say, not the order of the rows.
def test_cross_validation() -> None:
    X, y = sorted_frame()
    order = np.random.default_rng(1).permutation(len(y))
    model = make_pipeline(TableEncoder(), rw.AveragedSGDRegressor(passes=40, random_state=0))
    scores = cross_val_score(model, X.iloc[order], y[order], error_score="raise")
    assert scores.max() < 0.5  # the row number alone explains nearly all of y


# Law: an index with a name is ignored with one warning that says how to keep it; without a name, silently.
def test_names_of_indices() -> None:
    X, _ = sorted_frame(30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder().fit(X.sample(frac=1, random_state=0))
    named = X.rename_axis("when")
    for data in (named, pa.Table.from_pandas(named.sample(frac=1, random_state=0))):
        for read in (open_data, TableEncoder().fit):
            with pytest.warns(UserWarning, match=NAMED) as caught:
                read(data)
            assert len(caught) == 1
            assert caught[0].filename == __file__
    assert TableEncoder().fit(named.reset_index()).feature_names_in_.tolist() == ["when", "x", "shop"]
    both = X.set_index([np.arange(30), X["x"].rename("size")])
    with pytest.warns(UserWarning, match="the pandas index 'size' is ignored"):
        assert TableEncoder().fit(both).feature_names_in_.tolist() == ["x", "shop"]


# Law: a range index with a name is an index with a name, and messages do not list an index among the columns.
def test_named_range() -> None:
    frame = pd.DataFrame({"x": np.arange(60.0) % 7, "y": np.arange(60.0)}, index=pd.RangeIndex(60, name="key"))
    with pytest.warns(UserWarning, match="the pandas index 'key' is ignored"):
        model = fit_table(frame, Request(target="y"))
    assert model.columns == ["x"]
    assert fit_table(frame, Request(target="y", only=("x", "key"), kinds={"key": "number"})).columns == ["x", "key"]
    with pytest.warns(UserWarning, match="the pandas index 'key' is ignored"):
        wide = fit_table(frame.rename(columns={"x": "size"}), Request(target="y"))
    with pytest.raises(DataError, match=r"no column 'q': its columns are 'x', 'y'\.$"):
        fit_table(frame, Request(target="q"))
    with pytest.raises(DataError, match=r"its columns are 'y'\. Add it, with missing values"):
        wide.predict(frame[["y"]])
    with pytest.raises(DataError, match=r"did you mean 'sizes'\? Otherwise add it"):
        wide.predict(frame.rename(columns={"x": "sizes"}))


# Law: the index that pandas wrote to a file is no column, unless it is asked for by name.
@pytest.mark.parametrize("form", ["parquet", "feather", "csv"])
def test_files(form: str, tmp_path: Path) -> None:
    X, _ = sorted_frame(30)
    path = tmp_path / f"table.{form}"

    def written(frame: Any) -> Path:
        if form == "parquet":
            frame.to_parquet(path)
        elif form == "feather":
            pa.feather.write_feather(pa.Table.from_pandas(frame), path)
        else:
            frame.to_csv(path)
        return path

    def names(source: Any) -> list[str]:
        assert source.schema is not None
        (batch,) = source.batches()
        assert batch.schema.names == source.schema.names
        return list(source.schema.names)

    if form == "csv":  # its index has no name, but a column
        with pytest.warns(UserWarning, match="the first column has no name and is ignored"):
            assert names(open_data(written(X))) == ["x", "shop"]
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert names(open_data(written(X))) == ["x", "shop"]
        assert names(open_data(written(X.sample(frac=1, random_state=0)))) == ["x", "shop"]
    with pytest.warns(UserWarning, match=NAMED):
        assert names(open_data(written(X.set_axis(np.arange(30) + 5).rename_axis("when")))) == ["x", "shop"]
    assert names(open_data(path, columns=["when", "x"])) == ["when", "x"]
    assert sorted(names(open_data(path, index=True))) == ["shop", "when", "x"]
    found = column_names(path)
    assert found is not None
    assert (found.names, found.index) == (["x", "shop"], ["when"])


# Law: metadata that pandas did not write are no obstacle.
@pytest.mark.parametrize(
    "metadata", [b"no JSON", b"[1]", b'{"index_columns": 5}', b'{"index_columns": [{"kind": "range"}]}']
)
def test_foreign_metadata(metadata: bytes) -> None:
    table = pa.table({"x": [1.0, 2.0]}).replace_schema_metadata({b"pandas": metadata})
    assert TableEncoder().fit(table).feature_names_in_.tolist() == ["x"]
