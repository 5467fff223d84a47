"""Laws of input checking: each kind of bad input has its own clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ridgeway as rw
from ridgeway.rows import DenseRows, check_batch, check_rows, require_finite_rows

X = np.arange(12.0).reshape(4, 3)
y = np.arange(4.0)


def with_entry(value: float, row: int = 2, column: int = 1) -> Any:
    changed = X.copy()
    changed[row, column] = value
    return changed


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_entries_that_are_not_finite(form: Any, value: float, word: str) -> None:
    with pytest.raises(ValueError, match=rf"X\[2, 1\] is {word}: expected finite numbers; drop or impute"):
        rw.run_sgd(form(with_entry(value)), y)
    with pytest.raises(ValueError, match=rf"X\[2, 1\] is {word}"):
        rw.run_sgd(form(with_entry(value)), y, step=1e-6)
    for options in ({"store": "sketch"}, {"store": "replay", "batch_size": 2}, {"store": "sketch", "batch_size": 3}):
        run = rw.SGDRun(1e-6, **options)
        # As plain Python a kernel warns of what it multiplies; compiled ones do not.
        with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=rf"X\[2, 1\] is {word}"):
            run.update(form(with_entry(value)), y)
        assert run.n_steps == 0


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_norms_that_overflow(form: Any) -> None:
    with pytest.raises(ValueError, match=r"row 2 of X has a squared norm beyond float32 \(largest entry 1e\+25\)"):
        rw.run_sgd(form(with_entry(1e25).astype(np.float32)), y)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((X, [0.0, 1.0, np.nan, 2.0]), ValueError, r"y\[2\] is NaN: expected finite numbers"),
        ((X, np.array([[0.0, 1.0]] * 3 + [[0.0, np.inf]])), ValueError, r"y\[3, 1\] is inf"),
        ((X, y[:3]), ValueError, r"y has shape \(3,\) but X has 4 rows: expected \(4,\) or \(4, targets\)"),
        ((X, np.empty((4, 0))), ValueError, r"y has shape \(4, 0\)"),
        ((X, np.zeros((4, 1, 1))), ValueError, r"y has shape \(4, 1, 1\)"),
        ((X, 1.0), ValueError, r"y has shape \(\)"),
        ((X[:0], y[:0]), ValueError, "X has no rows .*: expected at least one; skip empty batches"),
        ((X[:, :0], y), ValueError, r"X has 0 feature\(s\) \(shape=\(4, 0\)\)"),
        ((sp.csr_array((4, 0)), y), ValueError, r"X has 0 feature\(s\)"),
        ((y, y), ValueError, r"X has 1 dimension\(s\), shape \(4,\): expected \(rows, columns\)\. Reshape your data"),
        ((X[None], y), ValueError, r"X has 3 dimension\(s\)"),
        ((sp.coo_array(y), y), ValueError, r"X has shape \(4,\): expected \(rows, columns\)"),
        ((X, sp.csr_array(X[:, :1])), TypeError, r"y is a sparse matrix: expected a dense array; pass y\.toarray\(\)"),
        ((X.astype(str), y), TypeError, "X holds values of type <U.*, which are not real numbers: .*TableEncoder"),
        ((X.astype(complex), y), ValueError, "Complex data not supported: X has type complex128"),
        (
            (np.array([["1", 1.0]] * 4, dtype=object), y),
            TypeError,
            "column 0 of X holds the text '1': every argument must be a number.*TableEncoder.*`ridgeway fit`",
        ),
        (
            (pd.DataFrame({"a": [1.0] * 4, "words": ["so long" * 10] * 4}), y),
            TypeError,
            r"column 'words' of X holds the text '(so long){5}so lo'\.\.\.: every argument.*fit_table",
        ),
        ((np.array([[pd.NA, 1.0]] * 4, dtype=object), y), TypeError, "X holds objects that are not numbers.*missing"),
        (([[1.0], [1.0, 2.0]], [1.0, 2.0]), ValueError, "X is a list of unequal parts"),
        ((np.ma.masked_array(X, X > 5), y), TypeError, "X is a masked array"),
        ((X, None), ValueError, "the target y is None"),
        (
            (X.astype(np.float32), 1e300 * y),
            ValueError,
            r"y\[1\] = 1e\+300 is beyond the range of float32: scale it down",
        ),
        ((X, ["a", "b", "c", "d"]), TypeError, "y holds values of type .*: convert them to numbers[.]$"),
        ((X, np.array(["2020-01-01"] * 4, dtype="M8[D]")), TypeError, "y holds values of type datetime64"),
        (
            (X, y, [1.0, 1.0, -0.5, 1.0]),
            ValueError,
            r"sample_weight\[2\] = -0.5 is negative: weights must be 0 or more",
        ),
        ((X, y, [1.0, 1.0, np.nan, 1.0]), ValueError, r"sample_weight\[2\] is NaN"),
        ((X, y, np.ones(3)), ValueError, r"sample_weight has shape \(3,\) but X has 4 rows: expected \(4,\)"),
        ((X, y, np.ones((4, 1))), ValueError, r"sample_weight has shape \(4, 1\)"),
    ],
)
def test_bad_input(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_batch(*arguments)
    run = rw.SGDRun(0.01)
    with pytest.raises(error, match=message):
        run.update(*arguments)
    assert run.n_steps == 0


# Law: a CSR matrix that points outside itself is refused before any kernel reads it.
@pytest.mark.parametrize("part", ["indices", "indptr", "negative", "decreasing"])
def test_damaged_sparse_matrices(part: str) -> None:
    damaged = sp.csr_array(X)
    if part == "indices":
        damaged.indices[3] = 99
    elif part == "indptr":
        damaged.indptr[-1] = 1000
    elif part == "negative":
        damaged.indices[3] = -1
    else:
        damaged.indptr[1] = 7
    with pytest.raises(ValueError, match="damaged CSR matrix"):
        check_rows(damaged)


# Law: rows of weight 0 are left out, together with their targets.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_weight_0(form: Any) -> None:
    batch = check_batch(form(X), y, [1.0, 0.0, 2.0, 0.0])
    assert len(batch) == 2
    assert np.array_equal(batch.y[:, 0], [0.0, 2.0])
    assert np.array_equal(batch.weight, [1.0, 2.0])
    np.testing.assert_allclose(batch.rows.squared_norms(), (X[[0, 2]] ** 2).sum(axis=1))


# Law: a row of weight 0 may hold anything, and errors count rows as the user does.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"chains": 2}, {"step": 1e-9, "chains": 3}])
def test_row_numbers(form: Any, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    bad, targets, weight = rng.standard_normal((60, 3)), rng.standard_normal(60), np.ones(60)
    bad[10, 0], targets[10], weight[:20] = np.nan, np.nan, 0.0
    assert np.isfinite(rw.run_sgd(form(bad), targets, sample_weight=weight, **options).coef(rw.Last())).all()
    bad[47, 1] = np.inf
    with pytest.raises(ValueError, match=r"X\[47, 1\] is inf"):
        rw.run_sgd(form(bad), targets, sample_weight=weight, **options)


# Law: parts, selections, norms and products of sparse rows are those of the dense rows.
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_mean_what_dense_rows_mean(index: Any) -> None:
    sparse = sp.csr_array(X)
    sparse = sp.csr_array((sparse.data, sparse.indices.astype(index), sparse.indptr.astype(index)), shape=X.shape)
    order = np.array([3, 0, 0, 2])
    for rows in (check_rows(sparse), check_rows(X)):
        np.testing.assert_allclose(rows.between(1, 3).times(np.eye(3)), X[1:3])
        np.testing.assert_allclose(rows.take(order).times(np.eye(3)), X[order])
        np.testing.assert_allclose(rows.take(order).between(1, 3).squared_norms(), (X[[0, 0]] ** 2).sum(axis=1))
        np.testing.assert_allclose(rows.squared_norms_of(order), (X[order] ** 2).sum(axis=1))
        require_finite_rows(rows, rows.squared_norms())


# Law: well-formed input is viewed, not copied, and never changed.
def test_no_copies() -> None:
    batch = check_batch(X, y)
    assert isinstance(batch.rows, DenseRows)
    assert np.shares_memory(batch.rows.array, X)
    assert np.shares_memory(batch.y, y)
    assert not batch.y.flags.writeable
    assert X.flags.writeable
