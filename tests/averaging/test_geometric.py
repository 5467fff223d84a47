"""Laws of the geometric average."""

from __future__ import annotations

import numpy as np
import pytest
from tests.averaging.reference import ALPHAS, LENGTHS, STEPS, negative_binomial, places, relative_error

from ridgeway.averaging import Geometric, Staircase, Tail, Uniform


# Law: survival and weights have the exact value to ten digits, at every strength, step and length.
@pytest.mark.parametrize("alpha", ALPHAS)
def test_high_precision(alpha: float) -> None:
    for step in STEPS:
        for n_steps in LENGTHS:
            j = places(n_steps)
            survival, weights = negative_binomial(alpha, 1, step, n_steps, j)
            scheme = Geometric(alpha)
            assert relative_error(scheme.survival(j, n_steps, step), survival) < 1e-12
            assert relative_error(scheme._weights(np.array(j, float), n_steps, Staircase.of(step)), weights) < 1e-12


# Law: alpha = 0 is the uniform average, and so is the tail from 0.
@pytest.mark.parametrize("n_steps", [1, 10, 1000])
@pytest.mark.parametrize("alpha", [0.0, 5e-324, 1e-30])
def test_no_strength_is_uniform(alpha: float, n_steps: int) -> None:
    j = np.arange(n_steps + 2)
    for scheme in (Uniform(), Tail(0)):
        np.testing.assert_array_equal(Geometric(alpha).weights(n_steps, 0.1), scheme.weights(n_steps, 0.1))
        np.testing.assert_array_equal(Geometric(alpha).survival(j, n_steps, 0.1), scheme.survival(j, n_steps, 0.1))


# Law: E[G] -> 1 / (step * alpha) in a long run.
@pytest.mark.parametrize(("alpha", "step"), [(0.1, 0.5), (2.0, 0.05), (10.0, 1.0)])
def test_mean_stopping_time(alpha: float, step: float) -> None:
    n_steps = int(60 / (step * alpha)) + 60
    mean = Geometric(alpha).survival(np.arange(1, n_steps + 1), n_steps, step).sum()
    assert mean == pytest.approx(1 / (step * alpha), rel=1e-12)


# Law: the residual filter of a long run, sum_t p_t (1 - step s)^t, is that of ridge, alpha / (s + alpha).
def test_ridge_filter() -> None:
    weights = Geometric(0.5).weights(2000, 0.1)
    for s in (0.01, 1.0, 7.0):
        assert weights @ (1 - 0.1 * s) ** np.arange(2001) == pytest.approx(0.5 / (s + 0.5), rel=1e-12)


# Law: between and beyond the steps S is (rho^j - rho^{T+1}) / (1 - rho^{T+1}).
def test_continuation() -> None:
    j, rho = np.linspace(0, 90, 300), 1 / 1.01
    expected = (rho**j - rho**41) / (1 - rho**41)
    np.testing.assert_allclose(Geometric(0.1).continued_survival(j, 40, 0.1), expected, rtol=0, atol=1e-14)


# Law: a strength beyond every float is still a stop at the start.
def test_overflow() -> None:
    np.testing.assert_allclose(Geometric(1e308).weights(3, 1e10), [1, 0, 0, 0], rtol=0, atol=1e-300)
    np.testing.assert_allclose(Geometric(1e308).survival([0, 1, 4], 3, 1e10), [1, 0, 0], rtol=0, atol=1e-300)


@pytest.mark.parametrize(
    ("alpha", "error", "message"),
    [
        (
            -1.0,
            ValueError,
            r"^alpha=-1.0 is negative: the ridge strength must be 0 or more; alpha=0 is the uniform",
        ),
        (float("nan"), ValueError, r"^alpha=nan is not finite: the ridge strength must be a finite number"),
        (float("inf"), ValueError, r"^alpha=inf is not finite"),
        ("0.1", TypeError, r"^alpha='0.1' is a str: the ridge strength must be a finite number, 0 or more"),
        (None, TypeError, r"^alpha=None is a NoneType"),
        (True, TypeError, r"^alpha=True is a bool"),
    ],
)
def test_bad_alpha(alpha: float, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Geometric(alpha)


# Law: fields are plain floats, whatever number they came as.
def test_normalised() -> None:
    assert repr(Geometric(np.float32(0.5))) == "Geometric(alpha=0.5)"  # type: ignore[arg-type]  # NumPy's number
    assert repr(Geometric(np.int64(2))) == "Geometric(alpha=2.0)"  # type: ignore[arg-type]  # NumPy's number
    assert repr(Geometric(-0.0)) == "Geometric(alpha=0.0)"
