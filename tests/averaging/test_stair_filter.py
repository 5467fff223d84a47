"""The residual filter on staircases against the sum that defines it, and its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.theory.test_spectral_filter import EXAMPLES, MORE, EveryOther

from ridgeway.averaging import Exponential, Geometric, Last, NegativeBinomial, Poisson, Scheme, Staircase, Tail, Uniform
from ridgeway.theory import residual_filter

seeded = settings(derandomize=True, deadline=None, max_examples=30)
every_scheme = pytest.mark.parametrize("scheme", [*EXAMPLES, *MORE, EveryOther()], ids=repr)
stairs = st.lists(st.tuples(st.floats(1e-4, 1.0), st.integers(1, 40)), min_size=2, max_size=8)
DECREASES = np.array([0.0, 1e-300, 1e-12, 1e-4, 0.1, 0.5, 0.999, 1.0, 1.001, 1.5, 1.9, 2.0])


# Law: q(s) = sum_t p_t (1 - eta_1 s) .. (1 - eta_t s), to a rounding of the sum of the sizes of the terms.
@every_scheme
@seeded
@given(stairs=stairs, n_more=st.integers(0, 30))
def test_is_the_sum(scheme: Scheme, stairs: list[tuple[float, int]], n_more: int) -> None:
    sizes = np.repeat([size for size, _ in stairs], [length for _, length in stairs])
    sizes = np.append(sizes, np.full(n_more, sizes[-1]))
    steps, n_steps = Staircase.of_sequence(sizes), len(sizes) - 1
    eigenvalues = DECREASES / sizes.max()
    factors = 1 - np.outer(eigenvalues, sizes[:-1])
    products = np.cumprod(np.insert(factors, 0, 1.0, axis=1), axis=1)
    terms = products * scheme.weights(n_steps, steps)
    q = residual_filter(scheme, eigenvalues, steps, n_steps)
    assert np.all(np.abs(q - terms.sum(axis=1)) <= 1e-11 * np.abs(terms).sum(axis=1) + 1e-300)


# Law: stairs of one size are a constant step, also at 1e12 steps.
@pytest.mark.parametrize("scheme", [*EXAMPLES, *MORE], ids=repr)
@pytest.mark.parametrize("n_steps", [1, 60, 1001, 10**12])
def test_equal_stairs(scheme: Scheme, n_steps: int) -> None:
    steps, closed = Staircase((0.2, 0.2, 0.2), (5, 50)), isinstance(scheme, NegativeBinomial | Poisson)
    eigenvalues = DECREASES[DECREASES < 1] / 0.2 if closed else DECREASES / 0.2
    expected = residual_filter(scheme, eigenvalues, 0.2, n_steps)
    np.testing.assert_allclose(residual_filter(scheme, eigenvalues, steps, n_steps), expected, rtol=1e-10, atol=1e-13)


# Law: the filter of a geometric average tends to alpha / (s + alpha), ridge, for any steps that add up to infinity;
# order m to its power m, and a Poisson stopping time to exp(-t s).
@seeded
@given(
    sizes=st.lists(st.floats(1e-4, 0.5), min_size=2, max_size=30),
    log_alpha=st.floats(-4, 4),
    log_eigenvalue=st.floats(-4, 0.2),
)
def test_long_runs(sizes: list[float], log_alpha: float, log_eigenvalue: float) -> None:
    steps, alpha, s = Staircase.of_sequence(sizes), 10**log_alpha, 10**log_eigenvalue
    n_steps, ridge = len(sizes) + int(100 / math.log1p(steps.last * alpha)), alpha / (s + alpha)
    assert residual_filter(Geometric(alpha), s, steps, n_steps) == pytest.approx(ridge, rel=1e-12)
    for order in (1, 3):
        iterated = residual_filter(NegativeBinomial(alpha, order), s, steps, n_steps)
        assert iterated == pytest.approx(ridge**order, rel=1e-10)
    time = float(steps.elapsed(len(sizes)))
    flow = residual_filter(Poisson(time / steps.last), s, steps, len(sizes) + 10**9)
    assert flow == pytest.approx(math.exp(-time * s), rel=1e-10)


# Law: steps whose sum is finite never learn everything: the filter stays above the product of 1 - eta_j s.
def test_finite_time() -> None:
    sizes = 0.5 ** np.arange(1, 40)
    q = residual_filter(Geometric(1.0), 1.0, Staircase.of_sequence(sizes), 30)
    assert q > np.prod(1 - sizes)
    assert q > 0.6  # ridge has 0.5


# Law: schemes that coincide do so on stairs too.
@pytest.mark.parametrize("n_steps", [1, 30, 10**6 + 1, 10**12])
def test_schemes_that_coincide(n_steps: int) -> None:
    steps = Staircase((0.01, 1.0, 0.3), (10, 10**5))
    pairs: list[tuple[Scheme, Scheme]] = [
        (Geometric(0.0), Uniform()),
        (Geometric(1e-40), Uniform()),
        (Tail(0), Uniform()),
        (Tail(n_steps), Last()),
        (Exponential(0.0), Last()),
    ]
    for one, other in pairs:
        got, expected = (residual_filter(scheme, DECREASES, steps, n_steps) for scheme in (one, other))
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-15, err_msg=f"{one} {other}")


@pytest.mark.parametrize(
    ("scheme", "eigenvalues", "n_steps", "message"),
    [
        (Uniform(), [3.0], 9, "step [*] eigenvalue is up to 3: expected at most 2.*a step of at most 0.666"),
        (EveryOther(), [1.0], 10**8, r"n_steps=100000000 is too many to sum EveryOther\(\).*at most 10000000"),
        (NegativeBinomial(0.1, 2), [1.5], 10**8, "is too many to sum .* step [*] eigenvalue at most 1"),
        (Poisson(1e5), [0.5], 10, "mean=100000.0 is too large for n_steps=10"),
    ],
)
def test_refusals(scheme: Scheme, eigenvalues: list[float], n_steps: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        residual_filter(scheme, eigenvalues, Staircase((0.1, 1.0), (4,)), n_steps)


# Law: a stair that the run does not reach may be of any size.
def test_unreached_stair() -> None:
    steps = Staircase((0.1, 100.0), (20,))
    assert residual_filter(Uniform(), 1.0, steps, 19) == residual_filter(Uniform(), 1.0, 0.1, 19)
