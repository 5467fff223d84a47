"""Check the strengths in docs/coming_from.md with the packages themselves: `python -m benchmarks.peers.scales`.

Each package gets the strength that the table gives for an alpha. Its coefficients on standardized columns must then be
those of ridge with that alpha, nearer than those of twice and half the alpha. R's glmnet is run where Rscript has it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge, SGDRegressor

from benchmarks.planted import Array

ALPHAS = (0.1, 1.0)
PASSES = 100
STEP = 1e-3
R_CODE = """
suppressMessages(library(glmnet))
rows <- as.matrix(read.csv("rows.csv", header = FALSE))
x <- rows[, -ncol(rows)]
fit <- glmnet(x, rows[, ncol(rows)], alpha = 0, lambda = LAMBDA, standardize = FALSE, thresh = 1e-14, maxit = 1e6)
write(as.vector(coef(fit))[-1], "coef.txt", ncolumns = 1)
"""
Fit = Callable[[Array, Array, float], Array]  # X, y, alpha of ridgeway -> coefficients


def ridge(X: Array, y: Array, alpha: float) -> Array:
    """Return the coefficients of mean squared error + alpha |w|^2."""
    n, d = X.shape
    return np.asarray(np.linalg.solve(X.T @ X / n + alpha * np.eye(d), X.T @ y / n))


def sklearn_ridge(X: Array, y: Array, alpha: float) -> Array:
    """Use n alpha."""
    return np.asarray(Ridge(alpha * len(y), fit_intercept=False).fit(X, y).coef_)


def sklearn_sgd(X: Array, y: Array, alpha: float) -> Array:
    """Use alpha."""
    model = SGDRegressor(
        alpha=alpha, learning_rate="constant", eta0=STEP, average=len(y) * PASSES // 2, max_iter=PASSES, tol=None,
        fit_intercept=False, random_state=0,
    )  # fmt: skip
    return np.asarray(model.fit(X, y).coef_)


def glmnet_python(X: Array, y: Array, alpha: float) -> Array:
    """Use alpha sd(y)."""
    settings = {"alpha": 0, "n_splits": 0, "standardize": False, "fit_intercept": False, "tol": 1e-14}
    strengths = np.array([2.0, 1.0]) * alpha * y.std()
    model = import_module("glmnet").ElasticNet(lambda_path=strengths, max_iter=10**6, **settings).fit(X, y)
    return np.asarray(model.coef_path_[:, 1])


def glmnet_r(X: Array, y: Array, alpha: float) -> Array:
    """Use alpha sd(y)."""
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder) / "rows.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
        code = R_CODE.replace("LAMBDA", repr(float(alpha * y.std())))
        subprocess.run(["Rscript", "-e", code], cwd=folder, check=True)
        return np.loadtxt(Path(folder) / "coef.txt")


def vowpal_wabbit(X: Array, y: Array, alpha: float) -> Array:
    """Use --l2 of 2 alpha; the mean of the second half of the passes takes the noise of the steps out."""
    workspace = import_module("vowpalwabbit").Workspace(
        f"--quiet --noconstant --sgd --power_t 0 -l {STEP} --l2 {2 * alpha} --min_prediction -99 --max_prediction 99"
    )
    lines = [
        f"{target} | " + " ".join(f"f{k}:{x}" for k, x in enumerate(row)) for row, target in zip(X, y, strict=True)
    ]
    examples = [workspace.example(line) for line in lines]

    def learn(i: int) -> None:
        workspace.learn(examples[i])

    # Its weights are stored without their common factor, so they are read from predictions.
    return _averaged(len(y), learn, lambda: [workspace.predict(f"| f{k}:1") for k in range(X.shape[1])])


def river(X: Array, y: Array, alpha: float) -> Array:
    """Use l2 of 2 alpha."""
    optimizer = import_module("river.optim").SGD(STEP)
    model = import_module("river.linear_model").LinearRegression(optimizer=optimizer, l2=2 * alpha, intercept_lr=0.0)
    rows = [dict(enumerate(row)) for row in X.tolist()]

    def learn(i: int) -> None:
        model.learn_one(rows[i], y[i])

    return _averaged(len(y), learn, lambda: [model.weights[k] for k in range(X.shape[1])])


def _averaged(n: int, learn: Callable[[int], None], coefs: Callable[[], list[float]]) -> Array:
    """Learn from all rows in random order, pass by pass, and return the mean over the second half of the passes."""
    rng, seen = np.random.default_rng(0), []
    for _ in range(PASSES):
        for i in rng.permutation(n).tolist():
            learn(i)
        seen.append(coefs())
    return np.asarray(np.mean(seen[PASSES // 2 :], axis=0))


PACKAGES: dict[str, Fit] = {
    "scikit-learn Ridge": sklearn_ridge,
    "scikit-learn SGDRegressor": sklearn_sgd,
    "glmnet (Python)": glmnet_python,
    "glmnet (R)": glmnet_r,
    "Vowpal Wabbit --sgd": vowpal_wabbit,
    "River": river,
}


def distance(coef: Array, exact: Array) -> float:
    """Return how far coefficients are from those of ridge, in % of their norm."""
    return float(100 * np.linalg.norm(coef - exact) / np.linalg.norm(exact))


def main() -> int:
    """Print the distances; return 1 if a package is nearer to ridge with another alpha."""
    X, y = load_diabetes(return_X_y=True)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std() * 3.0
    wrong = 0
    print(f"{'package':<26} {'alpha':>6} {'distance to ridge, %':>21} {'half alpha':>11} {'twice alpha':>12}")
    for name, fit in PACKAGES.items():
        for alpha in ALPHAS:
            try:
                coef = fit(X, y, alpha)
            except (ImportError, FileNotFoundError, subprocess.CalledProcessError) as error:
                print(f"{name:<26} not run: {error}")
                break
            there, half, twice = (distance(coef, ridge(X, y, factor * alpha)) for factor in (1.0, 0.5, 2.0))
            wrong += there >= min(half, twice) / 3
            print(f"{name:<26} {alpha:>6g} {there:>21.3g} {half:>11.3g} {twice:>12.3g}", flush=True)
    print("All scales are as stated." if not wrong else f"{wrong} are not as stated.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
