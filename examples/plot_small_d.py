"""
When exact ridge is the better tool
===================================

With few dense columns the Gram matrix is small, and exact ridge costs one pass and one eigendecomposition. Where does SGD
begin to win? Times of a whole path of 100 strengths, as multiples of one read of the rows.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import ridgeway as rw

ALPHAS = np.logspace(-4, 2, 100)


def seconds(task):
    """Return the best of five."""
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        task()
        best = min(best, time.perf_counter() - start)
    return best


def exact(X, y):
    """Gram matrix, eigendecomposition, path."""
    values, vectors = np.linalg.eigh(X.T @ X / len(X))
    right = vectors.T @ (X.T @ y / len(X))
    return [vectors @ (right / (values + alpha)) for alpha in ALPHAS]


rng = np.random.default_rng(0)
widths = [10, 30, 100, 300, 1000]
ours, theirs = [], []
for d in widths:
    X = rng.standard_normal((8_000_000 // d, d), dtype=np.float32)
    y = X @ rng.standard_normal(d, dtype=np.float32)
    rw.run_sgd(X[:2000], y[:2000], store="sketch")  # compiles
    read = seconds(X.sum)
    ours.append(seconds(lambda X=X, y=y: rw.run_sgd(X, y, store="sketch").path(ALPHAS)) / read)
    theirs.append(seconds(lambda X=X, y=y: exact(X, y)) / read)

# %%
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.loglog(widths, ours, "o-", label="one pass of SGD, whole path")
axes.loglog(widths, theirs, "s-", label="Gram matrix and eigh, whole path")
axes.set(xlabel="columns", ylabel="reads of the rows")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
