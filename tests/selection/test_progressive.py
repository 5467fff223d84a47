"""The choice on a stream, against sums over groups written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import ridgeway as rw
from ridgeway.averaging import Uniform
from ridgeway.rows import check_batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.progressive import (
    SURE_STANDARD_ERRORS,
    Progressive,
    Stretch,
    _largest_moment,
    _reach,
    _reach_rows,
    stream_candidates,
)

NOTHING = np.zeros(1)
SCHEMES = stream_candidates("auto", 0.1)
PLAIN = Standardization(NOTHING, NOTHING + 1, 0.0, NOTHING, NOTHING + 1, 1.0)


def with_errors(groups: NDArray[np.float64], weight: NDArray[np.float64]) -> Progressive:
    """Return scores as if groups of these weights had had these summed errors, in two stretches of the stream."""
    progressive = Progressive("auto", 0.1, PLAIN, sparse=False)
    for part in np.array_split(np.arange(len(groups)), 2):
        start = int(part[0])
        halves = [Stretch.of_groups(start, weight[half], groups[half].T[:, None]) for half in np.array_split(part, 2)]
        progressive._stretches.append(sum(halves, Stretch.empty(start, len(SCHEMES), 1)))
    return progressive


def errors(seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    weight = rng.uniform(50, 100, 12)
    shared = rng.exponential(size=(12, 1))  # rows that are hard for all candidates
    own = rng.normal(0, rng.uniform(0, 0.2, len(SCHEMES)), (12, len(SCHEMES)))
    return weight[:, None] * (1 + shared + own), weight


# Law: the preferred candidate has the least upper bound, mean and two standard errors, of its difference from the
# uniform average over groups of rows; the uniform average itself has 0.
@pytest.mark.parametrize("seed", range(20))
def test_preferred(seed: int) -> None:
    groups, weight = errors(seed)
    apart = groups - groups[:, -1:]
    mean = apart.sum(axis=0) / weight.sum()
    around = apart - mean * weight[:, None]
    deviation = np.sqrt((around**2).sum(axis=0) * 12 / 11) / weight.sum()
    bounds = mean + SURE_STANDARD_ERRORS * deviation
    progressive = with_errors(groups, weight)
    assert bounds[progressive.preferred()] == pytest.approx(bounds.min(), abs=1e-9)


# Law: a candidate that is better by chance does not win against the uniform average; one that is better in every group
# does.
def test_uniform_stays_unless_clearly_beaten() -> None:
    groups, weight = np.repeat(np.linspace(100.0, 120.0, 12)[:, None], len(SCHEMES), axis=1), np.full(12, 80.0)
    groups[:, :-1] += 0.1
    lucky, steady = groups.copy(), groups.copy()
    lucky[3, 5] -= 50.0
    steady[:, 5] -= 1.0
    assert isinstance(SCHEMES[with_errors(lucky, weight).preferred()], Uniform)
    assert with_errors(steady, weight).preferred() == 5


# Law: scores are means over the rows, with standard errors over groups.
def test_scores() -> None:
    groups, weight = errors(3)
    mean = groups.sum(axis=0) / weight.sum()
    deviation = np.sqrt(((groups - mean * weight[:, None]) ** 2).sum(axis=0) * 12 / 11) / weight.sum()
    scores = with_errors(groups, weight).scores(2.0)
    np.testing.assert_allclose([row.error for row in scores], 2 * mean)
    np.testing.assert_allclose([row.standard_error for row in scores], 2 * deviation)


# Law: a candidate's error is that of its averages at 2^k steps on the rows up to 2^(k + 1), over the last octaves: to
# rounding along all directions, and closely along the six that the core multiplies during a step.
@pytest.mark.parametrize(("directions", "rounding"), [(40, 1e-6), (6, 0.03)])
@pytest.mark.parametrize("n_rows", [1500, 2048, 5000])
def test_errors_along_a_stream(n_rows: int, directions: int, rounding: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.selection.progressive.MAX_CORE_DIRECTIONS", directions)
    rng = np.random.default_rng(n_rows)
    X = rng.standard_normal((n_rows, 8))
    y = X @ rng.standard_normal(8) + rng.standard_normal(n_rows)
    model = rw.AveragedSGDRegressor(step=0.02, scale=False, fit_intercept=False).partial_fit(X, y)
    table = model.selection_
    assert table is not None
    last = 1 << ((n_rows - 1).bit_length() - 1)
    for scored in list(table)[::7]:
        errors = []
        for start in (last // 4, last // 2, last):
            run = rw.run_sgd(X[:start], y[:start], step=0.02, store="sketch")
            coef = run.nearest_average([scored.scheme])[0]
            errors.append((y[start : 2 * start] - X[start : 2 * start] @ coef) ** 2)
        assert scored.error == pytest.approx(np.concatenate(errors).mean(), rel=rounding)


# Law: errors and their standard errors do not depend on how a stream is cut into batches.
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_any_batches(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6000, 3))
    y = X @ [1.0, 0.0, -1.0] + rng.standard_normal(6000)
    weight = rng.integers(1, 4, 6000).astype(float) if weighted else np.ones(6000)
    tables = []
    for size in (70, 333, 1000, 5500):
        model = rw.AveragedSGDRegressor().partial_fit(X[:500], y[:500], weight[:500])
        for first in range(500, 6000, size):
            part = slice(first, first + size)
            model.partial_fit(X[part], y[part], weight[part])
        assert model.selection_ is not None
        tables.append([(row.error, row.standard_error) for row in model.selection_])
    for table in tables[1:]:
        np.testing.assert_allclose(table, tables[0], rtol=1e-7)


# Law: a group ends with the row at which its weights, summed one by one in float64, first reach the given sum.
@given(st.integers(1, 400), st.integers(0, 399), st.floats(-2, 500), st.sampled_from(["float32", "float64"]))
def test_reach(n_rows: int, first: int, lacking: float, dtype: str) -> None:
    first = min(first, n_rows - 1)
    weight = np.random.default_rng(n_rows).lognormal(0, 2, n_rows).astype(dtype)
    total, last = 0.0, first
    while last < n_rows and (last == first or total < lacking):
        total += float(weight[last])
        last += 1
    assert _reach(weight, first, lacking) == last


# Law: groups of rows without weights end where those of weights 1 do.
@given(st.integers(1, 30), st.integers(0, 29), st.floats(-2, 40))
def test_reach_of_rows_without_weights(n_rows: int, first: int, lacking: float) -> None:
    batch = check_batch(np.ones((n_rows, 1)), np.zeros(n_rows))
    first = min(first, n_rows - 1)
    assert _reach_rows(batch, first, lacking) == _reach(batch.weight, first, lacking)


# Law: with models whose squares overflow float64, as a hostile file may have them, every row is refused.
def test_models_beyond_float64() -> None:
    assert _largest_moment(np.full((1, 2, 3), 1e300)) == 0.0
