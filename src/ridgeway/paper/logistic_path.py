"""Item 42: geometric averages of logistic regression are a regularization path, but not the L2 path."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from ridgeway.paper.brute import difference
from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, support
from ridgeway.paper.population import Array
from ridgeway.paper.svg_figures import COLORS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Gradient = Callable[[Array, Array, Array], Array]

ALPHAS = np.geomspace(0.02, 2.0, 9)


def labelled_rows(rng: np.random.Generator) -> tuple[Array, Array]:
    """Return 60 rows in two dimensions with labels of -1 and 1 that are not linearly separable."""
    X = rng.standard_normal((60, 2)) * [1.0, 2.0] + [0.5, 0.0]
    y = np.where(rng.random(60) < expit(X @ [2.0, 1.0]), 1.0, -1.0)
    y[:2], X[1] = (1.0, -1.0), X[0]  # the same row with both labels
    return X, y


def loss(X: Array, y: Array, w: Array) -> float:
    """Return the mean logistic loss."""
    return float(np.logaddexp(0, -y * (X @ w)).mean())


def gradient(X: Array, y: Array, w: Array) -> Array:
    """Return the gradient of the mean logistic loss."""
    return np.asarray(-X.T @ (y * expit(-y * (X @ w))) / len(y))


def squared_gradient(X: Array, y: Array, w: Array) -> Array:
    """Return the gradient of half the mean squared error, for comparison."""
    return np.asarray(X.T @ (X @ w - y) / len(y))


def l2_solution(X: Array, y: Array, alpha: float) -> Array:
    """Return the minimiser of loss + alpha |w|^2 / 2, by Newton's method."""
    w: Array = np.zeros(X.shape[1])
    for _ in range(50):
        chance = expit(X @ w)
        hessian = (X.T * (chance * (1 - chance))) @ X / len(y) + alpha * np.eye(len(w))
        change = np.asarray(np.linalg.solve(hessian, gradient(X, y, w) + alpha * w), np.float64)
        w = w - change
        if np.abs(change).max() < 1e-12:
            break
    return w


def smoothness(X: Array) -> float:
    """Return the largest curvature of the logistic loss, at most s_max / 4."""
    return float(np.linalg.eigvalsh(X.T @ X / len(X))[-1] / 4)


def descent(gradient_of: Gradient, X: Array, y: Array, step: float) -> Array:
    """Return the iterates of gradient descent from 0, enough for the weakest alpha, (n + 1, d)."""
    iterates = [np.zeros(X.shape[1])]
    for _ in range(int(36 / np.log1p(step * ALPHAS[0]))):
        iterates.append(iterates[-1] - step * gradient_of(X, y, iterates[-1]))
    return np.array(iterates)


def geometric_path(iterates: Array, step: float) -> Array:
    """Return the geometric averages at ALPHAS, (L, d)."""
    rho = 1 / (1 + step * ALPHAS)
    return np.asarray(((1 - rho)[:, None] * rho[:, None] ** np.arange(len(iterates))) @ iterates)


def flow_path(X: Array, y: Array) -> Array:
    """Return the geometric averages of gradient flow, extrapolated from two small steps."""
    step = 0.25 / smoothness(X)
    coarse = geometric_path(descent(gradient, X, y, 2 * step), 2 * step)
    return 2 * geometric_path(descent(gradient, X, y, step), step) - coarse


def probability_difference(X: Array, one: Array, other: Array) -> Array:
    """Return the largest difference of predicted probabilities over the rows, for each pair of coefficients."""
    return np.asarray(np.abs(expit(one @ X.T) - expit(other @ X.T)).max(axis=-1))


def stochastic_average(rng: np.random.Generator, X: Array, y: Array, alpha: float, runs: int) -> tuple[Array, Array]:
    """Return mean and standard error, over runs, of the geometric average of SGD with one row per step."""
    step = 0.05 / smoothness(X)
    rho, weight = 1 / (1 + step * alpha), step * alpha / (1 + step * alpha)
    w, total = np.zeros((runs, 2)), np.zeros((runs, 2))
    while weight > 1e-9:
        total, weight = total + weight * w, weight * rho
        rows = rng.integers(len(y), size=runs)
        margin = y[rows] * (X[rows] * w).sum(axis=1)
        w = w + step * (y[rows] * expit(-margin))[:, None] * X[rows]
    return total.mean(axis=0), total.std(axis=0) / runs**0.5


def check_logistic(context: Context) -> Evidence:
    """Compare geometric averages with the L2 path, by gradient descent, gradient flow and SGD."""
    rng = context.rng()
    nearest, same, balance, objective, squared, rise = [], [], 0.0, 0.0, 0.0, np.inf
    for _ in range(context.pick(3, 1)):
        X, y = labelled_rows(rng)
        step, l2 = 0.5 / smoothness(X), np.array([l2_solution(X, y, alpha) for alpha in ALPHAS])
        iterates = descent(gradient, X, y, step)
        path, flow = geometric_path(iterates, step), flow_path(X, y)
        slopes = geometric_path(-(y * expit(-y * (iterates @ X.T))) @ X / len(y), step)
        balance = max(balance, difference(-slopes, ALPHAS[:, None] * path))
        later = geometric_path(iterates[1:], step)  # weights on w_1, w_2, ...
        for alpha, average, solution in zip(ALPHAS, later, l2, strict=True):
            objective = max(objective, loss(X, y, average) / (loss(X, y, solution) + alpha * solution @ solution / 2))
        rise = min(rise, float(np.diff([loss(X, y, w) for w in flow]).min()))
        same.append(probability_difference(X, flow, l2))
        every = np.array([l2_solution(X, y, alpha) for alpha in np.geomspace(1e-3, 10, 300)])
        nearest.append([float(probability_difference(X, every, average).min()) for average in flow])
        S = X.T @ X / len(y)
        ridge = np.array([np.linalg.solve(S + alpha * np.eye(2), X.T @ y / len(y)) for alpha in ALPHAS])
        squared = max(squared, difference(geometric_path(descent(squared_gradient, X, y, step / 4), step / 4), ridge))
    mean, error = stochastic_average(rng, X, y, float(ALPHAS[4]), context.pick(2000, 400))
    z = np.abs(mean - l2[4]) / error
    return Evidence(
        (
            support("squared loss, the same code: average against ridge, relative", squared, 1e-9),
            support("λ times the average against minus the averaged gradients, relative", balance, 1e-9),
            support("loss of the average over the least L2 objective, worst", objective, ONE_UP_TO_ROUNDING),
            support(
                "rise of the loss from one λ of the path to the next stronger one, least", rise, 0.0, at_least=True
            ),
            support(
                "gradient flow, no noise: difference to L2 at λ, in probability",
                np.min(np.max(same, axis=1)),
                0.005,
                at_least=True,
            ),
            support(
                "the same to the nearest point of the whole L2 path",
                np.min(np.max(nearest, axis=1)),
                0.002,
                at_least=True,
            ),
            support("SGD, mean of runs: distance to L2 in standard errors", float(z.max()), 5.0, at_least=True),
        ),
        {
            "gradient flow: difference to L2 at λ in probability, largest": float(np.max(same)),
            "gradient flow: difference to the nearest point of the L2 path, largest": float(np.max(nearest)),
            "SGD, mean of runs: difference to L2 in the middle of the path, in probability": float(
                probability_difference(X, mean, l2[4])
            ),
        },
        path_figure(X, y, l2, flow, same[-1], np.array(nearest[-1])),
        "Left: coefficients along both paths, dots at the same λ. Right: how far apart the probabilities are.",
    )


def path_figure(X: Array, y: Array, l2: Array, flow: Array, same: Array, nearest: Array) -> Figure:
    """Draw both paths in the plane of the coefficients, and the difference of their probabilities."""
    figure, (left, right) = new_figure(2, size=(9.2, 4.0))
    fine = np.array([l2_solution(X, y, alpha) for alpha in np.geomspace(1e-4, 30, 100)])
    left.plot(*fine.T, color=COLORS[0], label="L2 path")
    left.plot(*l2.T, "o", ms=4, color=COLORS[0])
    left.plot(*flow.T, "s-", ms=4, color=COLORS[1], label="geometric path, gradient flow")
    left.plot(*fine[0], "*", ms=11, color="0.2", label="no regularization")
    left.set(xlabel="first coefficient", ylabel="second coefficient", title="Logistic regression, 60 rows")
    left.legend(frameon=False)
    right.semilogx(ALPHAS, same, "s-", ms=4, color=COLORS[1], label="at the same λ")
    right.semilogx(ALPHAS, nearest, "^--", ms=4, color=COLORS[2], label="at the nearest λ of the L2 path")
    right.set(xlabel="λ", ylabel="largest difference in probability", title="Geometric against L2")
    right.set_ylim(bottom=0)
    right.legend(frameon=False)
    return figure


LOGISTIC = Claim(
    42,
    Kind.QUESTION,
    "The logistic loss: a regularization path, but not the L2 path",
    "Does geometric averaging regularise other losses? Wu, Braverman and Yang, Obtaining adjustable regularization for "
    "free via iterate averaging (ICML 2020, arXiv 2008.06736), extend it to strongly convex and smooth losses.",
    "It regularises, but differently from L2. For any loss λ(average-w_0) = -average of the gradients; where gradients "
    "are linear that is the gradient at the average, hence ridge, and otherwise it is not. For a convex loss and steps "
    "up to 1/smoothness the loss of the average of w_1, w_2, … is at most the least value of loss + λ|w-w_0|²/2. Even "
    "without noise and with vanishing steps the path leaves the L2 path, also with λ chosen anew at each point.",
    check_logistic,
)
