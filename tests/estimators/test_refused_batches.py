"""Batches that are refused, and calls that are interrupted: the estimator is as it was, bit for bit."""

from __future__ import annotations

import copy
import signal
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from scripts.fuzz.interruption import interrupted
from scripts.fuzz.sameness import differences

import ridgeway as rw

Make = Callable[[], Any]
Form = Callable[[Any], Any]


def dense(X: Any) -> Any:
    return X


STREAMS: dict[str, tuple[Make, Form, str, int]] = {  # estimator, form of X, its dtype, number of targets (0: y is 1-D)
    "sketch, float32": (rw.AveragedSGDRegressor, dense, "f4", 0),
    "sketch, float64": (rw.AveragedSGDRegressor, dense, "f8", 0),
    "several targets": (rw.AveragedSGDRegressor, dense, "f4", 3),
    "replay": (lambda: rw.AveragedSGDRegressor(store="replay"), dense, "f8", 0),
    "mini-batches": (lambda: rw.AveragedSGDRegressor(batch_size=7), dense, "f4", 0),
    "not scaled": (lambda: rw.AveragedSGDRegressor(scale=False, fit_intercept=False), dense, "f8", 0),
    "given step": (lambda: rw.AveragedSGDRegressor(step=0.01, alpha=0.1), dense, "f4", 2),
    "sparse": (rw.AveragedSGDRegressor, sp.csr_array, "f4", 0),
    "sparse mini-batches": (lambda: rw.AveragedSGDRegressor(batch_size=5), sp.csr_matrix, "f8", 2),
    "components": (lambda: rw.AveragedKernelRegressor(n_components=8, random_state=0), dense, "f8", 0),
    "exact": (lambda: rw.ExactRidgePath(alpha=0.1), dense, "f8", 0),
    "exact, sparse": (lambda: rw.ExactRidgePath(alpha=0.1), sp.csr_array, "f4", 2),
}


class Rows:
    """An endless source of batches."""

    def __init__(self, form: Form, dtype: str, n_targets: int) -> None:
        self._form, self._dtype, self._n_targets = form, dtype, n_targets
        self._rng = np.random.default_rng(0)
        self.most = float(np.finfo(dtype).max)

    def batch(self, n_rows: int, spoil: str = "") -> tuple[Any, Any, Any]:
        """Return X, y and weights; one entry of the last rows is such that the batch is refused."""
        rng = self._rng
        X = rng.standard_normal((n_rows, 4)).astype(self._dtype)
        X[:, 2] *= rng.random(n_rows) < 0.3
        y = rng.standard_normal((n_rows, self._n_targets) if self._n_targets else n_rows) + X[:, :1].sum()
        weight = rng.uniform(0.5, 2.0, n_rows)
        place = n_rows - 1 - n_rows // 50
        if spoil == "NaN":
            X[place, 1] = np.nan
        elif spoil == "large":
            X[place, 1] = 0.9 * self.most
        elif spoil == "target":
            y[place] = 1e200
        elif spoil == "weight":
            weight[place] = 1e200
        return self._form(X), y, weight


def begun(name: str, n_rows: int) -> tuple[Any, Rows]:
    """Return a stream that has learned from two batches, and more of its rows."""
    make, form, dtype, n_targets = STREAMS[name]
    rows, model = Rows(form, dtype, n_targets), make()
    for _ in range(2):
        model.partial_fit(*rows.batch(n_rows))
    return model, rows


def assert_same(model: Any, other: Any) -> None:
    assert differences(model, other) == []


# Law: a batch that is refused midway changes nothing, and the stream goes on as if it had not come.
@pytest.mark.parametrize("n_rows", [100, 2000, 5000])
@pytest.mark.parametrize("name", STREAMS)
def test_a_refused_batch_changes_nothing(name: str, n_rows: int) -> None:
    model, rows = begun(name, n_rows)
    twin = copy.deepcopy(model)
    n_refused = 0
    for spoil in ("NaN", "large", "target", "weight"):
        bad = rows.batch(n_rows, spoil)
        try:
            copy.deepcopy(model).partial_fit(*bad)
        except ValueError:
            n_refused += 1
        else:
            continue  # this stream can take it
        with pytest.raises(ValueError, match=r"scale|drop"):
            model.partial_fit(*bad)
        assert_same(model, twin)
        good = rows.batch(n_rows)
        assert_same(model.partial_fit(*good), twin.partial_fit(*good))
    assert n_refused >= 2
    np.testing.assert_array_equal(model.coef_, twin.coef_)


# Law: Ctrl-C at any line of partial_fit changes nothing, and the stream goes on as if the call had not been made.
@pytest.mark.parametrize("name", STREAMS)
def test_an_interrupt_at_any_line_changes_nothing(name: str) -> None:
    model, rows = begun(name, 300)
    more = rows.batch(300)
    last = 1
    while interrupted(lambda: copy.deepcopy(model).partial_fit(*more), last):
        last *= 2
    lines = np.unique(np.random.default_rng(1).integers(1, last, 60))
    twin, stopped = copy.deepcopy(model), 0
    for line in lines.tolist():
        if not interrupted(lambda: model.partial_fit(*more), line):
            twin.partial_fit(*more)
        else:
            stopped += 1
        assert_same(model, twin)
    assert stopped > 10
    assert_same(model.partial_fit(*more), twin.partial_fit(*more))


# Law: the same for the signal itself, at any moment.
@pytest.mark.signals
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # one in a finalizer is lost
@pytest.mark.parametrize("name", ["sketch, float32", "sparse", "replay", "exact"])
def test_a_signal_at_any_moment_changes_nothing(name: str) -> None:
    model, rows = begun(name, 2000)
    rng = np.random.default_rng(2)
    twin = copy.deepcopy(model)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(60):
            more, returned, delay = rows.batch(2000), False, 10.0 ** rng.uniform(-5, -2)
            X, y, weight = more
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                model.partial_fit(X, y, weight)  # with *more, Python 3.11 looks for signals after the return
                returned = True
                time.sleep(0.05)  # the signal comes here, unless it was lost in a finalizer
            except KeyboardInterrupt:
                pass
            if returned:
                twin.partial_fit(*more)
            assert_same(model, twin)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Law: a fit that is refused or interrupted leaves the model at its former fit.
@pytest.mark.parametrize(
    "model",
    [
        rw.AveragedSGDRegressor(passes=2, random_state=0, alpha=0.1),
        rw.AveragedSGDRegressor(passes=1, random_state=0, cv=2),
        rw.AveragedKernelRegressor(n_components=8, passes=1, random_state=0),
        rw.AveragedKernelRegressor(passes=1, random_state=0, alpha=0.1),
        rw.ExactRidgePath(),
    ],
    ids=str,
)
def test_a_fit_that_fails_leaves_the_former_one(model: Any) -> None:
    rows = Rows(dense, "f8", 0)
    model = copy.deepcopy(model).fit(*rows.batch(60))
    twin = copy.deepcopy(model)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(*rows.batch(60, "NaN"))
    assert_same(model, twin)
    other = rows.batch(80)
    line = 1
    while interrupted(lambda: model.fit(*other), line):
        assert_same(model, twin)
        line += 1 + line // 4
    assert line > 50
    assert model.n_features_in_ == 4
    assert differences(model, twin)


# Law: reading a stream is all or nothing, too: an interrupt leaves it to be read again.
def test_an_interrupted_reading_is_made_again() -> None:
    model, _ = begun("sketch, float64", 2000)
    expected = copy.deepcopy(model).coef_
    for line in (1, 10, 50, 100, 200):
        twin = copy.deepcopy(model)
        assert interrupted(partial(getattr, twin, "coef_"), line)
        np.testing.assert_array_equal(twin.coef_, expected)


# Law: an encoder that refuses a table, or is interrupted, has learned from none of its columns.
def test_an_encoder_learns_from_all_columns_or_none() -> None:
    table = pa.table({"shop": ["a", "b", "a"] * 5, "size": [1.0, 2.0, None] * 5})
    encoder = rw.TableEncoder(min_count=1).partial_fit(table)
    twin = copy.deepcopy(encoder)
    bad = pa.table({"shop": ["c", "c", "d"], "size": [1.0, np.inf, 3.0]})
    with pytest.raises(ValueError, match="size"):
        encoder.partial_fit(bad)
    assert_same(encoder, twin)
    more = pa.table({"shop": ["e", None, "a"], "size": [5.0, 6.0, 7.0]})
    line = 1
    while interrupted(lambda: encoder.partial_fit(more), line):
        assert_same(encoder, twin)
        line += 3
    assert_same(encoder, twin.partial_fit(more))
    with pytest.raises(ValueError, match="size"):
        encoder.fit(bad)
    assert_same(encoder, twin)
