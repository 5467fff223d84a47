"""Predictions of tables, batch by batch."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from tests.tables.shop import shop_table, write_csv, write_parquet

from ridgeway.data import DataError, csv_source, source
from ridgeway.tables import Request, TableModel, fit_table, predict_table


@pytest.fixture(scope="module")
def model() -> TableModel:
    return fit_table(shop_table(), Request(target="price", passes=1, averaging="uniform"))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BATCH_ROWS", 300)


# Law: every format in and out holds the same rows, and the prediction as the last column.
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("out", ["p.csv", "p.parquet", None])
def test_formats(name: str, out: str | None, model: TableModel, tmp_path: Path) -> None:
    table = shop_table(1000, seed=1)
    (write_csv if name.endswith("csv") else write_parquet)(table, tmp_path / name)
    sink: Any = io.BytesIO() if out is None else tmp_path / out
    done = predict_table(model, tmp_path / name, sink)
    if out == "p.parquet":
        answer = pyarrow.parquet.read_table(sink)
    else:
        answer = pyarrow.csv.read_csv(io.BytesIO(sink.getvalue()) if out is None else sink)
    assert (done.rows, done.column, done.ignored) == (1000, "prediction", ("price",))
    assert answer.column_names == [*table.column_names, "prediction"]
    found = answer["prediction"].to_numpy()
    if out == "p.parquet":
        np.testing.assert_allclose(found, model.predict(table), rtol=1e-12)
    else:
        np.testing.assert_array_equal(found.astype(np.float32), model.predict(table).astype(np.float32))
    np.testing.assert_array_equal(answer["shop"].to_pylist(), table["shop"].to_pylist())


# Law: columns may come in any order, with others between them; a column named prediction stays.
def test_other_columns(model: TableModel, tmp_path: Path) -> None:
    table = shop_table(500, seed=2)
    expected = model.predict(table)
    shuffled = table.select(table.column_names[::-1]).append_column("prediction", pa.array(np.zeros(500)))
    done = predict_table(model, shuffled, tmp_path / "p.parquet")
    assert done.column == "prediction_"
    assert done.ignored == ("price", "prediction")
    answer = pyarrow.parquet.read_table(tmp_path / "p.parquet")
    np.testing.assert_array_equal(answer["prediction_"].to_numpy(), expected)
    assert answer["prediction"].to_pylist() == [0.0] * 500


# Law: levels that were not seen, and missing values anywhere, are predicted.
def test_unseen_and_missing(model: TableModel) -> None:
    table = shop_table(4, seed=3)
    table = table.set_column(1, "shop", pa.array(["new", None, "east", "\U0001f600"]))
    table = table.set_column(0, "size", pa.array([None, None, 1.0, 2.0], pa.float64()))
    assert np.isfinite(model.predict(table)).all()


# Law: rows with levels that the fit has not seen are counted by column, over all batches, whatever the output.
@pytest.mark.parametrize("out", ["p.csv", "p.parquet"])
def test_unseen_levels(out: str, model: TableModel, tmp_path: Path) -> None:
    table = shop_table(1000, seed=4)
    assert predict_table(model, table, tmp_path / out).unseen == {}
    shops = table["shop"].to_pylist()
    for place in (5, 6, 700):
        shops[place] = "new"
    shops[8] = None
    table = table.set_column(table.column_names.index("shop"), "shop", pa.array(shops))
    assert predict_table(model, table, tmp_path / out).unseen == {"shop": (3, "new")}


# Law: missing columns are named, a table where sparse rows were learned is refused, and so is an odd ending.
def test_errors(model: TableModel, tmp_path: Path) -> None:
    table = shop_table(10)
    with pytest.raises(DataError, match="there is no column 'shop'"):
        model.predict(table.drop_columns(["shop"]))
    with pytest.raises(DataError, match="missing columns 'size', 'shop'"):
        model.predict(table.drop_columns(["shop", "size"]))
    with pytest.raises(DataError, match=r"ends in \.parquet or \.csv"):
        predict_table(model, table, tmp_path / "p.xlsx")
    lists = table.append_column("list", pa.array([[1]] * 10))
    with pytest.raises(DataError, match=r"'list' .* cannot be written as CSV"):
        predict_table(model, lists, tmp_path / "p.csv")
    assert list(tmp_path.iterdir()) == []
    predict_table(model, lists, tmp_path / "p.parquet")


# Law: predictions that overflow are an error, not infinity.
def test_no_infinity() -> None:
    model = fit_table(shop_table(), Request(target="price", log_target=True, passes=1, averaging="uniform"))
    far = shop_table(3).set_column(0, "size", pa.array([1e9, 1.0, 1.0]))
    with pytest.raises(DataError, match="a prediction is beyond the range of float64"):
        model.predict(far)


# Law: sparse rows are predicted as such, to a file of nothing but predictions; columns counted from 0 stay so.
def test_sparse_rows(model: TableModel, tmp_path: Path) -> None:
    (tmp_path / "t.svm").write_text("".join(f"{i % 7} 0:{i % 3} 2:{i % 5}\n" for i in range(60)))
    sparse = fit_table(tmp_path / "t.svm", Request(passes=1, averaging="uniform"))
    assert sparse.feature_names == ["column 0", "column 1", "column 2"]
    done = predict_table(sparse, tmp_path / "t.svm", tmp_path / "p.parquet")
    assert (done.rows, done.ignored) == (60, ())
    answer = pyarrow.parquet.read_table(tmp_path / "p.parquet")
    assert answer.column_names == ["prediction"]
    np.testing.assert_array_equal(answer["prediction"].to_numpy(), sparse.predict(tmp_path / "t.svm"))
    (tmp_path / "without.svm").write_text("0 2:4\n0 0:0 2:4\n")  # the same row, without and with a column 0
    (tmp_path / "by_chance.svm").write_text("0 2:4\n0 2:4\n")
    expected = sparse.predict(tmp_path / "without.svm")
    assert expected[0] == expected[1]
    np.testing.assert_array_equal(sparse.predict(tmp_path / "by_chance.svm"), expected)
    (tmp_path / "wide.svm").write_text("0 0:1 9:4\n")
    with pytest.raises(DataError, match=r"wide\.svm: 10 columns: expected at most 3, as in the fit"):
        sparse.predict(tmp_path / "wide.svm")
    with pytest.raises(DataError, match="a table, but the model was fitted to sparse rows: expected LIBSVM text"):
        sparse.predict(shop_table(10))
    with pytest.raises(
        DataError, match="sparse rows, but the model was fitted to a table: expected columns with names"
    ):
        model.predict(tmp_path / "t.svm")


# Law: columns that the model does not use keep their types and values, also those that the fit dropped.
def test_types_of_ignored_columns(tmp_path: Path) -> None:
    table = (
        shop_table(400).append_column("id", pa.array(range(400))).append_column("zip", pa.array(["007", "12"] * 200))
    )
    table = table.append_column("paid", pa.array([27015.86, None] * 200))
    fitted = fit_table(table, Request(target="price", drop=("id", "zip", "paid"), passes=1, averaging="uniform"))
    pyarrow.csv.write_csv(table, tmp_path / "t.csv", pyarrow.csv.WriteOptions(quoting_style="none"))
    predict_table(fitted, tmp_path / "t.csv", tmp_path / "p.parquet")
    answer = pyarrow.parquet.read_table(tmp_path / "p.parquet")
    assert answer.schema.field("id").type == pa.int64()
    assert answer.schema.field("paid").type == pa.float64()
    for name in ("id", "zip", "paid"):
        assert answer[name].to_pylist() == table[name].to_pylist()
    predict_table(fitted, tmp_path / "t.csv", tmp_path / "p.csv")
    line = (tmp_path / "p.csv").read_text().splitlines()[1]
    assert ',0,"007",27015.86,' in line
    predict_table(fitted, table, tmp_path / "direct.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "direct.parquet").schema.field("id").type == pa.int64()


# Law: an ignored column that becomes decimals or text far below keeps every row, in Parquet with one type for all rows.
@pytest.mark.parametrize(("late", "arrow_type"), [("1.5", pa.float64()), ("A7", pa.string())])
@pytest.mark.parametrize("out", ["p.csv", "p.parquet", None])
def test_ignored_columns_widen(
    late: str, arrow_type: pa.DataType, out: str | None, model: TableModel, tmp_path: Path, monkeypatch: Any
) -> None:
    for name in ("SAMPLE_BYTES", "MIN_BLOCK_BYTES"):
        monkeypatch.setattr(csv_source, name, 1 << 12)
    monkeypatch.setattr(csv_source, "MIN_BLOCK_ROWS", 1)
    ids = [str(k) for k in range(1999)] + [late]
    write_csv(shop_table(2000, seed=1).append_column("id", pa.array(ids)), tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text("\n".join(line.replace('"', "") for line in text.split("\n")))
    sink: Any = io.BytesIO() if out is None else tmp_path / out
    assert predict_table(model, tmp_path / "t.csv", sink).rows == 2000
    if out == "p.parquet":
        answer = pyarrow.parquet.read_table(sink)
        assert answer.schema.field("id").type == arrow_type
    else:
        answer = pyarrow.csv.read_csv(io.BytesIO(sink.getvalue()) if out is None else sink)
    assert len(answer) == 2000
    found = [str(value) for value in answer["id"].to_pylist()]
    assert [found[3].removesuffix(".0"), found[-1]] == ["3", late]
    digits = 1e-12 if out == "p.parquet" else 1e-6  # in CSV those of float32
    np.testing.assert_allclose(answer["prediction"].to_numpy(), model.predict(tmp_path / "t.csv"), rtol=digits)


# Law: intervals are columns beside the prediction, those of the model; a coverage that none can have writes nothing.
@pytest.mark.parametrize("normalized", [False, True])
def test_intervals(normalized: bool, tmp_path: Path) -> None:
    model, table = fit_table(shop_table(), "price"), shop_table(400, seed=1)
    done = predict_table(model, table, tmp_path / "p.parquet", interval=0.8, normalized=normalized)
    assert done.columns == ("prediction", "prediction_low", "prediction_high")
    answer = pyarrow.parquet.read_table(tmp_path / "p.parquet")
    ends = np.column_stack([answer["prediction_low"], answer["prediction_high"]])
    np.testing.assert_allclose(ends, model.predict_interval(table, 0.8, normalized=normalized), rtol=1e-12)
    wrong: tuple[dict[str, Any], ...] = ({"interval": 1.5}, {"normalized": True})
    for options in wrong:
        with pytest.raises(ValueError, match="expected"):
            predict_table(model, table, tmp_path / "q.parquet", **options)
    assert not (tmp_path / "q.parquet").exists()


# Law: CSV has the shortest digits that tell float32 predictions and intervals, and all digits of float64 ones.
@pytest.mark.parametrize("digits", [9, 17])
def test_digits(digits: int, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal(500)
    offset = 0.0 if digits == 9 else 1e9  # float32 would round it
    table = pa.table({"x": x + offset, "y": 2 * x + 0.1 * np.random.default_rng(1).standard_normal(500)})
    model = fit_table(table, "y")
    predict_table(model, table, tmp_path / "p.csv", interval=0.9)
    lines = (tmp_path / "p.csv").read_text().splitlines()[1:]
    fields = np.array([line.split(",")[2:] for line in lines])
    shortest = np.float32 if digits == 9 else np.float64
    expected = np.column_stack([model.predict(table), model.predict_interval(table)]).astype(shortest)
    np.testing.assert_array_equal(fields.astype(shortest), expected)
    assert max(len(field.strip("-").replace(".", "").lstrip("0").partition("e")[0]) for field in fields.flat) <= digits
