from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway import _core

Array = NDArray[np.float64]


def chebyshev(n_nodes: int) -> tuple[Array, Array]:
    """Return Chebyshev nodes, and the matrix of values at them to coefficients."""
    nodes: Array = np.cos(np.pi * (np.arange(n_nodes) + 0.5) / n_nodes)
    transform: Array = np.linalg.inv(np.polynomial.chebyshev.chebvander(nodes, n_nodes - 1).T).astype(np.float64)
    return nodes, transform


# Law: coefficients are those of S(j) = (e^-past - e^-total) / (1 - e^-total) on each block, or S itself at raw steps;
# the error is the largest over blocks of what is left out and of the shares of what is kept.
@given(
    st.lists(st.floats(-6, 1), min_size=0, max_size=4),
    st.integers(0, 5),
    st.lists(st.integers(2, 4), max_size=6),
    st.integers(1, 9),
    st.integers(0, 2**32),
)
def test_ridge_series(exponents: list[float], n_raw: int, halves: list[int], m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_blocks, n_averages = len(halves), len(exponents)
    growth = 10.0 ** np.array(exponents).reshape(-1, 1)  # of one step, on the only stair
    starts = np.cumsum([n_raw, *(2 * half + 1 for half in halves)]) + 1.0
    marks, end = np.append(np.arange(1.0, n_raw + 1), starts[:-1]), starts[-1] + 3
    nodes, transform = chebyshev(m + 2)
    shares = rng.uniform(0, 1, (n_blocks, m))
    columns = rng.permutation(n_raw + n_blocks)  # units of m columns, in any order
    raw_columns, first_columns = columns[:n_raw] * m, columns[n_raw:] * m
    coefficients, errors = np.zeros((n_averages, (n_raw + n_blocks) * m)), np.empty(n_averages)
    sums = _core.GrowthSums(growth=growth, past=growth * marks, left=growth * (end - marks), total=growth[:, 0] * end)
    blocks = _core.SeriesBlocks(
        raw_columns=raw_columns, first_columns=first_columns, halves=np.array(halves, float),
        stair=np.zeros(n_blocks, np.int64), shares=shares,
    )  # fmt: skip
    _core.fill_ridge_series(
        sums, blocks, nodes=nodes, transform=transform, flat=1e-17, coefficients=coefficients, errors=errors
    )

    def survival(j: Array) -> Array:
        values: Array = np.exp(-growth * j) * -np.expm1(-growth * (end - j)) / -np.expm1(-growth * end)
        return values

    expected_errors = np.zeros(n_averages)
    np.testing.assert_allclose(coefficients[:, raw_columns], survival(marks[:n_raw]), rtol=1e-12, atol=1e-25)
    for b, half in enumerate(halves):
        series = survival(starts[b] + half * (1 + nodes)) @ transform
        kept = coefficients[:, first_columns[b] : first_columns[b] + m]
        np.testing.assert_allclose(kept, series[:, :m], atol=1e-13)
        error = np.abs(series[:, :m]) @ shares[b] + np.abs(series[:, m:]).sum(axis=1)
        expected_errors = np.maximum(expected_errors, error)
    np.testing.assert_allclose(errors, expected_errors, atol=1e-12)


# Law: blocks on different stairs have their own series, and those of which nothing is left are 0.
def test_stairs() -> None:
    nodes, transform = chebyshev(5)
    growth = np.array([[0.1, 30.0]])
    past, total = np.array([[0.1, 0.6, 30.6, 180.6]]), np.array([330.6])
    coefficients, errors = np.full((1, 12), np.nan), np.empty(1)
    _core.fill_ridge_series(
        _core.GrowthSums(growth, past, total[:, None] - past, total),
        _core.SeriesBlocks(
            np.zeros(0, np.int64), np.arange(0, 12, 3), np.full(4, 2.0), np.array([0, 0, 1, 1]), np.zeros((4, 3))
        ),
        nodes=nodes, transform=transform, flat=1e-17, coefficients=coefficients, errors=errors,
    )  # fmt: skip
    for b, stair in enumerate([0, 0, 1]):
        series = np.exp(-past[0, b] - growth[0, stair] * 2 * (1 + nodes)) @ transform
        np.testing.assert_allclose(coefficients[0, 3 * b : 3 * b + 3], series[:3], atol=1e-14)
    assert (coefficients[0, 9:] == 0).all()
