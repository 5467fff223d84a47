"""The exact risk against its definition, in closed form and by recursion."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway.averaging import Exponential, Geometric, Last, NegativeBinomial, Poisson, Scheme, Staircase, Tail, Uniform
from ridgeway.theory import additive_noise_risk, excess_risk, fourth_moment_r2, stability
from ridgeway.theory.closed_risk import Modes
from ridgeway.theory.risk import by_recursion

Array = NDArray[np.float64]
HARMONIC = 1 / np.arange(1, 11)
SCHEMES = [Geometric(0.3), Uniform(), Tail(0.4), Last(), NegativeBinomial(0.3, 2), Poisson(5.0), Exponential(0.8)]


def by_definition(
    scheme: Scheme, s: Array, v: Array, sigma2: float, step: float | Staircase, n: int, kappa: float = 3.0, b: int = 1
) -> float:
    """The recursion forwards in time, every vector kept, as it is written in the docstring."""
    p, sizes = scheme.weights(n, step), [Staircase.of(step).size_after(t) for t in range(n)]
    g = np.zeros((n + 1, len(s)))
    g[n] = p[n]
    for j in range(n - 1, -1, -1):
        g[j] = p[j] + (1 - sizes[j] * s) * g[j + 1]
    m, total = v**2, float((s * (g[0] * v) ** 2).sum())
    for j in range(1, n + 1):
        V, eta = (s * (s @ m) + (kappa - 2) * s**2 * m + sigma2 * s) / b, sizes[j - 1]
        total += eta**2 * float((s * g[j] ** 2 * V).sum())
        m = (1 - eta * s) ** 2 * m + eta**2 * V
    return total


# Law: the anchors, computed once by independent code.
@pytest.mark.parametrize(
    ("scheme", "n_steps", "expected"),
    [
        (Geometric(0.0), 100, 0.3709097641),
        (Geometric(0.1), 100, 0.4907586504),
        (Tail(0.5), 100, 0.1650073289),
        (Last(), 100, 0.1216616641),
        (Geometric(0.0), 1000, 0.0087537221),
        (Geometric(0.01), 1000, 0.0161049472),
        (Geometric(0.1), 1000, 0.2320670546),
        (Tail(0.5), 1000, 0.0053748291),
    ],
)
def test_anchors(scheme: Scheme, n_steps: int, expected: float) -> None:
    r2 = fourth_moment_r2(HARMONIC)
    assert r2 == pytest.approx(4.928968253968254, abs=1e-14)
    problem: dict[str, Any] = {"squared_bias": np.ones(10), "n_steps": n_steps}
    risk = excess_risk(scheme, HARMONIC, np.ones(10), 0.25, 0.5 / r2, n_steps)
    modes = Modes(HARMONIC, 0.5 / r2, 3.0, 1)
    assert risk.total == pytest.approx(expected, abs=1e-9)
    for part in (modes.risk(scheme, **problem), by_recursion(scheme, modes, **problem)):
        random = part.multiplicative + 0.25 * part.variance
        assert random + risk.deterministic_bias == pytest.approx(expected, abs=1e-9)


# Law: every scheme, kurtosis and mini-batch follows the definition.
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize(("kurtosis", "batch_size"), [(1.0, 1), (1.8, 4), (3.0, 1), (9.0, 2)])
def test_is_the_definition(scheme: Scheme, kurtosis: float, batch_size: int) -> None:
    s, v = np.array([1.0, 0.3, 0.3, 0.01]), np.array([1.0, -2.0, 0.5, 3.0])
    step = 0.4 * stability(s, 1.0, kurtosis, batch_size).largest_step
    for n_steps in (1, 2, 37):
        risk = excess_risk(scheme, s, v, 0.7, step, n_steps, kurtosis, batch_size)
        expected = by_definition(scheme, s, v, 0.7, step, n_steps, kurtosis, batch_size)
        assert risk.total == pytest.approx(expected, rel=1e-12)
        parts = risk.deterministic_bias + risk.multiplicative_bias + risk.variance
        assert risk.total == pytest.approx(parts, rel=1e-15)
        assert excess_risk(scheme, s, v, 0.0, step, n_steps, kurtosis, batch_size).variance == 0
        assert excess_risk(scheme, s, 0 * v, 0.7, step, n_steps, kurtosis, batch_size).total == risk.variance


# Law: so does every staircase: growing, falling, and an arbitrary sequence of steps.
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize(("kurtosis", "batch_size"), [(1.0, 1), (3.0, 1), (9.0, 2)])
def test_is_the_definition_on_stairs(scheme: Scheme, kurtosis: float, batch_size: int) -> None:
    s, v = np.array([1.0, 0.3, 0.3, 0.01]), np.array([1.0, -2.0, 0.5, 3.0])
    largest = 0.8 * stability(s, 1.0, kurtosis, batch_size).largest_step
    shares = np.random.default_rng(0).uniform(0.1, 1, size=37)
    for steps in (
        Staircase((0.1, 0.3, 1.0), (10, 20)).scaled(largest),
        Staircase((1.0, 0.2), (15,)).scaled(largest),
        Staircase.of_sequence(largest * shares),
    ):
        for n_steps in (1, 2, 37):
            risk = excess_risk(scheme, s, v, 0.7, steps, n_steps, kurtosis, batch_size)
            expected = by_definition(scheme, s, v, 0.7, steps, n_steps, kurtosis, batch_size)
            assert risk.total == pytest.approx(expected, rel=1e-12)
            assert excess_risk(scheme, s, v, 0.0, steps, n_steps, kurtosis, batch_size).variance == 0


# Law: a step that grows lowers the variance of a strong alpha.
def test_growing_step_lowers_the_variance() -> None:
    eta = 0.5 / fourth_moment_r2(HARMONIC)
    growing = Staircase(tuple(eta * 2.0**k for k in range(-7, 1)), tuple(range(500, 4000, 500)))
    for alpha in (1.0, 10.0, 100.0):
        one, other = (excess_risk(Geometric(alpha), HARMONIC, np.ones(10), 1.0, at, 10_000) for at in (eta, growing))
        assert other.variance < 0.3 * one.variance
        assert other.deterministic_bias == pytest.approx(one.deterministic_bias, rel=1e-6)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Modes, Array, Scheme, int]:
    d = draw(st.integers(1, 8))
    orders = draw(st.lists(st.floats(-10, 0), min_size=d, max_size=d))
    s = 10 ** np.array(orders)
    kurtosis, batch_size = draw(st.sampled_from([1.0, 1.8, 3.0, 20.0])), draw(st.sampled_from([1, 2, 50]))
    share = draw(st.sampled_from([1e-4, 0.01, 0.25, 0.5, 0.9, 0.999]))
    step = share * stability(s, 1.0, kurtosis, batch_size).largest_step
    n_steps = draw(st.integers(1, 3000))
    log_alpha = draw(st.floats(-8, 4))
    scheme = draw(
        st.sampled_from(
            [
                Geometric(10**log_alpha / float(s.max())),
                Geometric(0.0),
                Uniform(),
                Last(),
                Tail(draw(st.floats(0, 0.99))),
            ]
        )
    )
    sizes = draw(st.sampled_from([0.0, -1.0, 2.0]))  # the start: even, or mostly in small or in large directions
    v2 = np.array(draw(st.lists(st.floats(0.01, 4), min_size=d, max_size=d))) * s**sizes
    return Modes(s, step, kurtosis, batch_size), v2, scheme, n_steps


# Law: the closed form is the recursion to 1e-10 of each part, or knows that it is not.
@settings(derandomize=True, deadline=None, max_examples=150)
@given(problem=problems())
def test_closed_form_is_the_recursion(problem: tuple[Modes, Array, Scheme, int]) -> None:
    modes, v2, scheme, n_steps = problem
    closed, recursed = modes.risk(scheme, v2, n_steps), by_recursion(scheme, modes, v2, n_steps)
    rounding = 1e-10 * recursed.variance
    assert abs(closed.variance - recursed.variance) <= rounding + 4 * closed.variance_error
    assert closed.variance_error <= 1e-10 * recursed.variance
    # Rows of equal size have no multiplicative bias; its rounding is that of the terms that cancel.
    rounding = 1e-10 * recursed.multiplicative
    assert abs(
        closed.multiplicative - recursed.multiplicative
    ) <= rounding + 4 * closed.multiplicative_error + 1e-14 * float(modes.s @ v2)


# Law: what excess_risk returns agrees with the recursion to 1e-10 whichever way it took.
@settings(derandomize=True, deadline=None, max_examples=80)
@given(problem=problems())
def test_agrees_with_the_recursion(problem: tuple[Modes, Array, Scheme, int]) -> None:
    modes, v2, scheme, n_steps = problem
    risk = excess_risk(
        scheme, modes.s, np.sqrt(v2), 0.5, modes.step, n_steps, kurtosis=modes.kurtosis, batch_size=modes.batch_size
    )
    recursed = by_recursion(scheme, modes, v2, n_steps)
    expected = risk.deterministic_bias + recursed.multiplicative + 0.5 * recursed.variance
    assert risk.total == pytest.approx(expected, rel=1e-10)


# Law: a run of 1e12 steps has the risk that its limits say: the stationary one, and sigma^2 d / n where Sigma is known.
def test_long_runs() -> None:
    s, n = np.array([1.0, 0.5]), 10**12
    last = excess_risk(Last(), s, [1.0, 1.0], 1.0, 0.1, n)
    lms = (0.1 * s / (2 - 2 * 0.1 * s)).sum()  # misadjustment of Gaussian rows
    assert last.total == pytest.approx(lms / (1 - lms), rel=1e-10)
    uniform = additive_noise_risk(Uniform(), s, [0.0, 0.0], 1.0, 0.1, n)
    assert uniform.variance == pytest.approx(2 / n, rel=1e-9)
    assert excess_risk(Geometric(1e-9), s, [1.0, 1.0], 1.0, 0.1, n).variance > 10 * uniform.variance


def in_many_digits(
    s: list[float], eta: float, kappa: float, b: int, phases: list[tuple[Any, Any, int]]
) -> tuple[Any, Any]:
    """u_0 and the variance by powers of one matrix over the state (u, g^2, g p, p^2, variance), backwards in time.

    Each phase is (first weight, ratio of a weight to the one after it, number of steps).
    """
    d, share = len(s), mp.mpf(eta) ** 2 / b
    size, square, constant = 3 * d + 2, 3 * d, 3 * d + 1
    state = mp.matrix(size, 1)
    for weight, ratio, steps in phases:
        M = mp.zeros(size)
        M[constant, constant] = 1
        M[square, square] = ratio**2
        for i in range(d):
            a = 1 - mp.mpf(eta) * mp.mpf(s[i])
            M[d + i, d + i], M[d + i, 2 * d + i], M[d + i, square] = a**2, 2 * ratio * a, ratio**2
            M[2 * d + i, 2 * d + i], M[2 * d + i, square] = ratio * a, ratio**2
        z = [mp.mpf(s[i]) * M[d + i, :] for i in range(d)]
        for i in range(d):
            z[i][0, i] += 1
        total = sum((mp.mpf(s[i]) * z[i] for i in range(d)), mp.zeros(1, size))
        for i in range(d):
            M[i, :] = share * mp.mpf(s[i]) * (total + (mp.mpf(kappa) - 2) * mp.mpf(s[i]) * z[i])
            M[i, i] += (1 - mp.mpf(eta) * mp.mpf(s[i])) ** 2
        M[constant, :] = share * total
        M[constant, constant] += 1
        before = weight / ratio if ratio else mp.mpf(0)
        for i in range(d):
            root = mp.sqrt(state[d + i])
            state[2 * d + i] = root * before
        state[square] = before**2
        state = M**steps * state
    return state[:d], state[constant]


# Law: the closed form has its digits in runs of 1e12 steps too.
@pytest.mark.parametrize("n_steps", [10**9 + 7, 10**12])
@pytest.mark.parametrize(("kurtosis", "batch_size"), [(1.8, 4)])
@pytest.mark.parametrize("scheme", [Geometric(1e-9), Geometric(0.01), Uniform(), Tail(0.3), Last()], ids=repr)
def test_long_runs_in_many_digits(scheme: Scheme, kurtosis: float, batch_size: int, n_steps: int) -> None:
    s, v2, eta = [1.0, 1e-4, 1e-11], np.array([1.0, 2.0, 3.0]), 0.1
    with mp.workdps(70):
        if isinstance(scheme, Geometric):
            ratio = 1 + mp.mpf(eta) * mp.mpf(scheme.alpha)
            last = (ratio - 1) / (ratio ** (n_steps + 1) - 1)
            u, variance = in_many_digits(s, eta, kurtosis, batch_size, [(last, ratio, n_steps)])
        else:
            first = {Uniform(): 0, Last(): n_steps}.get(scheme, round(0.3 * n_steps))
            phases = [(mp.mpf(1) / (n_steps + 1 - first), mp.mpf(1), n_steps + 1 - max(first, 1))]
            if first > 1:
                phases.append((mp.mpf(0), mp.mpf(0), first - 1))
            u, variance = in_many_digits(s, eta, kurtosis, batch_size, phases)
        multiplicative = float(sum(u[i] * mp.mpf(float(v2[i])) for i in range(3)))
        variance = float(variance)
    found = Modes(np.array(s), eta, kurtosis, batch_size).risk(scheme, v2, n_steps)
    assert found.variance == pytest.approx(variance, rel=1e-10)
    assert found.multiplicative == pytest.approx(multiplicative, rel=1e-10)


# Law: with few steps and with directions of eigenvalue 0, nothing changes.
def test_directions_without_data() -> None:
    with_zero = excess_risk(Geometric(0.1), [1.0, 0.0, 0.2], [1.0, 5.0, 2.0], 0.3, 0.1, 50)
    assert with_zero == excess_risk(Geometric(0.1), [1.0, 0.2], [1.0, 2.0], 0.3, 0.1, 50)


# Law: where Sigma is known the risk is a double sum over the weights.
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("step", [0.2, Staircase((0.05, 0.4, 0.1), (10, 20))])
def test_additive_noise(scheme: Scheme, step: float | Staircase) -> None:
    s, v, n = np.array([1.0, 0.2]), np.array([1.0, 2.0]), 30
    p, eta = scheme.weights(n, step), np.array([Staircase.of(step).size_after(t) for t in range(n)])
    fall = np.array([1 - size * s for size in eta])  # of step t + 1

    def gain(j: int) -> Array:
        total: Array = np.sum([p[t] * fall[j:t].prod(axis=0) for t in range(j, n + 1)], axis=0)
        return total

    variance, mean = 0.0, gain(0) * v
    for j in range(1, n + 1):
        variance += eta[j - 1] ** 2 * 0.7 * float((s**2 * gain(j) ** 2).sum())
    risk = additive_noise_risk(scheme, s, v, 0.7, step, n)
    assert risk.variance == pytest.approx(variance, rel=1e-12)
    assert risk.deterministic_bias == pytest.approx(float((s * mean**2).sum()), rel=1e-12)
    assert risk.multiplicative_bias == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"eigenvalues": [1.0, -0.1]}, "eigenvalues has the minimum -0.1: expected numbers of 0 or more"),
        ({"eigenvalues": [0.0, 0.0]}, "eigenvalues are all 0"),
        ({"eigenvalues": [[1.0, 0.1]]}, r"eigenvalues has shape \(1, 2\): expected a vector"),
        ({"eigenvalues": [1.0, np.nan]}, r"eigenvalues\[1\] is nan: expected finite numbers"),
        ({"eigenvalues": "ten"}, "eigenvalues is not an array of numbers"),
        ({"bias": [1.0]}, "bias has 1 entries but there are 2 eigenvalues"),
        ({"bias": [1.0, np.inf]}, r"bias\[1\] is inf"),
        ({"noise_variance": -1.0}, "noise_variance=-1.0 is negative"),
        ({"step": 0.0}, "step=0.0 is not positive"),
        ({"step": 1.5}, "step=1.5 is unstable for these eigenvalues: .* from 0.6"),
        ({"step": Staircase((0.1, 1.5), (4,))}, "step=1.5 is unstable for these eigenvalues: .* from 0.6"),
        ({"step": Staircase((0.1, 0.2), (4,)), "n_steps": 10**8}, "too many for a recursion.*or a constant step"),
        ({"n_steps": 0}, "n_steps=0: expected an integer of 1 or more"),
        ({"n_steps": 10**8, "scheme": Exponential(0.9)}, "n_steps=100000000 is too many for a recursion"),
        ({"kurtosis": 0.5}, "kurtosis=0.5 is below 1"),
        ({"batch_size": 0}, "batch_size=0"),
    ],
)
def test_refusals(changed: dict[str, Any], message: str) -> None:
    problem: dict[str, Any] = {
        "scheme": Uniform(),
        "eigenvalues": [1.0, 0.1],
        "bias": [1.0, 1.0],
        "noise_variance": 1.0,
        "step": 0.1,
        "n_steps": 9,
    }
    with pytest.raises(ValueError, match=message):
        excess_risk(**problem | changed)
    with pytest.raises(TypeError, match=r"n_steps=2\.5 is a float"):
        excess_risk(**problem | {"n_steps": 2.5})
