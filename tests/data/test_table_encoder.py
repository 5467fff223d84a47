"""Tables as features: what each kind of column becomes, the same for every batch, and nothing silent."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.data.tables import FORMS, mixed_table, write

from ridgeway.data import DataError, TableEncoder, encoded_batches, open_data
from ridgeway.data.encoding import Options, learner_of


@parametrize_with_checks([TableEncoder()])  # type: ignore[untyped-decorator]
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


OPTIONS = Options(levels=255, min_count=1, buckets=32, min_words=64, max_words=64, indicators=False)


def dense(X: Any) -> Any:
    return X.toarray() if hasattr(X, "indptr") else X


def named(encoder: TableEncoder, table: Any) -> dict[str, list[float]]:
    """Features by name."""
    X = dense(encoder.transform(table))
    return {name: X[:, place].tolist() for place, name in enumerate(encoder.get_feature_names_out())}


# Law: numbers stay, the mean stands for missing ones, an indicator says so; whatever type holds the numbers.
@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0, None, 5.0]),
        pa.array([1.0, float("nan"), 5.0]),
        pa.array([1, None, 5], pa.uint8()),
        pa.array([Decimal("1.0"), None, Decimal("5.0")]),
        pa.array([np.float16(1), None, np.float16(5)], pa.float16()),
        pa.array([1, None, 5], pa.duration("s")),
        pa.array([1000, None, 5000], pa.duration("ms")),
    ],
)
def test_numbers(column: Any) -> None:
    assert named(TableEncoder().fit(pa.table({"a": column})), pa.table({"a": column})) == {
        "a": [1.0, 3.0, 5.0],
        "a (missing)": [0.0, 1.0, 0.0],
    }


# Law: missing values are described as a share of the rows that the encoder learned from, for each kind of column.
def test_share_of_missing_values() -> None:
    some = [None] + [date(2020, 1 + i % 12, 1 + i % 28) for i in range(999)]
    names, numbers = [value and value.strftime("%b") for value in some], [None] * 123 + list(range(877))
    table = pa.table({"day": some, "month": names, "number": numbers})
    notes = [column.done for column in TableEncoder().fit(table).describe()]
    for note, share in zip(notes, ("0.1%", "0.1%", "12.3%"), strict=True):
        assert f"; {share} missing (of 1,000 rows): " in note


def test_booleans() -> None:
    table = pa.table({"a": [True, False, None, True]})
    encoder = TableEncoder(dtype="float64").fit(table)
    assert named(encoder, table) == {"a": [1, 0, pytest.approx(2 / 3), 1], "a (missing)": [0, 0, 1, 0]}
    assert encoder.describe().table[0].kind == "boolean"


# Law: each row has one entry: its level's feature, a bucket when the level is rare or new, or that of missing.
@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=30),
    st.lists(st.sampled_from(["a", "b", "e", "", None]), max_size=10),
    st.integers(1, 4),
)
def test_categories(drawn: list[str | None], later: list[str | None], min_count: int) -> None:
    learned = [*drawn, *["a"] * 400]  # enough rows for min_count to count
    encoder = TableEncoder(min_count=min_count, buckets=7).fit(pa.table({"k": pa.array(learned, pa.string())}))
    names = encoder.get_feature_names_out().tolist()
    if encoder.describe().table[0].kind == "dropped":
        assert len(set(learned)) == 1
        return
    frequent = sorted({level for level in learned if level is not None and learned.count(level) >= min_count})
    rare = {level for level in learned if level is not None} - set(frequent)
    buckets = {0: 1, 1: 1, 2: 2, 3: 4, 4: 4}[len(rare)]
    missing = ["k (missing)"] if None in learned else []
    assert names == [f"k={level}" for level in frequent] + [f"k hash {k}" for k in range(buckets)] + missing
    for rows in (learned, later):
        X = encoder.transform(pa.table({"k": pa.array(rows, pa.string())}))
        for level, row in zip(rows, X, strict=True):
            (entries,) = np.nonzero(row)
            found = [names[place] for place in entries]
            if level is None:
                assert found == missing
            elif level in frequent:
                assert found == [f"k={level}"]
            else:
                assert len(found) == 1
                assert found[0].startswith("k hash ")


# Law: dense and sparse rows, and every way to hold a table, are the same numbers.
def test_all_forms_agree(tmp_path: Path) -> None:
    table = mixed_table(600)
    encoder = TableEncoder(sparse=False, dtype="float64").fit(table)
    expected = encoder.transform(table)
    sparse: Any = TableEncoder(sparse=True, dtype="float64").fit(table).transform(table)
    assert hasattr(sparse, "indptr")
    assert sparse.has_canonical_format
    assert (sparse.toarray() == expected).all()
    assert not (sparse.data == 0).any()
    for form in (table.to_pandas(), pl.from_arrow(table), table.to_batches()[0], table.slice(0)):
        assert (encoder.transform(form) == expected).all()
    parts = [encoder.transform(table.slice(first, 100)) for first in range(0, 600, 100)]
    assert (np.vstack(parts) == expected).all()
    for form in FORMS:
        (batch,) = open_data(write(table, tmp_path / f"table.{form}")).batches()
        assert (encoder.transform(batch) == expected).all()


# Law: learning batch by batch is learning from all rows.
def test_partial_fit() -> None:
    table = mixed_table(900)
    whole = TableEncoder().fit(table)
    parts = TableEncoder()
    for first in range(0, 900, 250):
        parts.partial_fit(table.slice(first, 250))
    assert parts.rows_seen_ == 900
    one, other = whole.to_dict(), parts.to_dict()
    means = [[column.pop("mean", 0.0) for column in state["columns"]] for state in (one, other)]
    np.testing.assert_allclose(means[0], means[1], rtol=1e-12)
    for state in (one, other):  # the means are spelled there, too
        for column in state["columns"]:
            column.pop("said")
    assert one == other


def test_first_rows_of_a_source() -> None:
    source = open_data(mixed_table(900), batch_rows=100)
    encoder = TableEncoder(learn_rows=250).fit(source)
    assert encoder.rows_seen_ == 250
    assert encoder.to_dict() == TableEncoder().fit(mixed_table(900).slice(0, 250)).to_dict()


# Law: the state goes through JSON and gives the same features; clones and pickles work.
@pytest.mark.parametrize("sparse", [True, False])
def test_state(sparse: bool) -> None:
    table = mixed_table(600)
    encoder = TableEncoder(sparse=sparse).fit(table)
    expected = dense(encoder.transform(table))
    state = json.loads(json.dumps(encoder.to_dict(), allow_nan=False))
    again = TableEncoder.from_dict(state)
    for other in (again, pickle.loads(pickle.dumps(encoder)), copy.deepcopy(encoder)):
        assert (dense(other.transform(table)) == expected).all()
        assert other.describe() == encoder.describe()
        assert other.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    assert again.to_dict() == encoder.to_dict()
    with pytest.raises(ValueError, match="cannot learn from more rows"):
        again.partial_fit(table)
    assert again.fit(table).rows_seen_ == 600
    with pytest.raises(NotFittedError):
        clone(encoder).transform(table)


# Law: a state that was tampered with is a ValueError or an encoder, never another error and never many features.
@settings(deadline=None, max_examples=150)
@given(st.data())
def test_hostile_state(data: Any) -> None:
    state = TableEncoder().fit(mixed_table(30)).to_dict()
    odd = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.text(max_size=5),
        st.just("x" * 10_000),
        st.just({}),
        st.just([1]),
        st.just(["a", "a"]),
        st.just(["a"] * 100_000),
    )
    place: Any = state
    if data.draw(st.booleans()):
        place = data.draw(st.sampled_from(state["columns"]))
    key = data.draw(st.sampled_from(sorted(place)))
    if data.draw(st.booleans()):
        place[key] = data.draw(odd)
    else:
        del place[key]
    try:
        encoder = TableEncoder.from_dict(state)
    except ValueError:
        return
    assert encoder.n_features_out_ < 1 << 24


@pytest.mark.parametrize("state", [None, [], "x", {"version": 99, "columns": []}])
def test_state_of_another_kind(state: Any) -> None:
    with pytest.raises(ValueError, match="encoder"):
        TableEncoder.from_dict(state)


# Law: a single name to leave out is one column, not those whose names are part of it.
def test_single_name_left_out() -> None:
    table = pa.table({"price": [1.0, 2.0], "p": [3.0, 5.0]})
    assert TableEncoder().fit(table, leave_out="price").feature_names_in_.tolist() == ["p"]


# Law: what a column becomes is said.
def test_description() -> None:
    rng = np.random.default_rng(0)
    rows = 200
    table = pa.table(
        {
            "constant": [3] * rows,
            "same": ["x"] * rows,
            "empty": pa.nulls(rows),
            "nothing": pa.nulls(rows, pa.float64()),
            "list": [[1]] * rows,
            "id": [f"id-{k}" for k in range(rows)],
            "words": [f"{k} bottles of very old wine" for k in range(rows)],
            "code": rng.integers(1, 4, rows),
            "whenever": pa.array([10**9] * rows, pa.timestamp("s")),
            "size": rng.standard_normal(rows),
        }
    )
    by_count = ", ".join(sorted("123", key=lambda level: -np.count_nonzero(table["code"].to_numpy() == int(level))))
    with pytest.warns(UserWarning, match="column 'list' is left out, because lists of whole numbers are not supported"):
        encoder = TableEncoder(kinds={"code": "category", "size": "drop"}).fit(table)
    said = {row.column: (row.kind, row.done) for row in encoder.describe()}
    assert said["constant"] == ("dropped", "dropped: every one of 200 rows is 3")
    assert said["same"] == ("dropped", "dropped: every one of 200 rows is 'x'")
    assert said["empty"] == ("dropped", "dropped: all values are missing")
    assert said["nothing"] == ("dropped", "dropped: all 200 values are missing")
    assert said["list"][1].startswith("dropped: lists of")
    assert said["id"] == ("category", "200 distinct values in 200 rows, an identifier? hashed into 32 buckets")
    assert said["words"] == (
        "text",
        "text of 6 words a row (bottles, of, old, very, wine), hashed into 1024 buckets",
    )
    assert said["code"] == ("category", f"3 levels ({by_count})")
    assert said["whenever"] == ("dropped", "dropped: every one of 200 rows is the same time")
    assert said["size"] == ("dropped", "dropped: as requested")
    frame = encoder.describe().to_frame()
    assert frame.columns.tolist() == ["column", "kind", "done", "features"]
    assert frame["features"].sum() == encoder.n_features_out_ == 32 + 1024 + 4
    assert str(encoder.describe()).startswith("10 columns became 1,060 features:")
    assert encoder.text_columns_ == {"id": "text", "words": "text", "code": "text"}


# Law: the form of the rows is decided once: sparse when features are many and rows have few of them.
def test_form_of_the_rows() -> None:
    rng = np.random.default_rng(0)
    few = pa.table({"a": rng.choice(list("abc"), 500), "b": rng.standard_normal(500)})
    many = pa.table({f"k{k}": rng.integers(0, 100, 2000).astype(str) for k in range(10)})
    assert isinstance(TableEncoder().fit_transform(few), np.ndarray)
    X = TableEncoder().fit_transform(many)
    assert hasattr(X, "indptr")
    assert X.dtype == np.float32
    far = pa.table({"seconds": 1_700_000_000 + rng.integers(0, 1000, 500)})
    assert TableEncoder().fit_transform(far).dtype == np.float64
    assert TableEncoder(dtype="float32").fit_transform(far).dtype == np.float32
    assert TableEncoder().fit_transform(far.slice(0, 0).from_pydict({"seconds": [1.0, 2.0]})).dtype == np.float32


# Law: types that drift between fit and predict are handled; what cannot be is refused, with column and value.
def test_drift() -> None:
    table = pa.table({"n": [1, 2, 3], "k": ["1", "2", "2"], "b": [True, False, True]})
    encoder = TableEncoder(min_count=1).fit(table)
    expected = named(encoder, table)
    drifted = pa.table(
        {
            "extra": [0, 0, 0],
            "b": [1, 0, 1],
            "k": pa.array([1.0, 2.0, 2.0]),
            "n": pa.array(["1", "2", "3.0"]).dictionary_encode(),
        }
    )
    assert named(encoder, drifted) == expected
    assert encoder.ignored(drifted) == ["extra"]
    assert named(encoder, drifted.to_pandas().astype({"k": "category"})) == expected
    with pytest.raises(DataError, match=r"shop\.csv: there is no column 'n': its columns are|did you mean"):
        encoder.transform(table.select(["k", "b"]), "shop.csv")
    with pytest.raises(DataError, match=r"shop\.csv: column 'n' holds the text 'many': expected numbers"):
        encoder.transform(table.set_column(0, "n", pa.array(["1", "many", None])), "shop.csv")
    with pytest.raises(DataError, match=r"shop\.csv: column 'k' holds lists of"):
        encoder.transform(table.set_column(1, "k", pa.array([[1], [2], [3]])), "shop.csv")
    with pytest.raises(DataError, match=r"shop\.csv: column 'n' holds dates and times"):
        encoder.transform(table.set_column(0, "n", pa.array([1, 2, 3], pa.timestamp("s"))), "shop.csv")
    with pytest.raises(DataError, match=r"shop\.csv: column 'n' holds inf \(row 2 of the batch\)"):
        encoder.transform(table.set_column(0, "n", pa.array([1.0, np.inf, 2.0])), "shop.csv")
    with pytest.raises(DataError, match=r"shop\.csv: column 'n' holds 1e\+39: expected numbers up to 1e\+38"):
        encoder.transform(table.set_column(0, "n", pa.array([1.0, 1e39, 2.0])), "shop.csv")
    with pytest.raises(DataError, match="column 'n' holds -inf"):
        TableEncoder().fit(pa.table({"n": [1.0, -np.inf]}))


# Law: a fit that failed leaves nothing behind.
def test_failed_fit() -> None:
    encoder = TableEncoder()
    with pytest.raises(DataError, match="holds inf"):
        encoder.partial_fit(pa.table({"a": [1.0, 2.0], "b": [1.0, np.inf]}))
    with pytest.raises(NotFittedError):
        encoder.transform(pa.table({"a": [1.0], "b": [1.0]}))
    encoder.partial_fit(pa.table({"c": [1.0, 2.0]}))
    assert (encoder.rows_seen_, encoder.n_features_out_) == (2, 1)


# Columns of all kinds: the rows learned from, those of a refused batch and those of a later one.
COLUMNS_OF_ALL_KINDS: dict[str, tuple[Any, Any, Any]] = {
    "number": ([1.0, 2.0], [1e6, None], [3.0, 4.0]),
    "boolean": ([True, False], [True, None], [True, True]),
    "category": (["a", "b"], ["c", "c"], ["a", "d"]),
    "codes": (pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "c"]).dictionary_encode(), ["b", "b"]),
    "text": (["old red wine", "a fine old oak"], ["new words only", "and more words"], ["red oak and wine", "old"]),
    "time": ([date(2020, 1, 1), date(2020, 2, 1)], [date(1999, 1, 1), None], [date(2021, 1, 1), date(2022, 1, 1)]),
    "day first": (["13/02/2020", "14/03/2020"], ["not a date", "02/13/2020"], ["15/04/2021", "01/02/2022"]),
    "either order": (["01/02/2020", "03/04/2020"], ["13/04/2020", "14/04/2020"], ["05/06/2020", "07/08/2020"]),
    "declared": (["13.02.2020", "14.03.2020"], ["01.01.1990", None], ["15.04.2021", "01.02.2022"]),
    "commas": (["1,5", "2,5"], ["3,25", "word"], ["4,5", "5,5"]),
    "empty": (pa.nulls(2), ["x", "y"], pa.nulls(2)),
    "dropped": ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]),
    "lists": ([[1], [2]], [[3], None], [[4], [5]]),
    "last": ([1.0, 2.0], [np.inf, 0.0], [3.0, 4.0]),  # the one that is refused
}


# Law: a refused batch leaves the encoder as it was: what it says, and what it learns later, of columns of every kind.
@pytest.mark.parametrize("name", [*COLUMNS_OF_ALL_KINDS, "all"])
def test_refused_batch_changes_nothing(name: str) -> None:
    names = list(COLUMNS_OF_ALL_KINDS) if name == "all" else list(dict.fromkeys((name, "last")))
    first, refused, later = (pa.table({one: COLUMNS_OF_ALL_KINDS[one][place] for one in names}) for place in range(3))
    kinds = {one: kind for one, kind in (("declared", "day-first"), ("dropped", "drop")) if one in names}
    encoder, untouched = (TableEncoder(kinds=kinds, min_count=1).partial_fit(first) for _ in range(2))
    with pytest.raises(DataError, match="column 'last' holds inf"):
        encoder.partial_fit(refused)
    for _ in range(2):
        assert encoder.to_dict() == untouched.to_dict()
        assert encoder.doubts_ == untouched.doubts_
        encoder.partial_fit(later)
        untouched.partial_fit(later)


# Law: a copy of a learner shares nothing with it that either changes, whatever the column; reading changes neither.
@pytest.mark.parametrize("name", COLUMNS_OF_ALL_KINDS)
def test_learners_are_independent(name: str) -> None:
    first, other, _ = (pa.table({name: values})[name].combine_chunks() for values in COLUMNS_OF_ALL_KINDS[name])
    learner = learner_of(name, first.type, "day-first" if name == "declared" else None)
    learner.learn(first, "the table")
    before = pickle.dumps(learner)
    again = learner.copy()
    assert learner.encoding(OPTIONS) == learner.encoding(OPTIONS)
    assert (learner.doubt, learner.needs_double) == (again.doubt, again.needs_double)
    if name not in ("empty", "last"):
        again.learn(other, "the table")
    assert pickle.dumps(learner) == before


# Law: a column that was empty at first takes the kind of its first values.
def test_empty_at_first() -> None:
    encoder = TableEncoder(min_count=1).partial_fit(pa.table({"a": pa.nulls(3), "b": [1.0, 2.0, 3.0]}))
    encoder.partial_fit(pa.table({"a": ["x", "y"], "b": [1.0, 2.0]}))
    assert encoder.get_feature_names_out().tolist() == ["a=x", "a=y", "a hash 0", "a (missing)", "b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": {"b": "number"}}, "kinds: the table: there is no column 'b'"),
        ({"kinds": {"a": "word"}}, "'word' for column 'a' is unknown"),
        ({"levels": 0}, "levels=0"),
        ({"sparse": "yes"}, "sparse='yes': expected 'auto', True or False"),
        ({"dtype": "float16"}, "dtype='float16': expected"),
        ({"indicators": "none"}, "indicators='none': expected 'seen' or 'all'"),
    ],
)
def test_refused_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TableEncoder(**options).fit(pa.table({"a": [1.0, 2.0]}))


def test_indicators_for_all() -> None:
    table = pa.table({"a": [1.0, 2.0], "k": ["x", "y"], "t": pa.array([0, 10**9], pa.timestamp("s"))})
    names = TableEncoder(indicators="all").fit(table).get_feature_names_out()
    assert [name for name in names if "(missing)" in name] == ["a (missing)", "k (missing)", "t (missing)"]


def test_data_frame_with_mixed_objects() -> None:
    with pytest.raises(DataError, match="mixed or unsupported types"):
        TableEncoder().fit(pd.DataFrame({"a": [1, "x"]}))


# Law: encoded batches are the transformed ones, in order, from any start; rows without a target are left out.
@pytest.mark.parametrize("ahead", [0, 1])
def test_encoded_batches(ahead: int) -> None:
    table = mixed_table(500)
    y = np.array(table.column("y").to_pylist())
    y[::7] = np.nan
    table = table.set_column(7, "y", pa.array(y, from_pandas=True))
    features = table.drop_columns(["y"])
    source = open_data(table, batch_rows=120)
    encoder = TableEncoder(sparse=False).fit(source, leave_out=["y"])
    assert encoder.to_dict() == TableEncoder(sparse=False).fit(features).to_dict()
    assert encoder.to_dict() == TableEncoder(sparse=False).fit(table, leave_out=["y"]).to_dict()
    expected = encoder.transform(features)[~np.isnan(y)]
    batches = list(encoded_batches(source, encoder, "y", ahead=ahead))
    assert (np.vstack([batch.X for batch in batches]) == expected).all()
    assert np.concatenate([batch.y for batch in batches]).tolist() == y[~np.isnan(y)].tolist()
    assert sum(batch.dropped for batch in batches) == np.isnan(y).sum()
    assert [batch.read for batch in batches] == [120, 120, 120, 120, 20]
    later = list(encoded_batches(source, encoder, "y", start=3, ahead=ahead))
    assert (later[0].X == batches[3].X).all()


def test_encoded_batches_of_sparse_rows() -> None:
    X, y = scipy.sparse.eye_array(5, format="csr"), np.arange(5.0)
    (batch,) = encoded_batches(open_data((X, y)), None, "y")
    assert (batch.X != X).nnz == 0
    assert batch.y.tolist() == y.tolist()
    with pytest.raises(DataError, match="the rows are sparse numbers"):
        TableEncoder().fit(open_data((X, y)))


# Law: columns without values have no features, whatever their type, and the encoder of them goes through JSON.
def test_columns_without_values() -> None:
    table = pa.table(
        {
            "text": pa.array([None] * 3, pa.string()),
            "when": pa.array([None] * 3, pa.timestamp("s")),
            "nothing": pa.nulls(3),
            "number": [1.0, 2.0, 4.0],
        }
    )
    encoder = TableEncoder().fit(table)
    assert {row.column: row.kind for row in encoder.describe().table} == {
        "text": "dropped", "when": "dropped", "nothing": "dropped", "number": "number"
    }  # fmt: skip
    assert "all 3 values are missing" in str(encoder.describe())
    restored = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    for one in (encoder, restored):
        assert one.transform(table).tolist() == [[1.0], [2.0], [4.0]]


# Law: a column may be empty, or of dictionary type, in a later table: its rows are missing, or the same.
def test_later_forms_of_a_column() -> None:
    table = pa.table(
        {
            "when": pa.array(["2013-01-01", "2014-07-04", None]).cast(pa.date32()),
            "word": ["a b c", None, "d e f"],
            "level": pa.array(["x", "y", "x"]),
        }
    )
    encoder = TableEncoder(kinds={"word": "text"}).fit(table)
    expected = dense(encoder.transform(table))
    spelled = table.set_column(0, "when", table["when"].cast(pa.string()).dictionary_encode())
    coded = spelled.set_column(2, "level", table["level"].dictionary_encode())
    np.testing.assert_array_equal(dense(encoder.transform(coded)), expected)
    empty = pa.table({name: pa.nulls(2) for name in table.column_names})
    missing = encoder.transform(pa.table({**empty.to_pydict(), "when": pa.nulls(2, pa.date32())}, table.schema))
    np.testing.assert_array_equal(dense(encoder.transform(empty)), dense(missing))
    assert dense(encoder.transform(empty))[:, list(encoder.get_feature_names_out()).index("word (missing)")].all()
    lists = table.set_column(1, "word", pa.array([["a"], ["b"], ["c"]]))
    with pytest.raises(DataError, match=r"column 'word' holds lists of.*: expected text; convert it"):
        encoder.transform(lists)
    with pytest.raises(DataError, match=r"column 'word' holds lists of.*: expected text; convert it"):
        TableEncoder(kinds={"word": "text"}).partial_fit(table).partial_fit(lists)
    with pytest.raises(DataError, match="there is no column 'word'"):
        TableEncoder().partial_fit(table).partial_fit(table.drop_columns(["word"]))


# Law: levels that no row has are not learned, and a time that a batch lacks changes nothing.
def test_levels_without_rows() -> None:
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 2, 0, 2]), pa.array(["x", "never", "y"]))
    encoder = TableEncoder(min_count=1).fit(pa.table({"k": levels}))
    assert "k=never" not in encoder.get_feature_names_out()
    when = pa.array(["2013-01-01", "2014-07-04"]).cast(pa.date32())
    parts = [pa.table({"t": when}), pa.table({"t": pa.nulls(2, pa.date32())})]
    learned = TableEncoder().partial_fit(parts[0]).partial_fit(parts[1])
    assert learned.to_dict() == TableEncoder().fit(pa.concat_tables(parts)).to_dict()


# Law: of more different strings than are counted, those seen once are forgotten; frequent ones stay levels.
def test_more_strings_than_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.data.encoding.string_learner.MAX_TRACKED_LEVELS", 100)
    strings = [f"rare {k}" for k in range(150)] + ["north", "south"] * 400
    encoder = TableEncoder(min_count=5).fit(pa.table({"k": strings}))
    names = set(encoder.get_feature_names_out())
    assert {"k=north", "k=south"} <= names
    assert not any(name.startswith("k=rare") for name in names)
    assert any(name.startswith("k hash") for name in names)


# Law: names of input columns must be those learned from, and a state must not ask for more features than a model has.
def test_names_and_sizes() -> None:
    encoder = TableEncoder().fit(pa.table({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    assert encoder.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        encoder.get_feature_names_out(["b", "a"])
    words = TableEncoder(kinds={"t": "text"}).fit(pa.table({"t": ["a b", "c d"]})).to_dict()
    words["columns"] = [
        {**words["columns"][0], "column": f"t{k}", "buckets": 2**20, "frequent": []} for k in range(2000)
    ]
    with pytest.raises(ValueError, match="features in all"):
        TableEncoder.from_dict(words)


# Law: by words="auto" a text alone has features for its words, up to a bound, and no other text or column changes.
def test_automatic_words() -> None:
    many = pa.array([f"w{3 * k} w{3 * k + 1} w{3 * k + 2} and so on" for k in range(800)])
    few = pa.array([f"w{k % 7} w{k % 5} w{k % 3} number{k % 300}" for k in range(800)])
    number, constant = pa.array(range(800)), pa.array([1] * 800)

    def n_words(**columns: Any) -> list[int]:
        encoder = TableEncoder(words="auto", kinds=dict.fromkeys(set(columns) & {"t", "u"}, "text"))
        return [column.features for column in encoder.fit(pa.table(columns)).describe()]

    assert n_words(t=many) == [8192]  # a power of two from 2 * 2403
    assert n_words(t=many, c=constant) == [8192, 0]
    assert n_words(t=few) == [1024]
    assert n_words(t=many, x=number) == [1024, 1]
    assert n_words(t=many, u=few) == [1024, 1024]
    large = pa.array([f"a{k} b{k} c{k} d{k} e{k}" for k in range(2000)])
    assert n_words(t=large) == [16384]
    with pytest.raises(TypeError, match="words='many' is a str: expected 'auto' or an integer of 1 or more"):
        TableEncoder(words="many").fit(pa.table({"t": many}))


# Law: bytes of a row are those of its arrays.
@pytest.mark.parametrize("sparse", [True, False])
def test_bytes_of_a_row(sparse: bool) -> None:
    table = pa.table({"t": [f"w{k} v{k} u{k}" for k in range(400)], "x": np.arange(400.0)})
    encoder = TableEncoder(sparse=sparse, kinds={"t": "text"}).fit(table)
    X = encoder.transform(table)
    used = X.data.nbytes + X.indices.nbytes + 8 * 400 if sparse else X.nbytes
    assert encoder.row_bytes_ * 400 == pytest.approx(used, rel=0.01)
