"""Tables of one text column: `fit_table` beside tf-idf rows and the best of 13 Ridge fits.

python -m benchmarks.text_tables

Words of wine reviews where RIDGEWAY_DATA names a folder that has them, and the functions of Python's standard library.
Test errors are divided by those of Ridge on tf-idf rows, whose strength is picked on the test rows; means of five
splits.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.feature_extraction.text import TfidfVectorizer

import ridgeway as rw
from benchmarks.peers.reference import rmse
from benchmarks.peers.sets import Split, wine_texts
from benchmarks.planted import Array
from benchmarks.wide import best_ridge, function_texts
from ridgeway.tables import Request, fit_table

N_SPLITS = 5


def corpora() -> Iterator[tuple[str, Any, Array]]:
    """Yield names, texts and targets."""
    wines = wine_texts(0)
    if wines is not None:
        yield "wine reviews", *wines
    texts, sizes = function_texts()
    yield "library functions", np.array(texts, dtype=object), sizes


def errors(texts: Any, y: Array, seed: int) -> tuple[float, float]:
    """Return the test errors of `fit_table` and of 1,024 features over that of Ridge on tf-idf rows."""
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = order[: len(y) // 5], order[len(y) // 5 :]
    table, new = pa.table({"text": texts[train], "y": y[train]}), pa.table({"text": texts[test]})
    vectorizer = TfidfVectorizer(min_df=2, token_pattern=r"[A-Za-z]\w+")
    X, test_X = vectorizer.fit_transform(texts[train]), vectorizer.transform(texts[test])
    ridge = best_ridge(Split(X, y[train], test_X, y[test]))
    ours = rmse(fit_table(table, Request(target="y", kinds={"text": "text"})).predict(new), y[test])
    encoder = rw.TableEncoder(words=1024, kinds={"text": "text"}).fit(table.select(["text"]))
    few = rw.RidgePathCV(random_state=0).fit(encoder.transform(table), y[train])
    return ours / ridge, rmse(few.predict(encoder.transform(new)), y[test]) / ridge


def main() -> None:
    """Print a line for each corpus."""
    warnings.simplefilter("ignore")  # of words that number the rows
    for name, texts, y in corpora():
        ours, few = np.mean([errors(texts, y, seed) for seed in range(N_SPLITS)], axis=0)
        print(
            f"{name:18} {len(y):6} rows: error over that of Ridge {ours:.4f}, with 1,024 features {few:.4f}", flush=True
        )


if __name__ == "__main__":
    main()
