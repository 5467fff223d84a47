"""A path is a list of linear models; predicting with all of them is predicting with each."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.sparse

from ridgeway.path.path_result import PathResult

if TYPE_CHECKING:
    from ridgeway.rows import Float


def path_of(n_alphas: int, *shape: int, seed: int = 0, dtype: type[np.floating[Any]] = np.float64) -> PathResult:
    rng = np.random.default_rng(seed)
    coefs: Float = rng.standard_normal((n_alphas, *shape)).astype(dtype)
    intercepts: Float = rng.standard_normal((n_alphas, *shape[:-1])).astype(dtype)
    return PathResult(np.geomspace(1e-3, 1.0, n_alphas), coefs, intercepts)


# Law: column l of the answer is x . coefs[l] + intercepts[l].
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n_rows", [1, 7, 8192, 20_001])
def test_predict_is_each_model(n_rows: int, sparse: bool) -> None:
    path = path_of(5, 3)
    X = np.random.default_rng(1).standard_normal((n_rows, 3))
    X[X < 0.5] = 0.0
    answer = path.predict(scipy.sparse.csr_array(X) if sparse else X)
    assert answer.shape == (n_rows, 5)
    for k in range(5):
        np.testing.assert_allclose(answer[:, k], X @ path.coefs[k] + path.intercepts[k], rtol=1e-13, atol=1e-13)


# Law: with several targets the targets come last.
def test_predict_with_targets() -> None:
    path = path_of(4, 2, 3)
    X = np.random.default_rng(1).standard_normal((10, 3))
    answer = path.predict(X)
    assert answer.shape == (10, 4, 2)
    expected = np.einsum("nd,ltd->nlt", X, path.coefs) + path.intercepts
    np.testing.assert_allclose(answer, expected, rtol=1e-13, atol=1e-13)


# Law: float32 rows meet float64 models in float64, float32 models in float32.
def test_precision_of_the_answer() -> None:
    X = np.random.default_rng(1).standard_normal((10, 3)).astype(np.float32)
    double = path_of(4, 3)
    answer = double.predict(X)
    assert answer.dtype == np.float64
    np.testing.assert_allclose(answer, X.astype(np.float64) @ double.coefs.T + double.intercepts, rtol=1e-14)
    assert path_of(4, 3, dtype=np.float32).predict(X).dtype == np.float32


def test_length_and_repr() -> None:
    assert len(path_of(4, 3)) == 4
    assert repr(path_of(4, 3)) == "PathResult(4 alphas from 0.001 to 1, 3 features)"
    assert repr(path_of(1, 2, 3)) == "PathResult(alpha 0.001, 3 features, 2 targets)"
    assert repr(path_of(0, 3)) == "PathResult(no alphas, 3 features)"


def test_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        path_of(1, 3).alphas = np.zeros(1)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("alphas", "coefs", "intercepts", "message"),
    [
        ((2, 1), (2, 3), (2,), r"alphas has shape \(2, 1\)"),
        ((2,), (3,), (), r"coefs \(3,\): expected"),
        ((2,), (3, 4), (3,), "2 alphas, coefs of shape"),
        ((2,), (2, 4), (2, 1), "do not match"),
        ((2,), (2, 3, 4), (2,), "do not match"),
    ],
)
def test_parts_must_fit(
    alphas: tuple[int, ...], coefs: tuple[int, ...], intercepts: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        PathResult(np.zeros(alphas), np.zeros(coefs), np.zeros(intercepts))


def test_predict_refuses_bad_rows() -> None:
    path = path_of(2, 3)
    with pytest.raises(ValueError, match="X has 4 columns but the models have 3: pass the columns of the fit"):
        path.predict(np.zeros((2, 4)))
    with pytest.raises(ValueError, match=r"X\[1, 2\] is NaN"):
        path.predict(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]]))
    with pytest.raises(ValueError, match="Reshape your data"):
        path.predict(np.zeros(3))


# Law: the data frame has the models of the path, one in a row.
def test_to_frame() -> None:
    path = path_of(4, 3)
    frame = path.to_frame(["a", "b", "c"])
    assert list(frame.columns) == ["alpha", "intercept", "a", "b", "c"]
    np.testing.assert_array_equal(frame[["a", "b", "c"]], path.coefs)
    np.testing.assert_array_equal(frame[["alpha", "intercept"]], np.column_stack([path.alphas, path.intercepts]))
    several = path_of(4, 2, 3)
    frame = several.to_frame()
    for target in range(2):
        rows = frame[frame["target"] == target]
        np.testing.assert_array_equal(rows[["x0", "x1", "x2"]], several.coefs[:, target])
        np.testing.assert_array_equal(rows["alpha"], several.alphas)
        np.testing.assert_array_equal(rows["intercept"], several.intercepts[:, target])
    assert len(path_of(0, 3).to_frame()) == 0
    with pytest.raises(ValueError, match="2 feature_names: expected 3"):
        path.to_frame(["a", "b"])
