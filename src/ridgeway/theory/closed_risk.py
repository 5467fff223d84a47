"""The exact risk of geometric and tail averages in closed form: time d^3 once, then d^2 log n for each average."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg.lapack import dgejsv

from ridgeway import _core
from ridgeway.averaging import Geometric, Last, Scheme, Staircase, Tail, Uniform
from ridgeway.averaging.geometric import MIN_LOG_GROWTH, log_growth
from ridgeway.averaging.powers import log_size, one_minus_power, power

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)


class NoiseRisk(NamedTuple):
    """The parts of the risk due to random rows and to random labels, and bounds on their rounding errors."""

    multiplicative: float
    variance: float
    multiplicative_error: float
    variance_error: float


@dataclass(frozen=True, eq=False)
class Modes:
    """The second moments of w_t - w* in the modes in which they decay independently.

    The moments m_t = E (w_t - w*)^2, one for each eigen-direction, follow m_t = B m_{t-1} + (eta^2 sigma^2 / b) s with

        I - B = D - (eta^2 / b) s s' ,   D = eta s (2 - eta s k) ,   k = 1 + (kappa - 2) / b ,

    which is positive definite exactly if the step is stable. Its eigenvalues may span many orders of magnitude. Its
    factor D^{1/2} (I - c y y') is a diagonal times a well-conditioned matrix, and one-sided Jacobi rotations compute
    every singular value of such a matrix to nearly full relative accuracy. So powers of B are accurate at 1e12 steps.

    Attributes
    ----------
    s : (d,), eigenvalues of Sigma, all positive.
    step, kurtosis, batch_size : those of the run; the step is stable. A run with several step sizes has no such modes
        and needs the recursion over all steps.
    """

    s: Array
    step: float | Staircase
    kurtosis: float
    batch_size: int

    @property
    def steps(self) -> Staircase:
        """The step sizes of the run."""
        return Staircase.of(self.step)

    @cached_property
    def _decay(self) -> _Decay:
        s, eta, b = self.s, self.steps.last, self.batch_size
        diagonal = eta * s * (2 - eta * s * (1 + (self.kurtosis - 2) / b))
        z = eta * s / math.sqrt(b)
        y = z / np.sqrt(diagonal)
        left = max(1 - float(y @ y), EPS)
        factor = np.sqrt(diagonal)[:, None] * (np.eye(len(s)) - np.outer(y, y) / (1 + math.sqrt(left)))
        singular, _, vectors, work, _, info = dgejsv(factor.T, jobu=3)
        if info != 0:
            raise ValueError(
                f"the decomposition for {len(s)} eigenvalues did not converge: expected eigenvalues that span fewer "
                "orders of magnitude; leave out the smallest."
            )
        rates = (singular * (work[0] / work[1])) ** 2
        # <z, q> of slow modes q is a small difference; (1 - |y|^2) <z, q> = rate <z / D, q> is not.
        overlap, error = z @ vectors, EPS * (z @ np.abs(vectors)) + EPS * float(np.linalg.norm(z))
        other = rates * ((z / diagonal) @ vectors) / left
        other_error = (rates / left) * (EPS * ((z / diagonal) @ np.abs(vectors)) + EPS * np.linalg.norm(z / diagonal))
        better = other_error < error
        overlap, error = np.where(better, other, overlap), np.where(better, other_error, error)
        # (D_i - rate_k) q_ik = z_i <z, q_k> gives the small entries to more digits than the rotations do.
        gap = diagonal[:, None] - rates
        far = np.abs(gap) > 0.5 * np.maximum(diagonal[:, None], rates)
        vectors = np.where(far, z[:, None] * overlap / np.where(far, gap, 1.0), vectors)
        scale = math.sqrt(b) / eta
        return _Decay(rates, vectors, overlap * scale, error * scale)

    def risk(self, scheme: Scheme, squared_bias: Array, n_steps: int) -> NoiseRisk:
        """Return the random part of the risk of an average for a start v^2, (d,), and label noise of variance 1."""
        s, step, extra = self.s, self.steps.last, self.kurtosis - 2
        share = step**2 / self.batch_size
        rates, vectors, noise, noise_error = self._decay
        sums = squared_weights(scheme, s, step, np.append(rates, 0.0), n_steps)
        stays, fades = sums[-1], sums[:-1]
        sizes = np.abs(vectors).T
        coupling = np.outer(noise, s * s) + extra * vectors.T * s**3  # (modes, d)
        blur = np.outer(noise_error, s * s) + EPS * (abs(extra) * sizes * s**3 + np.abs(coupling))
        start, start_error = vectors.T @ squared_bias, EPS * (sizes @ squared_bias)
        multiplicative, error = _product(start, start_error, coupling * fades, blur * np.abs(fades))
        grown, grown_blur = coupling * (stays - fades), blur * (stays + np.abs(fades))
        indirect, spread = _product(noise / rates, noise_error / rates, grown, grown_blur)
        direct = float((s * s * stays).sum())
        safety = math.sqrt(len(s)) + 8
        return NoiseRisk(
            share * multiplicative,
            share * (direct + share * indirect),
            safety * share * error,
            safety * share * (EPS * direct + share * spread),
        )


class _Decay(NamedTuple):
    """Rates 1 - B of the modes (d,), the modes (d, d), and <s, mode> with its rounding error, (d,)."""

    rates: Array
    vectors: Array
    noise: Array
    noise_error: Array


def _product(left: Array, left_error: Array, right: Array, right_error: Array) -> tuple[float, float]:
    """Return sum_k left_k sum_i right_ki and a bound on its rounding error."""
    error = np.abs(left) @ right_error.sum(axis=1) + left_error @ np.abs(right).sum(axis=1)
    return float(left @ right.sum(axis=1)), float(error)


def squared_weights(scheme: Scheme, s: Array, step: float, decay: Array, n_steps: int) -> Array:
    """Return sum_{j=1..T} (1 - decay_k)^{j-1} g_{j,i}^2, (K, d), where g_j = sum_{t>=j} p_t (1 - eta s_i)^{t-j}."""
    u = step * s
    log_a, log_b = log_size(u), log_size(decay)
    if isinstance(scheme, Geometric):
        growth, length = log_growth(scheme.alpha, step), n_steps + 1
        if growth * length < MIN_LOG_GROWTH:
            return squared_weights(Uniform(), s, step, decay, n_steps)
        first = math.expm1(-growth) / math.expm1(-growth * length)
        sums, _ = _doubled(decay, u, log_b - 2 * growth, log_a - growth, n_steps)
        return (first * math.exp(-growth)) ** 2 * sums
    start = n_steps if isinstance(scheme, Last) else scheme.first(n_steps) if isinstance(scheme, Tail) else 0
    left = n_steps - start
    flat = np.zeros((len(decay), len(u)))
    if left:
        sums, _ = _doubled(decay, u, log_b, log_a, left)
        flat += power(log_b, decay > 1, start)[:, None] * sums
    if start:
        _, powers = _doubled(decay, u, log_b, log_a, start)
        flat += powers * (one_minus_power(log_a, u > 1, left + 1) / u) ** 2  # 1 + a + ... + a^left, a = 1 - u
    return flat / (left + 1.0) ** 2


def has_closed_form(scheme: Scheme, steps: Staircase) -> bool:
    """Return whether `squared_weights` has a closed form for this scheme and these steps."""
    return steps.constant and isinstance(scheme, Geometric | Uniform | Tail | Last)


def _doubled(decay: Array, u: Array, log_x: Array, log_y: Array, n: int) -> tuple[Array, Array]:
    """Return sums of squared geometric sums h_m = 1 + y_i + ... + y_i^{m-1}, and of powers, by doubling n: (K, d) each.

        sum_{m=1..n} x_k^{n-m} h_m^2   and   sum_{m=1..n} x_k^{n-m} y_i^{2 (m-1)}

    x = 1 - decay and y = 1 - u times what the logarithms of their sizes, log_x and log_y, include besides.
    """
    levels = n.bit_length()
    lengths = [n >> (levels - 1 - level) for level in range(levels)]
    x_powers = np.stack([power(log_x, decay > 1, length) for length in lengths], axis=1)
    y_powers = np.stack([power(log_y, u > 1, length) for length in lengths])
    sums, powers = np.empty((len(decay), len(u))), np.empty((len(decay), len(u)))
    _core.squared_sums(x_powers=x_powers, y_powers=y_powers, n=n, sums=sums, powers=powers)
    return sums, powers
