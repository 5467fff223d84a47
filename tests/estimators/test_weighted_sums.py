"""Sums of a stream: the same bits, however its rows are cut into batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import ridgeway as rw

ROWS, FIRST = 700, 64
CUTS = {
    "one batch": [700],
    "by 1": list(range(65, 701)),
    "by 7": [*range(71, 700, 7), 700],
    "odd": [65, 130, 131, 500, 700],
}


def problem(form: str, dtype: Any, targets: int | None) -> tuple[Any, Any, Any]:
    """Rows whose means move along the stream, and weights that are no multiples of a power of 2."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, 5)) + np.linspace(0, 0.5, ROWS)[:, None]
    shape = (5,) if targets is None else (5, targets)
    y = X @ rng.standard_normal(shape) + rng.standard_normal((ROWS, *shape[1:])) + 3
    rows = X.astype(dtype) * (rng.random((ROWS, 5)) < 0.4) if form == "csr" else X.astype(dtype)
    return scipy.sparse.csr_array(rows) if form == "csr" else rows, y.astype(dtype), rng.choice([0.1, 0.7, 1.0], ROWS)


def streamed(stops: list[int], X: Any, y: Any, weight: Any, **options: Any) -> Any:
    model = rw.AveragedSGDRegressor(**options).partial_fit(X[:FIRST], y[:FIRST], weight[:FIRST])
    for start, stop in zip([FIRST, *stops], stops, strict=False):
        model.partial_fit(X[start:stop], y[start:stop], weight[start:stop])
    return model


forms = pytest.mark.parametrize(
    ("form", "dtype", "targets"),
    [("dense", "f8", None), ("dense", "f4", None), ("dense", "f8", 2), ("csr", "f8", None), ("csr", "f4", 2)],
)


# Law: with the same first batch, other batches of the same rows give the same averages, intercepts too, bit for bit.
@forms
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("batch_size", [1, 3])
def test_batches_do_not_matter(form: str, dtype: Any, targets: int | None, weighted: bool, batch_size: int) -> None:
    X, y, weight = problem(form, dtype, targets)
    weight = weight if weighted else np.ones(ROWS)
    paths = [
        streamed(stops, X, y, weight, batch_size=batch_size, step=0.01).path([0.0, 1e-3, 0.1, 3.0])
        for stops in CUTS.values()
    ]
    for path in paths[1:]:
        np.testing.assert_array_equal(path.coefs, paths[0].coefs)
        np.testing.assert_array_equal(path.intercepts, paths[0].intercepts)


# Law: where nothing is chosen, they even give the same model file.
@pytest.mark.parametrize(("form", "dtype"), [("dense", "f8"), ("dense", "f4"), ("csr", "f8")])
def test_same_bytes(form: str, dtype: Any, tmp_path: Path) -> None:
    X, y, weight = problem(form, dtype, None)
    for name, stops in CUTS.items():
        streamed(stops, X, y, weight, alpha=0.1).save(tmp_path / name)
    assert len({(tmp_path / name).read_bytes() for name in CUTS}) == 1


# Law: intercepts rest on the means of all rows, as numpy computes them.
@forms
def test_means(form: str, dtype: Any, targets: int | None) -> None:
    X, y, weight = problem(form, dtype, targets)
    model = streamed(CUTS["by 7"], X, y, weight, alpha=0.1)
    dense = np.asarray(X.todense()) if form == "csr" else X
    mean_x, mean_y = (np.average(part.astype("f8"), axis=0, weights=weight) for part in (dense, y))
    expected = mean_y - model.coef_.astype("f8") @ mean_x
    np.testing.assert_allclose(model.intercept_, expected, rtol=1e-12 if dtype == "f8" else 1e-5)
