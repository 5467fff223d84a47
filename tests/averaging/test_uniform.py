"""Laws of the uniform average."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from tests.averaging.reference import LENGTHS, places, relative_error

from ridgeway.averaging import Staircase, Tail, Uniform


# Law: S(j) = 1 - j / (T + 1) and p = 1 / (T + 1), to the last digits.
@pytest.mark.parametrize("n_steps", LENGTHS)
def test_high_precision(n_steps: int) -> None:
    j = places(n_steps)
    survival = [mp.mpf(n_steps + 1 - k) / (n_steps + 1) for k in j]
    assert relative_error(Uniform().survival(j, n_steps, 0.1), survival) < 1e-15
    weights = Uniform()._weights(np.array(j, float), n_steps, Staircase.of(0.1))
    assert relative_error(weights, [mp.mpf(1) / (n_steps + 1) for _ in j]) < 1e-15


# Law: the average is the plain mean of the iterates, the tail from 0.
def test_mean() -> None:
    iterates = np.random.default_rng(0).normal(size=(21, 2))
    np.testing.assert_allclose(Uniform().weights(20, 0.1) @ iterates, iterates.mean(axis=0), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(Uniform().weights(20, 0.1), Tail(0).weights(20, 0.1))


# Law: S is continued by its straight line.
def test_continuation() -> None:
    j = [0.0, 2.5, 9.0, 10.0, 13.5]
    expected = [float(1 - Fraction(place) / 10) for place in j]
    np.testing.assert_allclose(Uniform().continued_survival(j, 9, 0.1), expected, rtol=0, atol=1e-16)
