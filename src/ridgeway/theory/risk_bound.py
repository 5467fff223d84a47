"""Bounds on the excess risk of averages: the paper's theorem, a sharper form, and two bounds for known covariances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ridgeway.averaging import Geometric, Scheme, Staircase, Uniform
from ridgeway.averaging.geometric import MIN_LOG_GROWTH, log_growth
from ridgeway.theory.arguments import constant_step_of, positive, problem_of
from ridgeway.validation.scalars import ridge_strength

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

Form = Literal["paper", "sharp"]


@dataclass(frozen=True)
class Bound:
    """A bound on the excess risk: a bound on the bias, one on the variance, and their sum."""

    total: float
    bias: float
    variance: float


def bound(
    scheme: Scheme,
    eigenvalues: ArrayLike,
    bias: ArrayLike,
    noise_variance: float,
    step: float | Staircase,
    n_steps: int,
    r2: float,
    form: Form = "paper",
) -> Bound:
    """Bound the excess risk of a geometric or uniform average for every law with E[|x|^2 x x'] <= R^2 Sigma.

    With g = gamma alpha, gamma = eta rho, rho = 1 / (1 + eta alpha), v = w_0 - w*, d1 and d2 the effective dimensions
    and c = 1 / sum_{t=0..n} rho^t, the theorem of Neu and Rosasco (2018), ``form="paper"``, is ::

        4 / (1 - g) (g / (2 - g) + 2 / ((2 - g)(n + 1))) sigma^2 d2 / (2 - eta R^2)
          + (alpha + 1 / (gamma (n + 1)))^2 (2 |Sigma^{1/2} (Sigma + alpha/2)^{-1} v|^2
                                             + d1 |(Sigma + alpha/2)^{-1/2} v|^2)

    and ``form="sharp"``, for noise independent of x (otherwise take twice its value), ::

        2 sigma^2 d2 / (2 - eta R^2) c^2 sum_{j=0..n-1} rho^{2j}
          + (c / gamma)^2 (tr[Sigma (Sigma + alpha)^{-1} (Sigma + alpha/2)^{-1} v v']
                           + d1/3 |(Sigma + alpha/2)^{-1/2} v|^2)

    Both need a constant step <= 1 / (2 R^2) and E[noise^2 x x'] <= sigma^2 Sigma. For steps that change no bound is
    proved; `excess_risk` is exact for them.

    Parameters
    ----------
    scheme : `Geometric` or `Uniform`.
    eigenvalues : (d,), the eigenvalues of Sigma.
    bias : (d,), w_0 - w* in the eigenbasis.
    noise_variance : sigma^2.
    step : step size eta, at most 1 / (2 R^2), constant.
    n_steps : number of steps, 1 or more.
    r2 : R^2, at least tr Sigma; `fourth_moment_r2` has it for independent coordinates.
    form : "paper" or "sharp".

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.averaging import Geometric
    >>> from ridgeway.theory import bound, fourth_moment_r2
    >>> s = 1 / np.arange(1, 11)
    >>> r2 = fourth_moment_r2(s)
    >>> problem = dict(eigenvalues=s, bias=np.ones(10), noise_variance=0.25, step=0.5 / r2, n_steps=100, r2=r2)
    >>> for form in ("paper", "sharp"):
    ...     at = bound(Geometric(0.1), **problem, form=form)
    ...     print(f"{form}: {at.variance:.4f} + {at.bias:.4f}")
    paper: 0.0469 + 13.2863
    sharp: 0.0166 + 2.8581
    """
    alpha = _strength(scheme)
    s, v, sigma2, n = problem_of(eigenvalues, bias, noise_variance, n_steps)
    eta = _constant(step)
    R2 = _checked_r2(r2, s, eta)
    if form not in ("paper", "sharp"):
        raise ValueError(f"form={form!r}: expected 'paper' or 'sharp'.")
    seen = s > 0
    s, v2 = s[seen], v[seen] ** 2
    d1, d2 = float((s / (s + alpha)).sum()), float(((s / (s + alpha)) ** 2).sum())
    spread = float((v2 / (s + alpha / 2)).sum())
    if form == "paper":
        gamma, g = _discounted(alpha, eta)
        variance = 4 / (1 - g) * _weights_bound(g, n) * sigma2 * d2 / (2 - eta * R2)
        start = 2 * float((s * v2 / (s + alpha / 2) ** 2).sum()) + d1 * spread
        return _sum((alpha + 1 / (gamma * (n + 1))) ** 2 * start, variance)
    first, squares = _geometric_weights(alpha, eta, n)
    start = float((s * v2 / (s + alpha) / (s + alpha / 2)).sum()) + d1 * spread / 3
    return _sum(first**2 * start, 2 * sigma2 * d2 / (2 - eta * R2) * squares)


def additive_noise_bound(
    scheme: Scheme,
    eigenvalues: ArrayLike,
    bias: ArrayLike,
    noise_variance: float,
    step: float | Staircase,
    n_steps: int,
    form: Form = "sharp",
) -> Bound:
    """Bound the excess risk of geometric averages of the iteration that knows Sigma, w - eta (Sigma w - x y).

    Its noise xi = x y - E[x y] does not depend on w. For E[xi xi'] <= tau^2 Sigma and step <= 1 / s_max ::

        sharp:  tau^2 d2 c^2 sum_{j=0..n-1} rho^{2j} + (c / gamma)^2 |Sigma^{1/2} (Sigma + alpha)^{-1} v|^2
        paper:  (eta / gamma)^2 tau^2 d2 (g / (2 - g) + 2 / ((2 - g)(n + 1)))
                  + (alpha + 1 / (gamma (n + 1)))^2 |Sigma^{1/2} (Sigma + alpha)^{-1} v|^2

    in the notation of `bound`. The paper prints the condition step <= s_max, under which the bound does not hold, and
    squares the vector instead of its norm. Its factor (eta / gamma)^2 is not needed. `additive_noise_risk` is the exact
    value.

    Parameters
    ----------
    scheme : `Geometric` or `Uniform`.
    eigenvalues : (d,), the eigenvalues of Sigma.
    bias : (d,), w_0 - w* in the eigenbasis.
    noise_variance : tau^2.
    step : step size eta, at most 1 / s_max, constant.
    n_steps : number of steps, 1 or more.
    form : "sharp" or "paper".

    Examples
    --------
    >>> from ridgeway.averaging import Geometric
    >>> from ridgeway.theory import additive_noise_bound
    >>> at = additive_noise_bound(Geometric(0.1), [1.0, 0.1], [1.0, 1.0], noise_variance=1.0, step=0.5, n_steps=100)
    >>> print(f"{at.variance:.4f} + {at.bias:.4f}")
    0.0266 + 0.0338
    """
    alpha = _strength(scheme)
    s, v, tau2, n = problem_of(eigenvalues, bias, noise_variance, n_steps)
    eta = _constant(step, "additive_noise_risk")
    _require_contraction(s, eta, 0.0)
    if form not in ("paper", "sharp"):
        raise ValueError(f"form={form!r}: expected 'sharp' or 'paper'.")
    seen = s > 0
    s, v2 = s[seen], v[seen] ** 2
    d2, start = float(((s / (s + alpha)) ** 2).sum()), float((s * v2 / (s + alpha) ** 2).sum())
    if form == "paper":
        gamma, g = _discounted(alpha, eta)
        variance = (eta / gamma) ** 2 * tau2 * d2 * _weights_bound(g, n)
        return _sum((alpha + 1 / (gamma * (n + 1))) ** 2 * start, variance)
    first, squares = _geometric_weights(alpha, eta, n)
    return _sum(first**2 * start, tau2 * d2 * squares)


def tikhonov_sgd_bound(
    eigenvalues: ArrayLike, bias: ArrayLike, noise_variance: float, alpha: float, step: float | Staircase, n_steps: int
) -> Bound:
    """Bound the excess risk of the uniform average of Tikhonov-regularised SGD that knows Sigma.

    After Dieuleveut, Flammarion and Bach (2017), for w - eta (Sigma w - x y + alpha (w - w_0)) averaged over its n + 1
    iterates, noise with E[xi xi'] <= tau^2 Sigma and step <= 1 / (s_max + alpha) ::

        tau^2 d2 / n + (alpha + 1 / (eta n))^2 |Sigma^{1/2} (Sigma + alpha)^{-1} v|^2

    It differs from the bound for geometric averages by tau^2 d2 alpha eta / 2: regularised SGD averages its noise over
    all steps, a geometric average over the first 1 / (eta alpha).

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    bias : (d,), w_0 - w* in the eigenbasis.
    noise_variance : tau^2.
    alpha : ridge strength, 0 or more.
    step : step size eta, at most 1 / (s_max + alpha), constant.
    n_steps : number of steps, 1 or more.

    Examples
    --------
    >>> from ridgeway.theory import tikhonov_sgd_bound
    >>> at = tikhonov_sgd_bound([1.0, 0.1], [1.0, 1.0], noise_variance=1.0, alpha=0.1, step=0.5, n_steps=100)
    >>> print(f"{at.variance:.4f} + {at.bias:.4f}")
    0.0108 + 0.0479
    """
    s, v, tau2, n = problem_of(eigenvalues, bias, noise_variance, n_steps)
    eta, strength = _constant(step), ridge_strength(alpha)
    _require_contraction(s, eta, strength)
    seen = s > 0
    s, v2 = s[seen], v[seen] ** 2
    start = float((s * v2 / (s + strength) ** 2).sum())
    return _sum((strength + 1 / (eta * n)) ** 2 * start, tau2 * float(((s / (s + strength)) ** 2).sum()) / n)


def _sum(bias: float, variance: float) -> Bound:
    return Bound(bias + variance, bias, variance)


def _constant(step: float | Staircase, exact: str = "excess_risk") -> float:
    return constant_step_of(step, "the bound is proved for", f"{exact} is exact for steps that change")


def _strength(scheme: Scheme) -> float:
    if isinstance(scheme, Geometric):
        return scheme.alpha
    if isinstance(scheme, Uniform):
        return 0.0
    raise ValueError(
        f"{scheme!r} has no such bound: expected Geometric or Uniform; excess_risk is exact for every scheme."
    )


def _checked_r2(r2: object, s: Array, step: float) -> float:
    expected = "R^2 must be a finite number above 0"
    number = positive("r2", r2, expected, "fourth_moment_r2(eigenvalues) has it for Gaussian rows")
    trace = float(s.sum())
    if number < trace * (1 - 1e-12):
        raise ValueError(
            f"r2={number:g} is too small: expected at least tr Sigma = {trace:g}; take "
            "fourth_moment_r2(eigenvalues, kurtosis)."
        )
    if step > 0.5 / number * (1 + 1e-12):
        raise ValueError(
            f"step={step:g} is too large for the bound: expected at most 1 / (2 R^2) = {0.5 / number:g}; excess_risk "
            "is exact for every stable step."
        )
    return number


def _require_contraction(s: Array, step: float, alpha: float) -> None:
    largest = 1 / (float(s.max()) + alpha)
    if step > largest * (1 + 1e-12):
        place = "1 / (s_max + alpha)" if alpha else "1 / s_max"
        raise ValueError(f"step={step:g} is too large for the bound: expected at most {place} = {largest:g}.")


def _discounted(alpha: float, step: float) -> tuple[float, float]:
    """Return gamma = eta rho and gamma alpha = 1 - rho."""
    growth = log_growth(alpha, step)
    return step * math.exp(-growth), -math.expm1(-growth)


def _weights_bound(g: float, n: int) -> float:
    """Return the paper's bound on the sum of squared weights."""
    return g / (2 - g) + 2 / ((2 - g) * (n + 1))


def _geometric_weights(alpha: float, step: float, n: int) -> tuple[float, float]:
    """Return c / gamma and c^2 sum_{j=0..n-1} rho^{2j}, where c is the inverse of sum_{t=0..n} rho^t."""
    growth = log_growth(alpha, step)
    if growth * (n + 1) < MIN_LOG_GROWTH:
        return 1 / (step * (n + 1)), n / (n + 1) ** 2
    c = math.expm1(-growth) / math.expm1(-growth * (n + 1))
    squares = math.expm1(-2 * growth * n) / math.expm1(-2 * growth)
    return c / (step * math.exp(-growth)), c * c * squares
