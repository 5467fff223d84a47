"""Bounds: the printed numbers, and never below the exact risk."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Last, Scheme, Staircase, Tail, Uniform
from ridgeway.theory import (
    additive_noise_bound,
    additive_noise_risk,
    bound,
    excess_risk,
    fourth_moment_r2,
    tikhonov_sgd_bound,
    variance_reduction,
)

HARMONIC = 1 / np.arange(1, 11)
Array = NDArray[np.float64]
seeded = settings(derandomize=True, deadline=None, max_examples=150)


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    d = draw(st.integers(1, 6))
    s = 10 ** np.array(draw(st.lists(st.floats(-4, 0), min_size=d, max_size=d)))
    v = np.array(draw(st.lists(st.floats(-3, 3), min_size=d, max_size=d)))
    return {
        "eigenvalues": s,
        "bias": v,
        "noise_variance": draw(st.floats(0, 4)),
        "n_steps": draw(st.integers(1, 2000)),
        "alpha": draw(st.sampled_from([0.0, 1.0])) * 10 ** draw(st.floats(-5, 2)) * float(s.max()),
        "share": draw(st.floats(0.01, 1)),
    }


# Law: the anchors.
def test_anchors() -> None:
    r2 = fourth_moment_r2(HARMONIC)
    problem = (Geometric(0.1), HARMONIC, np.ones(10), 0.25, 0.5 / r2, 100, r2)
    paper, sharp = bound(*problem), bound(*problem, form="sharp")
    assert (paper.variance, paper.bias) == pytest.approx((0.0468580758, 13.2863207717), abs=1e-9)
    assert (sharp.variance, sharp.bias) == pytest.approx((0.0165647645, 2.8580600313), abs=1e-9)
    assert paper.total == paper.bias + paper.variance


# Law: both forms lie above the exact risk, bias above bias and variance above variance; the sharper form is sharper.
@seeded
@given(problem=problems(), kurtosis=st.sampled_from([1.0, 1.8, 3.0, 10.0]))
def test_above_the_exact_risk(problem: dict[str, Any], kurtosis: float) -> None:
    scheme, share = Geometric(problem.pop("alpha")), problem.pop("share")
    r2 = fourth_moment_r2(problem["eigenvalues"], kurtosis)
    problem["step"] = share * 0.5 / r2
    exact = excess_risk(scheme, kurtosis=kurtosis, **problem)
    paper, sharp = bound(scheme, r2=r2, **problem), bound(scheme, r2=r2, form="sharp", **problem)
    assert exact.variance <= sharp.variance <= paper.variance
    assert exact.total - exact.variance <= sharp.bias <= paper.bias


# Law: so do the bounds for a known covariance.
@seeded
@given(problem=problems())
def test_additive_noise(problem: dict[str, Any]) -> None:
    scheme, share = Geometric(problem.pop("alpha")), problem.pop("share")
    problem["step"] = share / float(problem["eigenvalues"].max())
    exact = additive_noise_risk(scheme, **problem)
    sharp, paper = additive_noise_bound(scheme, **problem), additive_noise_bound(scheme, form="paper", **problem)
    rounding = 1 + 1e-9
    assert exact.variance <= sharp.variance * rounding
    assert sharp.variance <= paper.variance * rounding
    assert exact.deterministic_bias <= sharp.bias * rounding
    assert sharp.bias <= paper.bias * rounding


def tikhonov_exact(s: Array, v: Array, tau2: float, alpha: float, eta: float, n: int) -> tuple[float, float]:
    """Bias and variance of the uniform average of regularised SGD that knows Sigma, by its recursion."""
    c, mean, total = 1 - eta * (s + alpha), v.copy(), v.copy()
    for _ in range(n):
        mean = c * mean + eta * alpha * v
        total += mean
    gains = sum(sum(c**k for k in range(n + 1 - j)) ** 2 for j in range(1, n + 1)) if n < 60 else np.zeros_like(s)
    variance = eta**2 * tau2 * float((s**2 * gains).sum()) / (n + 1) ** 2
    return float((s * (total / (n + 1)) ** 2).sum()), variance


@settings(derandomize=True, deadline=None, max_examples=100)
@given(problem=problems())
def test_tikhonov_sgd(problem: dict[str, Any]) -> None:
    s, v, alpha, n = problem["eigenvalues"], problem["bias"], problem["alpha"], problem["n_steps"] % 59 + 1
    step = problem["share"] / (float(s.max()) + alpha)
    exact = tikhonov_exact(s, v, problem["noise_variance"], alpha, step, n)
    limit = tikhonov_sgd_bound(s, v, problem["noise_variance"], alpha, step, n)
    assert exact[0] <= limit.bias * (1 + 1e-9)
    assert exact[1] <= limit.variance * (1 + 1e-9)


# Law: the geometric bound exceeds Tikhonov's by the term that geometric averaging costs, tau^2 d2 eta alpha / 2.
def test_price_of_geometric_averaging() -> None:
    geometric = additive_noise_bound(Geometric(0.1), HARMONIC, np.ones(10), 1.0, 0.01, 10**7, form="sharp")
    tikhonov = tikhonov_sgd_bound(HARMONIC, np.ones(10), 1.0, 0.1, 0.01, 10**7)
    d2 = float(((HARMONIC / (HARMONIC + 0.1)) ** 2).sum())
    assert geometric.variance == pytest.approx(d2 * 0.01 * 0.1 / 2, rel=1e-2)
    assert tikhonov.variance == pytest.approx(d2 / 10**7)
    assert geometric.bias == pytest.approx(tikhonov.bias, rel=1e-2)


# Law: alpha = 0 is the uniform average, and nearly 0 nearly so.
def test_uniform() -> None:
    rest = (HARMONIC, np.ones(10), 0.25, 0.1, 100, 5.0)
    forms: tuple[Literal["paper", "sharp"], ...] = ("paper", "sharp")
    for form in forms:
        uniform = bound(Uniform(), *rest, form=form)
        assert bound(Geometric(0.0), *rest, form=form) == uniform
        nearly = bound(Geometric(1e-13), *rest, form=form)
        assert nearly.total == pytest.approx(uniform.total, rel=1e-9)


@pytest.mark.parametrize(
    ("scheme", "changed", "message"),
    [
        (Tail(0.5), {}, r"Tail\(start=0.5\) has no such bound: expected Geometric or Uniform; excess_risk is exact"),
        (Last(), {}, r"Last\(\) has no such bound"),
        (Uniform(), {"r2": 1.0}, r"r2=1 is too small: expected at least tr Sigma = 1.1;"),
        (Uniform(), {"r2": np.nan}, "r2=nan is not finite"),
        (Uniform(), {"step": 0.2}, r"step=0.2 is too large for the bound: expected at most 1 / \(2 R\^2\) = 0.1;"),
        (Uniform(), {"form": "best"}, "form='best': expected 'paper' or 'sharp'"),
        (Uniform(), {"n_steps": 0}, "n_steps=0"),
    ],
)
def test_refusals(scheme: Scheme, changed: dict[str, Any], message: str) -> None:
    problem: dict[str, Any] = {
        "eigenvalues": [1.0, 0.1], "bias": [1.0, 1.0], "noise_variance": 1.0, "step": 0.1, "n_steps": 9, "r2": 5.0
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        bound(scheme, **problem | changed)


def test_refused_steps() -> None:
    with pytest.raises(ValueError, match=r"step=2 is too large for the bound: expected at most 1 / s_max = 1\."):
        additive_noise_bound(Uniform(), [1.0], [1.0], 1.0, 2.0, 5)
    with pytest.raises(ValueError, match=r"step=1 is too large .* 1 / \(s_max \+ alpha\) = 0\.5"):
        tikhonov_sgd_bound([1.0], [1.0], 1.0, 1.0, 1.0, 5)


def test_unknown_form_of_the_additive_bound() -> None:
    blunt: Any = "blunt"
    with pytest.raises(ValueError, match="form='blunt': expected 'sharp' or 'paper'"):
        additive_noise_bound(Geometric(0.1), [1.0, 0.5], [1.0, 1.0], 1.0, 0.1, 100, form=blunt)


# Law: bounds are for a constant step, which may be a staircase of one stair; others are refused, with the exact risk.
def test_several_steps() -> None:
    problem: dict[str, Any] = {"eigenvalues": [1.0], "bias": [1.0], "noise_variance": 1.0, "n_steps": 9}
    one, several = Staircase((0.1,)), Staircase((0.05, 0.1), (4,))
    assert bound(Uniform(), **problem, step=one, r2=3.0) == bound(Uniform(), **problem, step=0.1, r2=3.0)
    message = r"step has 2 sizes, from 0.05 to 0.1: expected one, as the bound is proved for a constant step only; "
    with pytest.raises(ValueError, match=message + "excess_risk is exact"):
        bound(Uniform(), **problem, step=several, r2=3.0)
    with pytest.raises(ValueError, match=message + "additive_noise_risk is exact"):
        additive_noise_bound(Uniform(), **problem, step=several)
    with pytest.raises(ValueError, match="for a constant step only"):
        tikhonov_sgd_bound(**problem, alpha=0.1, step=several)
    with pytest.raises(ValueError, match="the proposition is about a constant step only"):
        variance_reduction([1.0], several, 9)
