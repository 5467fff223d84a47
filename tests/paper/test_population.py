"""The oracle itself: expectations over finite laws against every sequence of draws, and against the library's laws."""

from __future__ import annotations

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.paper.brute import brute_iterates
from ridgeway.paper.population import average_excess, random_population, round_population, second_moments
from ridgeway.theory import FiniteLaw


# Law: second moments by the recursion are means over every sequence, with residuals that depend on x.
def test_second_moments() -> None:
    rng = np.random.default_rng(0)
    law, w0, step, t = random_population(rng, 2, 3), rng.standard_normal(2), 0.05, 4

    def outer(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        error = brute_iterates(X, y, step, w0)[-1] - law.optimum
        return np.outer(error, error)

    np.testing.assert_allclose(
        second_moments(law, w0 - law.optimum, step, t)[-1], law.expectation(t, outer), rtol=1e-11, atol=1e-14
    )


# Law: the exact risk of an average is that of the library's finite laws, which share no code with it.
@pytest.mark.parametrize("scheme", [rw.Geometric(0.3), rw.Tail(0.5), rw.Last()])
def test_average_excess(scheme: rw.Scheme) -> None:
    rng = np.random.default_rng(1)
    law, w0 = random_population(rng, 3, 6), rng.standard_normal(3)
    step, n = 0.3 / law.r2, 60
    moments = second_moments(law, w0 - law.optimum, step, n)
    ours = average_excess(law, moments, scheme.weights(n, step), step)
    theirs = FiniteLaw(law.x, law.y, law.p).excess_risk(scheme, step=step, n_steps=n, w0=w0)
    assert ours == pytest.approx(theirs.total, rel=1e-10)
    assert law.r2 == pytest.approx(FiniteLaw(law.x, law.y, law.p).r2, rel=1e-9)


# Law: rows of length 1 have R^2 = 1, and noise of +-1 beside them sigma^2 = 1.
def test_round_population() -> None:
    law = round_population(np.random.default_rng(2), 3, 7)
    assert law.r2 == pytest.approx(1)
    assert law.noise == pytest.approx(1)
    assert np.trace(law.covariance) == pytest.approx(1)
