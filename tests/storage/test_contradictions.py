"""States whose entries are of the right kind but contradict each other: refused, by what does not fit together."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from tests.oracles import problem
from tests.storage.sample import FOLDER, MODEL
from tests.storage.test_damage import dense_fit, sparse_rows, sparse_stream, table_fit

import ridgeway as rw
from ridgeway.loading import estimator_of
from ridgeway.storage.state import State, Stored

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def kernel_fit() -> Any:
    return rw.AveragedKernelRegressor(alpha=0.1, passes=1, random_state=0).fit(*problem(40, 3))


def preconditioned_fit() -> Any:
    """Return a model of version 0.1 whose run had a preconditioner."""
    return rw.load(FOLDER / "v0.1" / f"kernel-flattening{MODEL}")


def precomputed_fit() -> Any:
    X, y = problem(40, 3)
    return rw.AveragedKernelRegressor(kernel="precomputed", alpha=0.1, passes=1, random_state=0).fit(X @ X.T, y)


def components_fit(n_components: int = 10) -> Any:
    rows = sparse_rows()
    options: dict[str, Any] = {"features": "nystroem", "alpha": 0.1, "passes": 1, "random_state": 0}
    return rw.AveragedKernelRegressor(n_components=n_components, **options).fit(rows, rows @ np.ones(30))


def chains_fit() -> Any:
    return rw.AveragedSGDRegressor(alpha=0.1, passes=1, chains=2, random_state=0).fit(*problem(100, 4))


def two_targets() -> Any:
    return rw.AveragedSGDRegressor().partial_fit(*problem(100, 4, targets=2))


def long_stream() -> Any:
    """A stream that has compared averages."""
    X, y = problem(600, 3)
    return rw.AveragedSGDRegressor(random_state=0).partial_fit(X, y)


@cache
def fitted(make: Callable[[], Any]) -> Any:
    return make()


def at(state: State, path: str) -> tuple[Any, Any]:
    """Return what holds the entry of this path, and its key there."""
    *parts, last = path.split("/")
    holder: Any = state
    for part in parts:
        holder = holder[int(part) if isinstance(holder, list) else part]
    return holder, int(last) if isinstance(holder, list) else last


def changed(value: np.ndarray, place: Any, to: float) -> np.ndarray:
    other = value.copy()
    other[place] = to
    return other


def first(to: float) -> Callable[[Any], Any]:
    return lambda array: changed(array, (0,) * array.ndim, to)


def longer(array: Any) -> Any:
    return np.concatenate([array, array[:1]])


def entry(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


RUN = "fit/stream/run/progress"
FLATTENED = "fit/averages/trajectory"
CASES: dict[str, tuple[Callable[[], Any], str, Callable[[Any], Any], str]] = {
    "a scale of 0": (dense_fit, "fit/stream/standardization/scale", first(0.0), "scales are 0 or negative"),
    "two chosen averages": (dense_fit, "fit/selection/table/0/chosen", entry(True), "2 candidates are chosen"),
    "an array as a parameter": (dense_fit, "parameters/alpha", entry([1.0]), "the parameter alpha is a list"),
    "an unknown object": (dense_fit, "parameters/alpha", entry({"tree": {}}), "expected scheme, layout, step, growing"),
    "a name too many": (dense_fit, "feature_names_in", entry(list("abcde")), "5 names of 4 features"),
    "names that are numbers": (dense_fit, "feature_names_in", entry([1, 2, 3, 4]), "expected a list of texts"),
    "a column too many": (dense_fit, "n_features_in", entry(5), "4 coefficients for 5 features: expected one each"),
    "a count that is no integer": (dense_fit, f"{RUN}/n_steps", entry(1.5), "n_steps is 1.5: expected a whole number"),
    "a number for an array": (dense_fit, f"{RUN}/w", entry(1.0), "w is 1.0: expected an array"),
    "a block that is missing": (dense_fit, f"{RUN}/finished", entry([]), "expected a list of .* arrays"),
    "a centre of other columns": (sparse_stream, f"{RUN}/centre", entry(np.zeros(5)), "centre has 5 numbers"),
    "two targets, one scale": (
        dense_fit, "fit/stream/standardization/target_scale", longer, "target_offset has the shape"
    ),
    "rows of another form": (dense_fit, "fit/stream/sparse", entry(True), "rows or targets of another form"),
    "a run of other rows": (dense_fit, "fit/stream/standardization/constant", entry(0.0), "no rows of 4 columns"),
    "a listed column that is not there": (
        sparse_stream, f"{RUN}/listed", first(99), "'listed' holds column 99: expected 0 to 30"
    ),
    "a mark that no list explains": (
        sparse_stream, f"{RUN}/marked", lambda marked: ~marked, "'marked' and 'listed' have different columns"
    ),
    "no average predicted the sample": (
        long_stream, "fit/stream/progressive/sample/period", first(99), "refers to averages that are not stored"
    ),
    "rows gathered in no stretch": (
        long_stream, "fit/stream/progressive/stretches", entry([]), "belong to no stretch of the stream"
    ),
    "a kernel's scale of 0": (
        kernel_fit, "fit/averages/features/scaling/scale", first(0.0), "scales of columns: expected numbers above 0"
    ),
    "a target's scale below 0": (kernel_fit, "fit/averages/target_scale", first(-1.0), "coefficients of shape"),
    "a centre that is no row": (preconditioned_fit, f"{FLATTENED}/centres", first(99), "centres beyond 0..29"),
    "a centre twice": (preconditioned_fit, f"{FLATTENED}/centres", lambda all: changed(all, 0, all[1]), "occurs twice"),
    "a factor above 1": (preconditioned_fit, f"{FLATTENED}/factors", first(1.5), "factors from above 0 to 1"),
    "rows for a precomputed kernel": (kernel_fit, "parameters/kernel", entry("precomputed"), "another kernel than"),
    "a column of the kernel that is not there": (
        precomputed_fit, "fit/averages/features/used", first(99), "kernel are out of range: expected 0 to 39"
    ),
    "rows that overlap": (components_fit, "fit/features/centres/indptr", first(1), "indptr is not increasing"),
    "an entry in no column": (components_fit, "fit/features/centres/indices", first(99), "expected 0 to 29"),
    "a coefficient too many": (
        components_fit, "fit/features/whitening", lambda array: np.eye(len(array) + 1), "whitening has the shape"
    ),
    "coefficients of other components": (
        components_fit, "fit/linear", lambda _: components_fit(9).state()["fit"]["linear"], "9 coefficients of 10"
    ),
    "one target of two": (two_targets, "fit/stream/single_target", entry(True), "a single target has 2 scales"),
    "chains of another form": (chains_fit, "fit/averages/single_target", entry(False), r"expected \(1, 5\)"),
    "columns twice": (table_fit, "encoder/columns/1/column", entry("size"), "columns of different names"),
    "an encoder of another model": (table_fit, "encoder/columns", lambda all: all[:-1], "the encoder makes"),
}  # fmt: skip


# Law: what was saved comes back; with one entry that contradicts the others it is refused by that entry.
@pytest.mark.parametrize("name", CASES)
def test_contradictions(name: str) -> None:
    make, path, edit, message = CASES[name]
    state = fitted(make).state()
    estimator_of(Stored(state))
    state = fitted(make).state()
    holder, key = at(state, path)
    holder[key] = edit(holder[key])
    with pytest.raises(ValueError, match=message):
        estimator_of(Stored(state))


# Law: a scaling of None, which leaves rows as they are, comes back as such.
def test_rows_as_they_are() -> None:
    X, y = problem(40, 3)
    model = rw.AveragedKernelRegressor(alpha=0.1, passes=1, scale=False, random_state=0).fit(X, y)
    restored = estimator_of(Stored(model.state()))
    np.testing.assert_array_equal(restored.predict(X), model.predict(X))
    sparse: Any = scipy.sparse.csr_array(X * (X > 0))
    model = rw.AveragedKernelRegressor(alpha=0.1, passes=1, random_state=0).fit(sparse, y)
    np.testing.assert_array_equal(estimator_of(Stored(model.state())).predict(sparse), model.predict(sparse))
