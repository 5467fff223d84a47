"""What data may be: everything else is refused before a row is read, with what was expected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import ridgeway as rw
from ridgeway.dask.opened_data import opened
from ridgeway.data import DataError

X, Y = np.arange(20.0).reshape(10, 2), np.arange(10.0)
ARRAYS = da.from_array(X, chunks=5), da.from_array(Y, chunks=5)


def frame(**columns: Any) -> Any:
    return dd.from_pandas(pd.DataFrame(columns), npartitions=2)


def fit(data: Any, **given: Any) -> Any:
    return rw.dask.fit(rw.AveragedSGDRegressor(alpha=0.1, passes=1), data, client="serial", **given)


# Law: data that are no dask collection, or of another shape, are refused by what they are.
@pytest.mark.parametrize(
    ("data", "given", "message"),
    [
        ((X, Y), {}, r"X is a ndarray: expected a dask array; data in memory are fitted by estimator\.fit"),
        ((ARRAYS[0], Y), {}, "y is a ndarray"),
        ((ARRAYS[1], ARRAYS[1]), {}, r"X has shape \(10,\) and y \(10,\): expected \(rows, columns\)"),
        (ARRAYS, {"target": "y"}, "target='y': arrays have no names"),
        (ARRAYS, {"encoder": rw.TableEncoder()}, "arrays have no kinds of columns: expected a table"),
        (frame(y=Y), {"target": "y"}, "no column is left beside the target"),
        (frame(x=Y, y=Y), {"target": "y", "weight": Y}, "weight is a ndarray: expected the name of a column"),
        (
            frame(x=list("abcdefghij"), y=Y),
            {"target": "y"},
            r"column 'x' \(dtype .*\) is not numeric: expected",
        ),
    ],
)
def test_refused(data: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, TypeError), match=message):
        fit(data, **given)


# Law: columns of truth values are numbers, and so are their fits.
def test_truth_values() -> None:
    data = frame(x=Y > 4, y=Y)
    assert opened(data, "y", None, 1).kinds == {"x": "boolean"}
    got, expected = fit(data, target="y"), fit(frame(x=(Y > 4).astype(float), y=Y), target="y")
    assert got.n_steps_ == expected.n_steps_ == 10


# Law: LIBSVM text, which cannot be cut, and estimators of others are refused.
def test_files_and_estimators(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_text("1 1:0.5\n2 2:0.5\n")
    with pytest.raises(DataError, match="LIBSVM text cannot be split into partitions: expected Parquet, CSV or"):
        fit(tmp_path / "rows.svm", target="y")
    other: Any = Ridge()
    with pytest.raises(
        TypeError, match="estimator is a Ridge: expected a RidgePathCV, AveragedSGDRegressor or AveragedKernel"
    ):
        rw.dask.fit(other, ARRAYS, client="serial")
