"""Conformal half-widths: ranks, coverage in simulation, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridgeway.intervals.conformal import ConformalWidth
from ridgeway.intervals.coverage_share import coverage_share, rank_of, required_rows
from ridgeway.intervals.residual_spread import ResidualSpread


# Law: the required number of rows is the least for which the rank exists.
@given(st.integers(1, 999))
def test_required_rows_is_least(thousandths: int) -> None:
    coverage = thousandths / 1000
    n = required_rows(coverage)
    assert rank_of(coverage, n) <= n
    assert n == 1 or rank_of(coverage, n - 1) > n - 1


# Law: the half-width is the smallest absolute residual that at least a share (k + 1) coverage of them does not exceed.
@given(st.lists(st.floats(-1e6, 1e6), min_size=9, max_size=60), st.sampled_from([0.1, 0.5, 0.8, 0.9]))
def test_half_width_is_a_rank(residuals: list[float], coverage: float) -> None:
    errors = np.array(residuals)[:, None]
    (size,) = ConformalWidth.of(np.zeros_like(errors), errors, coverage).sizes
    wanted = (len(residuals) + 1) * coverage - 1e-6
    assert (np.abs(errors) <= size).sum() >= wanted
    assert (np.abs(errors) < size).sum() < wanted


# Law: exchangeable scores are covered at least as often as asked, and at most 1 / (k + 1) more often.
@pytest.mark.parametrize("k", [9, 25, 99])
def test_coverage_of_exchangeable_scores(k: int) -> None:
    rng = np.random.default_rng(0)
    errors = rng.standard_t(3, (20_000, k + 1))
    covered = [
        abs(row[-1]) <= ConformalWidth.of(np.zeros((k, 1)), row[:-1, None], 0.9).sizes[0] for row in errors[:4000]
    ]
    assert 0.9 - 0.015 <= np.mean(covered) <= 0.9 + 1 / (k + 1) + 0.015


# Law: where errors grow with the prediction, normalized intervals cover alike everywhere and plain ones do not.
def test_normalized_covers_each_fifth() -> None:
    rng = np.random.default_rng(1)
    predicted = rng.uniform(0, 1, 24_000)
    errors = rng.standard_normal(24_000) * (0.1 + predicted)
    held, new = slice(None, 8000), slice(8000, None)
    fifths = np.digitize(predicted[new], [0.2, 0.4, 0.6, 0.8])
    least = {}
    for normalized in (False, True):
        width = ConformalWidth.of(predicted[held, None], errors[held, None], 0.9, normalized)
        low, high = width.around(predicted[new, None])[:, 0].T - predicted[new]
        covered = (low <= errors[new]) & (errors[new] <= high)
        assert abs(covered.mean() - 0.9) < 0.012
        least[normalized] = min(covered[fifths == fifth].mean() for fifth in range(5))
    assert least[True] > 0.87 > 0.8 > least[False]


# Law: with few rows, or predictions that are all alike, the spread is one number, the mean absolute residual.
@pytest.mark.parametrize("predicted", [np.arange(60.0), np.zeros(500)])
def test_spread_of_too_little(predicted: np.ndarray) -> None:
    residuals = np.random.default_rng(0).standard_normal(len(predicted))
    spread = ResidualSpread.of(predicted, residuals)
    np.testing.assert_allclose(spread.at(np.array([-1.0, 3.0, 1e9])), np.abs(residuals).mean(), rtol=1e-12)


# Law: a coverage that no interval can have is refused with the range.
@pytest.mark.parametrize("coverage", [0, 1, 2, -0.5, "x", None, True, float("nan"), float("inf")])
def test_coverage_out_of_range(coverage: object) -> None:
    with pytest.raises((ValueError, TypeError), match=r"coverage=.*between 0 and 1"):
        coverage_share(coverage)


# Law: too few rows are refused with the number that is needed and the coverage that they allow.
def test_too_few_rows() -> None:
    errors = np.ones((8, 1))
    with pytest.raises(ValueError, match=r"8 rows were held out: expected at least 9 for a coverage of 0.9; .* 0.888,"):
        ConformalWidth.of(errors, errors, 0.9)
    ConformalWidth.of(errors, errors, 8 / 9)


# Law: the coverage that the refusal names is allowed, is below 1, and loses less than a tenth of a row.
@pytest.mark.parametrize("k", [1, 2, 4, 8, 9, 99, 300, 999, 2339, 10_000])
def test_advised_coverage_is_allowed(k: int) -> None:
    errors = np.ones((k, 1))
    with pytest.raises(ValueError, match=r"ask for at most 0\.\d+, or fit") as refused:
        ConformalWidth.of(errors, errors, 0.99999)
    advised = float(re.findall(r"at most ([\d.]+),", str(refused.value))[0])
    ConformalWidth.of(errors, errors, advised)
    assert 0 <= k / (k + 1) - advised < 0.1 / (k + 1)


# Law: no end of an interval is infinite.
def test_overflow_is_refused() -> None:
    width = ConformalWidth.of(np.zeros((9, 1)), np.full((9, 1), 1e308), 0.9)
    with pytest.raises(ValueError, match="exceed float64"):
        width.around(np.array([[1e308]]))


# Law: residuals that are all 0 give intervals of no width, normalized or not.
@pytest.mark.parametrize("normalized", [False, True])
def test_perfect_predictions(normalized: bool) -> None:
    predicted = np.linspace(0, 1, 300)[:, None]
    width = ConformalWidth.of(predicted, np.zeros_like(predicted), 0.9, normalized)
    assert (width.around(predicted) == predicted[:, :, None]).all()
