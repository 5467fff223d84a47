"""The picture of a path draws the numbers of the path."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from tests.display.problem import COLUMNS, problem

import ridgeway as rw
from ridgeway.display import PathDisplay
from ridgeway.display.margin import spread

ALPHAS = [1.0, 1e-3, 0.1]
INCREASING = [1, 2, 0]  # their places by size


def fitted(kind: str, targets: int | None = None) -> Any:
    X, y = problem(targets)
    if kind == "exact":
        return rw.ExactRidgePath(alpha=0.2).fit(X, y)
    return rw.AveragedSGDRegressor(averaging="geometric", alpha=0.2, passes=2, random_state=0).fit(X, y)


def drawn(display: PathDisplay) -> Any:
    """Return (alphas, coefs of shape (L, d)) as they stand in the picture."""
    alphas = display.lines_[0].get_xdata()
    return alphas, np.column_stack([line.get_ydata() for line in display.lines_])


def texts(display: PathDisplay) -> dict[str, Any]:
    return {text.get_text(): text for text in display.ax_.texts}


# Law: the lines are the numbers of path(), by increasing alpha.
@pytest.mark.parametrize("kind", ["exact", "sgd"])
def test_lines_are_the_path(kind: str) -> None:
    model = fitted(kind)
    display = PathDisplay.from_estimator(model, ALPHAS, standardized=False)
    alphas, coefs = drawn(display)
    np.testing.assert_array_equal(alphas, sorted(ALPHAS))
    np.testing.assert_array_equal(coefs, model.path(ALPHAS).coefs[INCREASING])


# Law: standardized lines are the coefficients times the standard deviations of the columns, where those were used.
@pytest.mark.filterwarnings("ignore:averages of alpha below:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", ["exact", "sgd"])
def test_standardized_lines(kind: str) -> None:
    model, deviation = fitted(kind), problem()[0].std(axis=0, ddof=0).to_numpy()
    _, coefs = drawn(PathDisplay.from_estimator(model, ALPHAS))
    np.testing.assert_allclose(coefs, model.path(ALPHAS).coefs[INCREASING] * deviation, rtol=1e-10)
    X, y = problem()
    unscaled = model.set_params(scale=False).fit(X, y)
    _, coefs = drawn(PathDisplay.from_estimator(unscaled, ALPHAS))
    np.testing.assert_array_equal(coefs, unscaled.path(ALPHAS).coefs[INCREASING])


# Law: without alphas, the path spans what a run of T steps of size eta can do: 1 / (eta T) to 10 / eta.
def test_default_alphas() -> None:
    model = fitted("sgd")
    alphas, _ = drawn(PathDisplay.from_estimator(model))
    assert alphas[[0, -1]] == pytest.approx([1 / model.trajectory_.elapsed, 10 / model.step_])
    alphas, _ = drawn(PathDisplay.from_estimator(fitted("exact")))
    assert alphas[[0, -1]] == pytest.approx([1e-6, 1e3])
    assert len(alphas) == 100


# Law: dots are the numbers of exact ridge, in the colours and units of their lines; only lines in colour have any.
@pytest.mark.parametrize("standardized", [True, False])
def test_exact_ridge_beside(standardized: bool) -> None:
    model, exact = fitted("sgd"), fitted("exact")
    display = PathDisplay.from_estimator(model, ALPHAS, labels=2, standardized=standardized, exact=exact)
    own = PathDisplay.from_estimator(exact, ALPHAS, standardized=standardized)
    largest = np.argsort(-np.abs(drawn(display)[1]).max(axis=0))[:2]
    assert len(display.dots_) == 2
    for k, dots in zip(largest, display.dots_, strict=True):
        np.testing.assert_array_equal(dots.get_xdata(), own.lines_[k].get_xdata())
        np.testing.assert_allclose(dots.get_ydata(), own.lines_[k].get_ydata(), rtol=1e-10)
        assert dots.get_color() == display.lines_[k].get_color()
    legend = display.ax_.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["exact ridge"]
    assert own.dots_ == []
    assert own.ax_.get_legend() is None


# Law: with several targets the dots are those of the target; other columns, and no fit, are refused.
def test_exact_ridge_of_targets() -> None:
    model, exact = fitted("sgd", targets=2), fitted("exact", targets=2)
    display = PathDisplay.from_estimator(model, ALPHAS, target=1, labels=1, standardized=False, exact=exact)
    k = int(np.argmax(np.abs(drawn(display)[1]).max(axis=0)))
    np.testing.assert_array_equal(display.dots_[0].get_ydata(), exact.path(ALPHAS).coefs[INCREASING, 1, k])
    X, y = problem()
    narrow = rw.ExactRidgePath().fit(X.iloc[:, 1:], y)
    with pytest.raises(
        ValueError, match=r"exact has coefficients of shape .* expected .* fit both to the same columns"
    ):
        PathDisplay.from_estimator(fitted("sgd"), ALPHAS, exact=narrow)
    with pytest.raises(NotFittedError):
        PathDisplay.from_estimator(fitted("sgd"), ALPHAS, exact=rw.ExactRidgePath())


# Law: a target has its own picture.
@pytest.mark.parametrize("kind", ["exact", "sgd"])
def test_targets(kind: str) -> None:
    model = fitted(kind, targets=2)
    for target in (0, 1):
        display = PathDisplay.from_estimator(model, ALPHAS, target=target, standardized=False)
        np.testing.assert_array_equal(drawn(display)[1], model.path(ALPHAS).coefs[INCREASING, target])


# Law: the largest lines, and only these, have their names in the margin, in their colours, apart from each other.
def test_labels() -> None:
    model = fitted("exact")
    display = PathDisplay.from_estimator(model, labels=3)
    largest = np.argsort(-np.abs(drawn(display)[1]).max(axis=0))[:3]
    names = texts(display)
    assert set(names) & set(COLUMNS) == {COLUMNS[k] for k in largest}
    for k in largest:
        assert names[COLUMNS[k]].get_color() == display.lines_[k].get_color()
    assert len({line.get_color() for line in display.lines_}) == 4  # three colours and grey
    every = PathDisplay.from_estimator(model, labels=100)
    every.figure_.canvas.draw()
    boxes = sorted((texts(every)[name].get_window_extent() for name in COLUMNS), key=lambda box: float(box.y0))
    assert all(low.y1 <= high.y0 + 2 for low, high in pairwise(boxes))
    assert not set(texts(PathDisplay.from_estimator(model, labels=0))) & set(COLUMNS)


def test_columns_without_names() -> None:
    X, y = problem()
    display = PathDisplay.from_estimator(rw.ExactRidgePath().fit(X.to_numpy(), y))
    assert {"x0", "x1"} <= set(texts(display))


# Law: the strength that the model stands at is marked; without one, nothing is.
def test_alpha_is_marked() -> None:
    def dashed(display: PathDisplay) -> list[float]:
        return [float(np.asarray(line.get_xdata())[0]) for line in display.ax_.lines if line.get_linestyle() == "--"]

    model = fitted("sgd")
    assert dashed(PathDisplay.from_estimator(model)) == [0.2]
    for other in (rw.Tail(0), rw.Uniform(), 1e9):
        assert dashed(PathDisplay.from_estimator(model.at(other))) == []


# Law: given axes are drawn on and returned; without them there are new ones. Lines take matplotlib's keywords.
def test_axes_and_keywords() -> None:
    model, (_, (left, right)) = fitted("exact"), plt.subplots(1, 2)
    display = PathDisplay.from_estimator(model, ax=right, linewidth=3.0)
    assert display.ax_ is right
    assert display.figure_ is right.figure
    assert not left.lines
    assert {line.get_linewidth() for line in display.lines_} == {3.0}
    assert PathDisplay.from_estimator(model).ax_ not in (left, right)
    assert display.plot(left).ax_ is left
    high, low = left.get_xlim()
    assert high > low  # weak regularization on the right


def test_one_alpha() -> None:
    alphas, coefs = drawn(PathDisplay.from_estimator(fitted("exact"), [0.1]))
    assert (len(alphas), len(coefs)) == (1, 1)


# Law: places end up a gap apart, in their order, within the limits, and stay where there is room.
def test_spread() -> None:
    places = np.random.default_rng(0).random(8) * 0.3
    moved = spread(places, 0.1, 0.0, 1.0)
    assert np.all(np.diff(np.sort(moved)) >= 0.1 - 1e-12)
    np.testing.assert_array_equal(np.argsort(moved), np.argsort(places))
    assert moved.min() >= 0
    np.testing.assert_allclose(spread([0.9, 0.1, 0.5], 0.2, 0.0, 1.0), [0.9, 0.1, 0.5])
    np.testing.assert_allclose(np.sort(spread(np.zeros(11), 0.5, 0.0, 1.0)), np.linspace(0, 1, 11), atol=1e-12)
    assert spread([], 0.1, 0.0, 1.0).size == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": [0.0, 1.0]}, "expected strengths above 0 for a logarithmic axis; leave out 0"),
        ({"target": 1}, "target=1 is out of range: the fitted y had one target"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PathDisplay.from_estimator(fitted("exact"), **options)
    with pytest.raises(ValueError, match="target=2 is out of range: expected 0 to 1, the targets of the fit"):
        PathDisplay.from_estimator(fitted("exact", targets=2), target=2)
    with pytest.raises(NotFittedError):
        PathDisplay.from_estimator(rw.ExactRidgePath())


# Law: without matplotlib the error says how to install it.
def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    display = PathDisplay([0.1, 1.0], pd.DataFrame({"a": [1.0, 0.5]}).to_numpy(), feature_names=["a"])
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install ridgeway\[plot\]"):
        display.plot()


# Law: lines of a kernel model are those of its rows or components, over strengths about its own.
@pytest.mark.parametrize(("n_components", "name"), [(None, "row"), (20, "component")])
def test_kernel_models(n_components: int | None, name: str) -> None:
    X, y = problem()
    options: dict[str, Any] = {"alpha": 0.05, "passes": 2, "random_state": 0, "n_components": n_components}
    model = rw.AveragedKernelRegressor(**options).fit(X, y)
    display = PathDisplay.from_estimator(model)
    alphas, coefs = drawn(display)
    assert alphas[0] < 0.05 < alphas[-1]
    assert alphas[0] * alphas[-1] == pytest.approx(0.05**2)
    largest = int(np.abs(model.path(alphas).coefs).max(axis=0).argmax())
    assert any(np.allclose(model.path(alphas).coefs[:, largest], line) for line in coefs.T)
    assert f"{name} {largest}" in texts(display)
    assert name in display.ax_.get_ylabel()
