"""Item 41: the bias of averages if updates follow a Markov chain instead of independent draws."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.brute import difference
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, support
from ridgeway.paper.population import Array
from ridgeway.paper.reward_process import RewardProcess, random_process
from ridgeway.paper.svg_figures import new_figure
from ridgeway.theory import LinearApproximation

STEPS = 0.2 / 2.0 ** np.arange(8)


def markov_average(process: RewardProcess, alpha: float, step: float) -> Array:
    """Return the expected average of TD(0) along the stationary chain from 0, exactly.

    m_t(s) = E[w_t 1{the chain is in s after t transitions}] moves linearly:
    m_{t+1}(s') = sum_s P(s, s') ((I - step A_ss') m_t(s) + step b_ss' pi(s)). So M = (1 - rho) sum_t rho^t m_t solves
    M = rho (T M + step q), a linear system with n d unknowns.
    """
    n, d = process.features.shape
    rho = 1 / (1 + step * alpha)
    moved = process.transition[:, :, None, None] * (np.eye(d) - step * process.matrices)  # from s to s', (n, n, d, d)
    T = moved.transpose(1, 2, 0, 3).reshape(n * d, n * d)
    q = np.einsum("s,st,std->td", process.stationary, process.transition, process.vectors)
    M = np.linalg.solve(np.eye(n * d) - rho * T, rho * step * q.ravel())
    return np.asarray(M.reshape(n, d).sum(axis=0))


def followed_average(process: RewardProcess, alpha: float, step: float, n_steps: int) -> Array:
    """Return the same by running the recursion of m_t, step by step."""
    n, d = process.features.shape
    rho, weight = 1 / (1 + step * alpha), step * alpha / (1 + step * alpha)
    m, total = np.zeros((n, d)), np.zeros(d)
    for _ in range(n_steps):
        total = total + weight * m.sum(axis=0)
        later = np.zeros((n, d))
        for s in range(n):
            for t in range(n):
                A, b = process.matrices[s, t], process.vectors[s, t]
                later[t] += process.transition[s, t] * (m[s] - step * (A @ m[s]) + step * process.stationary[s] * b)
        m, weight = later, weight * rho
    return total


def bias_per_step(process: RewardProcess, alpha: float) -> Array:
    """Return the limit of bias / step: -(A + alpha)^{-1} sum_s A_s e_s.

    A_s is the mean matrix of transitions out of s; e_s, of sum 0, solves
    e_t - sum_s P(s, t) e_s = sum_s pi_s P(s, t) (b_st - A_st w) - pi_t (b - A w) at the solution w.
    """
    n, d = process.features.shape
    P, pi, A = process.transition, process.stationary, LinearApproximation(*process.drawn())
    w = A.limit(alpha)
    updates = np.einsum("s,st,std->td", pi, P, process.vectors - process.matrices @ w)
    source = updates - pi[:, None] * updates.sum(axis=0)
    e = np.linalg.solve(np.eye(n) - P.T + np.outer(pi, np.ones(n)), source)
    push = np.einsum("st,stij,sj->i", P, process.matrices, e)
    return np.asarray(-np.linalg.solve(A.mean_matrix + alpha * np.eye(d), push))


def check_markov(context: Context) -> Evidence:
    """Compute the expected average along Markov chains, for a sequence of halved steps."""
    rng = context.rng()
    alphas = (0.1, 1.0)
    ratios, first, recursion, smallest = [], 0.0, 0.0, np.inf
    for _ in range(context.pick(10, 3)):
        process = random_process(rng, 5, 2)
        system = LinearApproximation(*process.drawn())
        for alpha in alphas:
            biases = np.array([markov_average(process, alpha, step) - system.limit(alpha) for step in STEPS])
            sizes = np.linalg.norm(biases, axis=1)
            ratios += (sizes[3:-1] / sizes[4:]).tolist()
            first = max(
                first, difference(2 * biases[-1] / STEPS[-1] - biases[-2] / STEPS[-2], bias_per_step(process, alpha))
            )
            smallest = min(smallest, float(sizes[0] / np.linalg.norm(system.limit(alpha))))
        followed = followed_average(process, 1.0, 0.2, 160)
        recursion = max(recursion, difference(markov_average(process, 1.0, 0.2), followed))
    process = random_process(context.rng(), 5, 2)
    system = LinearApproximation(*process.drawn())
    figure, (ax,) = new_figure()
    for alpha, style in zip((0.01, 0.1, 1.0), ("o-", "s-", "^-"), strict=True):
        off = [difference(markov_average(process, alpha, step), system.limit(alpha)) for step in STEPS]
        ax.loglog(STEPS, off, style, ms=4, label=f"λ = {alpha:g}")
    ax.loglog(STEPS, off[-1] * STEPS / STEPS[-1] / 2, "--", color="0.5", label="proportional to η")
    ax.set(xlabel="step η", ylabel="|bias| / |solution|", title="TD(0) along a chain of five states")
    ax.legend(frameon=False)
    return Evidence(
        (
            support("E[average] by the linear system against 160 steps of the recursion", recursion, 1e-9),
            support("bias at η = 0.2, relative to the solution, least", smallest, 1e-4, at_least=True),
            support("bias at η over bias at η/2, η ≤ 1/40, least", min(ratios), 1.8, at_least=True),
            support("the same, largest", max(ratios), 2.2),
            support("bias / η as η → 0 against its formula, relative", first, 0.02),
        ),
        {
            "bias at η = 0.2, λ = 0.1, of the process in the figure": difference(
                markov_average(process, 0.1, 0.2), system.limit(0.1)
            )
        },
        figure,
        "Transitions drawn independently leave no bias at any step. Along a chain it is proportional to the step.",
    )


MARKOV = Claim(
    41,
    Kind.QUESTION,
    "Markov sampling: a bias of the order of the step",
    "Temporal-difference learning sees transitions along a chain, one after another. Is the average still the "
    "regularised solution in expectation?",
    "Up to a bias of order η, halved with η. With m_t(s) = E[w_t 1{state s}] the expected average solves a linear "
    "system exactly; to first order the bias is -η(A+λ)⁻¹Σ_s A_s e_s, where e solves a Poisson equation of the chain.",
    check_markov,
)
