"""Laws of the negative binomial average."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special
from tests.averaging.reference import ALPHAS, LENGTHS, STEPS, negative_binomial, places, relative_error

from ridgeway.averaging import Geometric, NegativeBinomial


# Law: survival and weights have the exact value to ten digits, at every strength, step and length.
@pytest.mark.parametrize("order", [1, 2, 3, 7])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_high_precision(alpha: float, order: int) -> None:
    scheme = NegativeBinomial(alpha, order)
    for step in STEPS:
        for n_steps in LENGTHS:
            j = places(n_steps)
            survival, weights = negative_binomial(alpha, order, step, n_steps, j)
            assert relative_error(scheme.survival(j, n_steps, step), survival) < 1e-11
            assert relative_error(scheme._weights(np.array(j, float), n_steps, step), weights) < 1e-11


# Law: the same at a high order, where powers of the strength leave the range of floats.
@pytest.mark.parametrize("n_steps", [1, 30, 5000])
@pytest.mark.parametrize("alpha", [1e-12, 0.02, 1.0, 30.0, 1e6])
def test_high_order(alpha: float, n_steps: int) -> None:
    scheme, j = NegativeBinomial(alpha, 60), places(n_steps)
    survival, weights = negative_binomial(alpha, 60, 0.5, n_steps, j)
    assert relative_error(scheme.survival(j, n_steps, 0.5), survival) < 1e-11
    assert relative_error(scheme._weights(np.array(j, float), n_steps, 0.5), weights) < 1e-11


# Law: order 1 is the geometric average, also between and beyond the steps.
@pytest.mark.parametrize("alpha", [0.0, 1e-6, 0.3, 50.0])
def test_order_one_is_geometric(alpha: float) -> None:
    one, geometric, j = NegativeBinomial(alpha, 1), Geometric(alpha), np.linspace(0, 464, 1000)
    np.testing.assert_allclose(one.weights(200, 0.1), geometric.weights(200, 0.1), rtol=1e-12, atol=1e-290)
    expected = geometric.continued_survival(j, 200, 0.1)
    np.testing.assert_allclose(one.continued_survival(j, 200, 0.1), expected, rtol=0, atol=1e-13)


# Law: between and beyond the steps S is the formula in the incomplete beta function.
@pytest.mark.parametrize("alpha", [0.01, 1.0, 30.0, 1e5])
@pytest.mark.parametrize("order", [2, 5])
def test_continuation(alpha: float, order: int) -> None:
    j, p = np.linspace(0.01, 144, 777), 0.1 * alpha / (1 + 0.1 * alpha)
    expected = 1 - special.betainc(order, j, p) / special.betainc(order, 41, p)
    continued = NegativeBinomial(alpha, order).continued_survival(j, 40, 0.1)
    np.testing.assert_allclose(continued, expected, rtol=1e-10, atol=1e-10)


# Law: E[G] -> order / (step * alpha) in a long run.
@pytest.mark.parametrize("order", [1, 2, 6])
def test_mean_stopping_time(order: int) -> None:
    mean = NegativeBinomial(0.5, order).survival(np.arange(1, 3001), 3000, 0.1).sum()
    assert mean == pytest.approx(order / 0.05, rel=1e-10)


# Law: the residual filter of a long run is the power of ridge's, (alpha / (s + alpha))^order.
@pytest.mark.parametrize("order", [1, 2, 6])
def test_iterated_ridge_filter(order: int) -> None:
    weights = NegativeBinomial(0.5, order).weights(3000, 0.1)
    for s in (0.01, 1.0, 7.0):
        expected = (0.5 / (s + 0.5)) ** order
        assert weights @ (1 - 0.1 * s) ** np.arange(3001) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("alpha", "order", "error", "message"),
    [
        (-1.0, 2, ValueError, r"^alpha=-1.0 is negative: the ridge strength must be 0 or more"),
        (
            1.0,
            0,
            ValueError,
            r"^order=0 is below 1: the order must be an int, 1 or more; order=1 is the geometric",
        ),
        (1.0, 2.0, TypeError, r"^order=2.0 is a float: the order must be an int, 1 or more"),
        (1.0, True, TypeError, r"^order=True is a bool"),
        (1.0, None, TypeError, r"^order=None is a NoneType"),
        ("1", 2, TypeError, r"^alpha='1' is a str"),
    ],
)
def test_bad_parameters(alpha: float, order: int, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        NegativeBinomial(alpha, order)


# Law: fields are plain numbers, whatever they came as.
def test_normalised() -> None:
    scheme = NegativeBinomial(1, np.int64(2))  # type: ignore[arg-type]  # NumPy's number
    assert repr(scheme) == "NegativeBinomial(alpha=1.0, order=2)"
