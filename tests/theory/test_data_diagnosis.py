"""Predictions from data against what fits measure, and what is said where assumptions fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

from ridgeway.averaging import Uniform
from ridgeway.sgd import LimitedStep
from ridgeway.theory import Diagnosis, diagnose
from ridgeway.theory.reservoir import Reservoir
from ridgeway.theory.sample_moments import SampleMoments

Array = NDArray[np.float64]


def rows(n: int, d: int, snr: float, seed: int, decay: float = 0.0) -> tuple[Array, Array]:
    """Gaussian rows with columns of falling size, and a signal in all of them; noise of variance 1."""
    rng = np.random.default_rng(seed)
    s = np.arange(1, d + 1) ** -decay
    X = rng.standard_normal((n, d)) * np.sqrt(s)
    return X, X.sum(axis=1) * np.sqrt(snr / s.sum()) + rng.standard_normal(n)


def agreement(seen: Diagnosis) -> float:
    """Largest difference of predicted and measured errors, in standard errors, of averages not far from the best.

    Averages over few steps, far from it, vary from run to run by more than the standard error over held-out rows.
    """
    best = min(row.measured for row in seen.table)
    near = [row for row in seen.table if row.measured < 1.15 * best]
    return max(abs(row.predicted - row.measured) / row.standard_error for row in near)


def failed(seen: Diagnosis) -> list[str]:
    return [assumption.statement for assumption in seen.assumptions if not assumption.holds]


# Law: where the assumptions hold, the predicted curves of all kinds are the measured ones within their standard errors,
# and the best alpha is found: weak signals want a positive one, strong ones none.
@pytest.mark.parametrize(
    ("n", "d", "snr", "decay"),
    [(3000, 40, 0.1, 0.0), (3000, 40, 0.03, 1.0), (4000, 10, 5.0, 1.0), (1500, 100, 1.0, 0.5)],
)
def test_predicts_what_is_measured(n: int, d: int, snr: float, decay: float) -> None:
    X, y = rows(n, d, snr, seed=1, decay=decay)
    seen = diagnose(X, y, scale=False)
    assert seen.reliable, str(seen)
    assert agreement(seen) < 3
    assert 0 <= seen.regret < seen.table[0].standard_error
    assert 0.1 < seen.predicted_alpha / seen.measured_alpha < 10
    assert seen.snr == pytest.approx(snr, rel=0.5)
    if snr < 0.05:
        assert min(seen.predicted_alpha, seen.measured_alpha) > 3 * seen.least_alpha
    if snr >= 1:
        assert seen.predicted_alpha == seen.measured_alpha == seen.least_alpha


# Law: a stream of batches, read once, tells what arrays tell.
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
def test_streams(form: Any) -> None:
    X, y = rows(4000, 8, 2.0, seed=2)

    def stream() -> Iterator[tuple[Any, Array]]:
        for start in range(0, len(y), 500):
            yield form(X[start : start + 500]), y[start : start + 500]

    seen = diagnose(stream(), scale=form is np.asarray)
    assert seen.reliable, str(seen)
    assert "held out from the stream" in seen.method
    assert 3000 < seen.n_steps < 3400
    assert agreement(seen) < 3
    assert seen.moments.noise_variance * seen.target_variance == pytest.approx(1, rel=0.1)


# Law: a violated assumption is found and named.
def test_failing_assumptions() -> None:
    rng = np.random.default_rng(3)
    X, y = rows(2000, 6, 1.0, seed=3)
    wide = rng.standard_normal((150, 400))
    assert "the sample determines the spectrum" in failed(diagnose(wide, wide[:, 0] + rng.standard_normal(150)))
    assert "there is a linear signal" in failed(diagnose(X, rng.standard_normal(2000)))
    radius = np.exp(1.0 * rng.standard_normal(2000))[:, None]
    noisy = X[:, 0] + X[:, 1] + np.linalg.norm(X * radius, axis=1) * rng.standard_normal(2000)
    assert "the noise does not depend on the size of x" in failed(diagnose(X * radius, noisy))
    assert "few updates are clipped" in failed(diagnose(X, y, step=LimitedStep(0.15)))
    order = np.argsort(y)
    assert "the rows of the stream are in random order" in failed(
        diagnose((X[order[k : k + 400]], y[order[k : k + 400]]) for k in range(0, 2000, 400))
    )


# Law: the text and the table say the same.
def test_text() -> None:
    X, y = rows(800, 5, 1.0, seed=4)
    seen = diagnose(X, y, step=0.02, batch_size=2)
    text = str(seen)
    assert seen.step == 0.02
    assert seen.n_steps == 320
    for assumption in seen.assumptions:
        assert str(assumption) in text
    assert f"{seen.of_kind(Uniform)[0].measured:.5g}" in text
    assert "all assumptions hold" in text


# Law: noise does not pass for signal: over pure noise the estimated signal is 0 on average, not d / n.
def test_signal_is_not_overestimated() -> None:
    rng = np.random.default_rng(5)
    n, d, raw, plain = 100, 30, [], []
    for _ in range(60):
        X, y = rng.standard_normal((n, d)), rng.standard_normal(n)
        moments = SampleMoments.of(X, y, 1e-9, 1.0)
        raw.append(moments.signal.sum() / moments.variance)
        plain.append(1 - ((y - X @ np.linalg.lstsq(X, y, rcond=None)[0]) ** 2).mean() / moments.variance)
    assert np.mean(plain) > 0.28  # what least squares would call signal
    assert np.mean(raw) < 0.08  # negative estimates count as 0
    X = rng.standard_normal((400, 30))
    y = X @ np.full(30, 0.3) + rng.standard_normal(400)
    found = [SampleMoments.of(X[order], y[order], 1e-9, 1.0).signal.sum() for order in (slice(200), slice(200, 400))]
    assert np.mean(found) == pytest.approx(2.7, rel=0.2)


# Law: moments of clipped rows are those of the rows shortened to the limit.
def test_limited_rows() -> None:
    rng = np.random.default_rng(6)
    X = rng.standard_normal((500, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(500)
    limited = SampleMoments.of(X, y, step=0.5, limit=1.0)
    shrink = np.sqrt(np.minimum(1, 2 / (X * X).sum(axis=1)))
    short = X * shrink[:, None]
    np.testing.assert_allclose(limited.eigenvalues, np.linalg.eigvalsh(short.T @ short / 500)[::-1], rtol=1e-12)
    assert limited.limited == (shrink < 1).mean() > 0
    assert SampleMoments.of(X, y, step=0.5, limit=np.inf).limited == 0


# Law: a reservoir keeps rows and labels together, each row with the same chance.
def test_reservoir() -> None:
    counts = np.zeros(40)
    for seed in range(2000):
        kept = Reservoir(10, np.random.default_rng(seed))
        for start in (0, 7, 20):
            block = np.arange(start, {0: 7, 7: 20, 20: 40}[start], dtype=np.float64)
            kept.add(block[:, None], block)
        np.testing.assert_array_equal(kept.rows[:, 0], kept.labels)
        counts[kept.labels.astype(int)] += 1
    assert np.abs(counts - 500).max() < 4.5 * np.sqrt(2000 * 0.25 * 0.75)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((4, 2)),), "y is None and X is a ndarray: expected X and y, or an iterable of batches"),
        ((7,), "y is None and X is a int"),
        (([1, 2],), "a batch of the stream is not a pair"),
        (([],), "the stream is too short"),
        ((np.ones((20, 2)), np.ones((20, 2))), "y has 2 targets: expected one"),
        ((np.ones((20, 2)), np.ones(19)), r"y has shape \(19,\)"),
        ((np.full((20, 2), np.nan), np.ones(20)), "nan|NaN"),
        ((np.ones((20, 2)), np.ones(20), "large"), "step='large': expected 'auto' or a positive number"),
    ],
)
def test_refusals(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        diagnose(*arguments)


# Law: several targets are diagnosed one by one.
def test_one_target_at_a_time() -> None:
    X, y = rows(200, 3, 1.0, 0)
    with pytest.raises(ValueError, match=r"y has 2 targets: expected one; diagnose each target separately"):
        diagnose([(X, np.column_stack([y, y]))])
