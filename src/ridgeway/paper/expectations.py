"""Items 12, 13, 14: expectations of iterates and averages, computed over all sequences of draws."""

from __future__ import annotations

import numpy as np

from ridgeway.averaging import Geometric, Last
from ridgeway.paper.brute import brute_iterates, difference, geometric_average
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, corrected, printed, support
from ridgeway.paper.least_squares import ridge
from ridgeway.paper.population import Array, Population, random_population
from ridgeway.paper.svg_figures import new_figure
from ridgeway.sgd import run_sgd
from ridgeway.theory import tikhonov_sgd

ROUNDING = 1e-11


def neumann_sum(matrix: Array, terms: int, vector: Array) -> Array:
    """Return sum_{k < terms} matrix^k vector."""
    total, power = np.zeros_like(vector), vector
    for _ in range(terms):
        total, power = total + power, matrix @ power
    return total


def printed_terms(t: int) -> int:
    """Return the number of terms of the printed sums, k = 0..t."""
    return t + 1


def right_terms(t: int) -> int:
    """Return the number of terms of the correct sums, k = 0..t-1."""
    return t


def printed_limit(law: Population, alpha: float, step: float) -> Array:
    """Return the limit of the expected average as printed: eta/gamma times ridge."""
    return (1 + step * alpha) * ridge(law, alpha)


def right_limit(law: Population, alpha: float, w0: Array) -> Array:
    """Return ridge centred at the start: (Sigma + alpha)^{-1} (E[xy] + alpha w_0)."""
    d = len(w0)
    return np.asarray(np.linalg.solve(law.covariance + alpha * np.eye(d), law.moment + alpha * w0))


def printed_identity(average: Array, last: Array, discount: float, t: int) -> Array:
    """Return E[hat-w_t] by the printed finite-time identity."""
    return discount * (1 - discount**t) * average


def right_identity(average: Array, last: Array, discount: float, t: int) -> Array:
    """Return E[hat-w_t] = (1 - rho^{t+1}) E[average_t] + rho^{t+1} E[w_t]."""
    return (1 - discount ** (t + 1)) * average + discount ** (t + 1) * last


def expected_averages(law: Population, alpha: float, step: float, w0: Array, n_steps: int) -> Array:
    """Return E[average_t] for t = 0..n_steps, by running the recursion of E[w_t] and averaging."""
    mean, discount, weight = w0, 1 / (1 + step * alpha), 1.0
    total, weights, averages = np.zeros_like(w0), 0.0, []
    for _ in range(n_steps + 1):
        total, weights = total + weight * mean, weights + weight
        averages.append(total / weights)
        mean = mean - step * (law.covariance @ mean - law.moment)
        weight *= discount
    return np.array(averages)


def averages_of_run(X: Array, y: Array, step: float, alpha: float) -> Array:
    """Return the geometric average and the last iterate, computed by the library."""
    return np.asarray(run_sgd(X, y, step=step).average([Geometric(alpha), Last()]))


def averages_by_hand(X: Array, y: Array, step: float, alpha: float) -> Array:
    """Return the same by definition, also for steps with which the run diverges and the library raises an error."""
    iterates = brute_iterates(X, y, step)
    return np.array([geometric_average(iterates, 1 / (1 + step * alpha)), iterates[-1]])


def last_regularised(X: Array, y: Array, step: float, alpha: float) -> Array:
    """Return the last iterate of SGD on the ridge objective."""
    return np.asarray(tikhonov_sgd(X, y, alpha, step)[-1])


def check_neumann(context: Context) -> Evidence:
    """Run SGD and regularised SGD on all sequences of draws from a law on three points."""
    rng = context.rng()
    wrong = right = wrong_hat = right_hat = 0.0
    for _ in range(context.pick(6, 2)):
        law = random_population(rng, 2, 3)
        step, alpha = float(rng.uniform(0.2, 1.0) / law.largest), float(rng.uniform(0.1, 1.0))
        gamma, d = step / (1 + step * alpha), np.eye(2)
        for t in (1, 3, context.pick(6, 5)):
            _, plain = law.expectation(t, averages_of_run, step, alpha)
            hat = law.expectation(t, last_regularised, gamma, alpha)
            contraction, shrunk = d - step * law.covariance, d - gamma * law.covariance - gamma * alpha * d
            for terms, is_printed in ((printed_terms(t), True), (right_terms(t), False)):
                off = difference(step * neumann_sum(contraction, terms, law.moment), plain)
                off_hat = difference(gamma * neumann_sum(shrunk, terms, law.moment), hat)
                if is_printed:
                    wrong, wrong_hat = max(wrong, off), max(wrong_hat, off_hat)
                else:
                    right, right_hat = max(right, off), max(right_hat, off_hat)
    return Evidence(
        (
            printed("η Σ_{k=0..t}(I-ηΣ)^k E[xy] against E[w_t] over all sequences, relative", wrong, ROUNDING),
            printed("the same sum for regularised SGD", wrong_hat, ROUNDING),
            corrected("η Σ_{k=0..t-1}(I-ηΣ)^k E[xy] against E[w_t]", right, ROUNDING),
            corrected("the same sum for regularised SGD", right_hat, ROUNDING),
        )
    )


def check_limit(context: Context) -> Evidence:
    """Compute the limit of the expected average, also for diverging iterates, and full-batch runs of the library."""
    rng = context.rng()
    wrong = right = centred = later = beyond = batch = 0.0
    growth = np.inf
    for _ in range(context.pick(20, 6)):
        law = random_population(rng, 3, 6)
        largest = float(np.linalg.eigvalsh(law.covariance)[-1])
        alpha, zero, w0 = float(rng.uniform(0.1, 1.0) * largest), np.zeros(3), rng.standard_normal(3)
        step = float(rng.uniform(0.2, 1.0) / largest)
        discount = 1 / (1 + step * alpha)
        n = int(np.ceil(np.log(1e-18) / np.log(discount)))
        limit = expected_averages(law, alpha, step, zero, n)[-1]
        wrong = max(wrong, difference(printed_limit(law, alpha, step), limit))
        right = max(right, difference(right_limit(law, alpha, zero), limit))
        centred = max(centred, difference(right_limit(law, alpha, w0), expected_averages(law, alpha, step, w0, n)[-1]))
        from_one = (limit - (1 - discount) * zero) / discount  # the average that leaves w_0 out
        later = max(later, difference(printed_limit(law, alpha, step), from_one))
        large, strong = 2.5 / largest, 1.5 * largest  # eta s_max = 2.5, rho (eta s_max - 1) = 0.32
        diverging = expected_averages(law, strong, large, zero, 200)
        beyond = max(beyond, difference(right_limit(law, strong, zero), diverging[-1]))
        last = np.linalg.matrix_power(np.eye(3) - large * law.covariance, 200)
        growth = min(growth, float(np.abs(last).max()))
        X, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
        data = Population(X, y, np.full(30, 1 / 30))
        passes = int(np.ceil(np.log(1e-16) / np.log(1 / (1 + 0.2 * 0.5))))
        run = run_sgd(X, y, step=0.2, batch_size=30, passes=passes)
        batch = max(batch, difference(run.coef(Geometric(0.5)), ridge(data, 0.5)))
    law, step, alpha = random_population(context.rng(), 3, 6), 0.1, 1.0
    averages = expected_averages(law, alpha, step, np.zeros(3), 200)
    figure, (ax,) = new_figure()
    for target, name in (
        (right_limit(law, alpha, np.zeros(3)), "distance to ridge"),
        (printed_limit(law, alpha, step), "distance to ridge times η/γ, as printed"),
    ):
        ax.semilogy(np.linalg.norm(averages - target, axis=1), label=name)
    ax.set(xlabel="step t", ylabel="|E[average of w₀ … w_t] - target|", title=f"λ = {alpha:g}, η = {step:g}")
    ax.legend(frameon=False)
    return Evidence(
        (
            printed("limit of E[average] against (η/γ)·ridge, relative", wrong, 1e-9),
            corrected("limit of E[average] against ridge", right, 1e-9),
            corrected("from w₀ ≠ 0, against ridge centred at w₀", centred, 1e-9),
            corrected("with η s_max = 2.5 and ρ|1-ηs_max| < 1, against ridge", beyond, 1e-9),
            support("growth of E[w_t] in 200 such steps, least", growth, 1e10, at_least=True),
            support("the printed factor is right for an average that leaves w₀ out", later, 1e-9),
            support("full-batch runs of run_sgd against empirical ridge", batch, 1e-11),
        ),
        figure=figure,
        caption="The expected average reaches ridge itself; the printed factor η/γ leaves a distance that stays.",
    )


def check_finite(context: Context) -> Evidence:
    """Run both iterations on all sequences of draws from a law, with small steps and with very unstable ones."""
    rng = context.rng()
    wrong = right = unstable = stopped = 0.0
    for _ in range(context.pick(6, 2)):
        law = random_population(rng, 2, 3)
        alpha = float(rng.uniform(0.1, 1.0))
        for step, stable in ((float(rng.uniform(0.2, 1.0) / law.largest), True), (5.0 / law.r2, False)):
            discount = 1 / (1 + step * alpha)
            for t in (1, 2, context.pick(6, 5)):
                average, last = law.expectation(t, averages_of_run if stable else averages_by_hand, step, alpha)
                hat = law.expectation(t, last_regularised, step * discount, alpha)
                wrong = max(wrong, difference(printed_identity(average, last, discount, t), hat))
                off = difference(right_identity(average, last, discount, t), hat)
                if not stable:
                    unstable = max(unstable, off)
                    continue
                right = max(right, off)
                iterates = [np.zeros(2)]
                for _ in range(t):
                    iterates.append(iterates[-1] - step * (law.covariance @ iterates[-1] - law.moment))
                reached = np.append((1 - discount) * discount ** np.arange(t), discount**t)  # P(min(G, t) = k)
                stopped = max(stopped, difference(reached @ np.array(iterates), hat))
    return Evidence(
        (
            printed("E[ŵ_t] against (γ/η)(1-ρ^t) E[average_t] over all sequences, relative", wrong, ROUNDING),
            corrected("E[ŵ_t] against (1-ρ^{t+1}) E[average_t] + ρ^{t+1} E[w_t]", right, ROUNDING),
            corrected("the same at a step of 5/R², where the iterates explode", unstable, ROUNDING),
            corrected("E[ŵ_t] against E[w at min(G, t)]", stopped, ROUNDING),
        )
    )


NEUMANN = Claim(
    12,
    Kind.EXPECTATION,
    "Expected iterates as Neumann sums",
    "From w₀ = 0, E[w_t] = η Σ_{k=0..t}(I-ηΣ)^k E[xy], and likewise with I-γΣ-γλI for regularised SGD.",
    "Both sums end at k = t-1, so that E[w_t] = (I-(I-ηΣ)^t) w*.",
    check_neumann,
)
LIMIT = Claim(
    13,
    Kind.EXPECTATION,
    "Proposition 1: the limits are ridge",
    "With η = γ/(1-γλ) and γ ≤ 1/B², E[ŵ_t] tends to ridge and E[average_t] to η/γ times ridge.",
    "The average tends to ridge itself, without a factor; from w₀ ≠ 0 to ridge centred at w₀. It does so exactly when "
    "ρ|1-ηs_max| < 1, even where the iterates diverge.",
    check_limit,
)
FINITE = Claim(
    14,
    Kind.EXPECTATION,
    "Proposition 2: the identity at finite t",
    "E[ŵ_t] = (γ/η)(1-(1-γλ)^t) E[average_t], for any step.",
    "E[ŵ_t] = (1-ρ^{t+1}) E[average_t] + ρ^{t+1} E[w_t] = E[w at min(G, t)], indeed for any step.",
    check_finite,
)
