"""Wide rows in memory: `RidgePathCV` beside `AveragedSGDRegressor`, and beside the best of 13 Ridge fits.

python -m benchmarks.wide

Words of wine reviews where RIDGEWAY_DATA names a folder that has them, words of the functions of Python's standard
library (the target is the logarithm of their number of lines), planted words, and 20,000 x 1,000 dense rows. Seconds
are those of the processor, on one thread: the least of two fits. The strength of Ridge is picked on the test rows; it
has the words as they are, without scaling, and the dense columns standardized. All words are tf-idf rows of length 1,
which a fit leaves as they are; the last number is what dividing columns by their largest absolute values would cost.
"""

from __future__ import annotations

import ast
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from threadpoolctl import threadpool_limits

import ridgeway as rw
from benchmarks.peers.reference import rmse
from benchmarks.peers.sets import Split, wine_reviews
from benchmarks.peers.text import GRID, planted_words
from benchmarks.planted import Array
from benchmarks.solver_map import problem

MIN_LINES = 3  # of a function that is taken
SKIPPED = {"test", "tests", "idlelib", "site-packages", "lib2to3"}


def function_texts() -> tuple[list[str], Array]:
    """Return the functions of Python's standard library, and the logarithms of their numbers of lines."""
    root = Path(sysconfig.get_path("stdlib"))
    texts, sizes = [], []
    for path in sorted(root.rglob("*.py")):
        if SKIPPED & set(path.relative_to(root).parts):
            continue
        try:
            source = path.read_text(encoding="utf-8")
            tree = ast.parse(source)
        except (SyntaxError, UnicodeDecodeError):
            continue
        lines = source.splitlines()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.end_lineno and node.end_lineno - node.lineno >= MIN_LINES - 1:
                texts.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
                sizes.append(node.end_lineno - node.lineno + 1)
    return texts, np.log(np.array(sizes, float))


def library_functions() -> Split:
    """Return tf-idf rows of the words of functions, and the logarithms of their numbers of lines."""
    texts, y = function_texts()
    X = TfidfVectorizer(min_df=2, token_pattern=r"[A-Za-z]\w+").fit_transform(texts)
    return shuffled(scipy.sparse.csr_matrix(X), y)


def shuffled(X: Any, y: Any) -> Split:
    """Return a fifth of the rows as test rows, at random."""
    order = np.random.default_rng(0).permutation(len(y))
    test, train = order[: len(y) // 5], order[len(y) // 5 :]
    return Split(X[train], y[train], X[test], y[test])


def sets() -> Iterator[tuple[str, Split]]:
    """Yield the sets by name."""
    reviews = wine_reviews(0)
    if reviews is not None:
        yield "wine reviews", reviews
    yield "library functions", library_functions()
    yield "planted words", planted_words(50_000, 50_000)
    yield "dense", shuffled(*problem(25_000, 1_000, None))


def best_ridge(split: Split) -> float:
    """Return the least test error of 13 strengths."""
    X, new = split.X, split.test_X
    if not scipy.sparse.issparse(X):
        scaler = StandardScaler().fit(X)
        X, new = scaler.transform(X), scaler.transform(new)
    solver = "sparse_cg" if scipy.sparse.issparse(X) else "cholesky"
    return min(rmse(Ridge(alpha, solver=solver).fit(X, split.y).predict(new), split.test_y) for alpha in GRID)


def fitted(make: Callable[[], Any], split: Split) -> tuple[float, float, Any]:
    """Return the least processor time of two fits, the test error and the model."""
    seconds = []
    for _ in range(2):
        start = time.process_time()
        model = make().fit(split.X, split.y)
        seconds.append(time.process_time() - start)
    return min(seconds), rmse(model.predict(split.test_X), split.test_y), model


def main() -> None:
    """Print a line for each set."""
    with threadpool_limits(1):
        for name, split in sets():
            ours, error, model = fitted(lambda: rw.RidgePathCV(random_state=0), split)
            sgd, sgd_error, _ = fitted(lambda: rw.AveragedSGDRegressor(random_state=0), split)
            least, divider = best_ridge(split), MaxAbsScaler().fit(split.X)
            divided = rw.RidgePathCV(random_state=0).fit(divider.transform(split.X), split.y)
            divided_error = rmse(divided.predict(divider.transform(split.test_X)), split.test_y)
            n, d = split.X.shape
            print(
                f"{name:18} {n:6} x {d:6}  {model.solver_:6} {ours:6.2f} s, SGD {sgd:6.2f} s: {sgd / ours:5.1f} times "
                f"as fast; error over that of SGD {error / sgd_error:.4f}, of the best Ridge {error / least:.4f}, with "
                f"columns divided {divided_error / least:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
