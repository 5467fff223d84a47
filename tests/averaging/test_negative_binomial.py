"""Laws of the negative binomial average."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special
from tests.averaging.reference import (
    ALPHAS,
    LENGTHS,
    STEPS,
    events_on_steps,
    negative_binomial,
    places,
    relative_error,
)

from ridgeway.averaging import Geometric, NegativeBinomial, Staircase


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
            assert relative_error(scheme._weights(np.array(j, float), n_steps, Staircase.of(step)), weights) < 1e-11


# Law: the same at a high order, where powers of the strength leave the range of floats.
@pytest.mark.parametrize("n_steps", [1, 30, 5000])
@pytest.mark.parametrize("alpha", [1e-12, 0.02, 1.0, 30.0, 1e6])
def test_high_order(alpha: float, n_steps: int) -> None:
    scheme, j = NegativeBinomial(alpha, 60), places(n_steps)
    survival, weights = negative_binomial(alpha, 60, 0.5, n_steps, j)
    assert relative_error(scheme.survival(j, n_steps, 0.5), survival) < 1e-11
    assert relative_error(scheme._weights(np.array(j, float), n_steps, Staircase.of(0.5)), weights) < 1e-11


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


def random_steps(seed: int, n: int) -> list[float]:
    """Return steps from 1e-5 to 2: growing, falling or in any order, some of them equal."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice(10 ** rng.uniform(-5, 0.3, size=max(2, n // 2)), size=n)
    ordered: list[float] = [sizes, np.sort(sizes), np.sort(sizes)[::-1]][seed % 3].tolist()
    return ordered


# Law: on any steps, survival and weights have the exact value, by the recursion over single steps in high precision.
@pytest.mark.parametrize("order", [1, 2, 3, 7, 30])
@pytest.mark.parametrize("alpha", [0.0, 1e-12, 1e-3, 0.3, 10.0, 1e12])
def test_any_steps(alpha: float, order: int) -> None:
    scheme = NegativeBinomial(alpha, order)
    for seed, n_steps in enumerate([1, 2, 5, 20, 40, 41]):
        sizes = random_steps(seed, n_steps + 9)  # the staircase goes on beyond the run
        survival, weights = events_on_steps(alpha, order, sizes[: n_steps + 1])
        steps = Staircase.of_sequence(sizes)
        assert relative_error(scheme.survival(np.arange(n_steps + 1), n_steps, steps), survival) < 1e-11
        assert relative_error(scheme.weights(n_steps, steps), weights) < 1e-11
        # Beyond the run S is continued by the same law: 1 - P(G < j) / P(G <= T).
        beyond = events_on_steps(alpha, order, sizes)[1]
        total = float(sum(beyond[: n_steps + 1]))
        for j in (n_steps + 2, n_steps + 9):
            expected = 1 - float(sum(beyond[:j])) / total
            assert float(scheme.continued_survival(j, n_steps, steps)) == pytest.approx(expected, rel=1e-10, abs=1e-13)


# Law: two long stairs have the exact value, by the polynomials of both, at every strength up to 1e12 steps.
@pytest.mark.parametrize("alpha", [0.0, 1e-12, 1e-4, 0.3, 1e2, 1e12])
@pytest.mark.parametrize("order", [2, 5, 40])
def test_long_stairs(alpha: float, order: int) -> None:
    sizes, edge, scheme = (1e-4, 0.2), 10**5, NegativeBinomial(alpha, order)
    steps = Staircase(sizes, (edge,))

    def masses(size: float, count: int) -> list[Any]:
        """Return P(K = k) of a stair for k <= order, at alpha = 0 divided by alpha^k."""
        x = mp.mpf(size) * mp.mpf(alpha)
        p, none = (x / (1 + x), (1 + x) ** -count) if alpha else (mp.mpf(size), mp.mpf(1))
        return [none * p**k * (math.comb(count - 1 + k, k) if count else k == 0) for k in range(order + 1)]

    def below(j: int) -> Any:
        """Return P(G < j), at alpha = 0 divided by alpha^order."""
        first, second = masses(sizes[0], min(j, edge)), masses(sizes[1], max(j - edge, 0))
        if alpha == 0:
            return mp.fsum(first[k] * second[order - k] for k in range(order + 1))
        return 1 - mp.fsum(first[i] * mp.fsum(second[: order - i]) for i in range(order))

    with mp.workdps(340 + 30 * order):
        for n_steps in (3, edge - 1, edge, edge + 1, 10**7, 10**12):
            total, j = (
                below(n_steps + 1),
                [k for k in (1, 2, edge, edge + 1, n_steps // 2, n_steps) if 1 <= k <= n_steps],
            )
            survival = [(total - below(k)) / total for k in j]
            assert relative_error(scheme.survival(j, n_steps, steps), survival) < 1e-10


# Law: order 1 is the geometric average on any staircase, also between and beyond the steps.
@pytest.mark.parametrize("alpha", [0.0, 1e-6, 0.3, 50.0])
def test_order_one_on_stairs(alpha: float) -> None:
    one, geometric, j = NegativeBinomial(alpha, 1), Geometric(alpha), np.linspace(0, 464, 1000)
    for steps in (Staircase((0.01, 0.1, 0.02), (30, 150)), Staircase((0.1, 0.01, 0.3), (150, 250))):
        np.testing.assert_allclose(one.weights(200, steps), geometric.weights(200, steps), rtol=1e-12, atol=1e-290)
        expected = geometric.continued_survival(j, 200, steps)
        np.testing.assert_allclose(one.continued_survival(j, 200, steps), expected, rtol=1e-12, atol=1e-13)


# Law: E prod_{j <= G} (1 - eta_j s) -> (alpha / (s + alpha))^order, whatever the steps are.
@pytest.mark.parametrize("order", [1, 2, 6])
def test_iterated_ridge_filter_on_stairs(order: int) -> None:
    for seed in range(3):
        sizes = np.append(np.maximum(random_steps(seed, 300), 1e-3), np.full(3000, 0.1))
        weights = NegativeBinomial(0.5, order).weights(len(sizes) - 1, Staircase.of_sequence(sizes))
        for s in (0.01, 0.5):
            products = np.cumprod(np.append(1.0, 1 - sizes[:-1] * s))
            assert weights @ products == pytest.approx((0.5 / (s + 0.5)) ** order, rel=1e-10)


# Law: an order of a thousand is finite and falls.
def test_order_of_a_thousand_on_stairs() -> None:
    steps, j = Staircase((1e-3, 0.05, 0.4), (1000, 5000)), np.array([1, 900, 4000, 6000, 9000, 10_000])
    for alpha in (0.0, 1e-12, 0.4, 1e12):
        survival = NegativeBinomial(alpha, 1000).survival(j, 10_000, steps)
        assert np.all((survival >= 0) & (survival <= 1))
        assert np.all(np.diff(survival) <= 1e-12)


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
