"""The picture of filters draws the numbers of the residual filter."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.display.problem import problem
from tests.storage.sample import FOLDER, MODEL

import ridgeway as rw
from ridgeway.display import FilterDisplay
from ridgeway.kernel.flattened import Flattened
from ridgeway.theory import residual_filter
from ridgeway.theory.flattened_filter import learned_share

SCHEMES = [rw.Geometric(0.1), rw.Geometric(0.0), rw.Uniform(), rw.Tail(0.5), rw.Last(), rw.Poisson(9.0)]


def fitted(averaging: rw.Scheme = SCHEMES[0]) -> Any:
    return rw.AveragedSGDRegressor(averaging=averaging, passes=2, random_state=0).fit(*problem())


# Law: each line is 1 - q(s), and beside each geometric average of positive alpha there is s / (s + alpha).
def test_lines_are_the_filters() -> None:
    eigenvalues = [10.0, 1e-3, 0.5]
    display = FilterDisplay.from_schemes(SCHEMES, step=0.1, n_steps=500, eigenvalues=eigenvalues)
    s = np.sort(eigenvalues)
    for scheme, line in zip(SCHEMES, display.lines_, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), s)
        np.testing.assert_array_equal(line.get_ydata(), 1 - residual_filter(scheme, s, 0.1, 500))
    (ridge,) = display.ridge_lines_
    np.testing.assert_array_equal(ridge.get_ydata(), s / (s + 0.1))


# Law: in a long run the geometric line lies on that of ridge.
def test_geometric_is_ridge() -> None:
    display = FilterDisplay.from_schemes([rw.Geometric(0.1)], step=0.1, n_steps=10**6)
    np.testing.assert_allclose(display.lines_[0].get_ydata(), display.ridge_lines_[0].get_ydata(), atol=1e-12)
    assert display.eigenvalues[[0, -1]] == pytest.approx([1e-7, 10.0])


# Law: a fit is drawn with the average it stands at, thick, beside the others of its run, each once.
@pytest.mark.parametrize(
    "averaging", [rw.Uniform(), rw.Last(), rw.Tail(0), rw.Geometric(0.3), rw.Geometric(0.0)], ids=repr
)
def test_of_a_fit(averaging: rw.Scheme) -> None:
    model = fitted(averaging)
    display = FilterDisplay.from_estimator(model)
    assert len(set(display.schemes)) == len(display.schemes)
    assert {model.averaging_, rw.Uniform(), rw.Tail(0.5), rw.Last()} <= set(display.schemes)
    assert any(isinstance(scheme, rw.Geometric) and scheme.alpha > 0 for scheme in display.schemes)
    thick = [s for s, line in zip(display.schemes, display.lines_, strict=True) if line.get_linewidth() > 2]
    assert thick == [model.averaging_]
    run = model.trajectory_
    expected = 1 - residual_filter(model.averaging_, display.eigenvalues, run.steps, run.length)
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), expected)


def test_schemes_of_ones_own() -> None:
    display = FilterDisplay.from_estimator(fitted(), [rw.Last()])
    assert repr(display) == "FilterDisplay(Last)"
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["Last"]  # type: ignore[union-attr]


# Law: given axes are drawn on and returned, and lines take matplotlib's keywords.
def test_axes_and_keywords() -> None:
    _, (left, right) = plt.subplots(1, 2)
    display = FilterDisplay.from_estimator(fitted(), ax=right, alpha=0.5)
    assert display.ax_ is right
    assert display.figure_ is right.figure
    assert {line.get_alpha() for line in display.lines_} == {0.5}
    assert FilterDisplay.from_schemes(SCHEMES, 0.1, 10, ax=left).ax_ is left
    assert FilterDisplay.from_schemes(SCHEMES, 0.1, 10).ax_ not in (left, right)


@pytest.mark.parametrize(
    ("schemes", "eigenvalues", "message"),
    [
        ([], None, "schemes is empty: expected at least one scheme"),
        (SCHEMES, [0.0, 1.0], "expected numbers above 0 for a logarithmic axis; leave out the others"),
        (SCHEMES, [], "expected numbers above 0"),
        (SCHEMES, [100.0], "step [*] eigenvalue is up to 10: expected at most 2"),
    ],
)
def test_refusals(schemes: list[rw.Scheme], eigenvalues: list[float] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FilterDisplay.from_schemes(schemes, 0.1, 10, eigenvalues)
    with pytest.raises(NotFittedError):
        FilterDisplay.from_estimator(rw.AveragedSGDRegressor())


# Law: a preconditioned kernel run of version 0.1 is drawn by its own filter, down to what its averages tell apart.
def test_flattened_directions() -> None:
    model = rw.load(FOLDER / "v0.1" / f"kernel-flattening{MODEL}")
    assert isinstance(model.trajectory_, Flattened)
    display = FilterDisplay.from_estimator(model)
    s = display.lines_[0].get_xdata()
    assert s[0] <= 1e-4
    assert s[-1] == pytest.approx(model.trajectory_.eigenvalues[0])
    np.testing.assert_array_equal(
        display.lines_[0].get_ydata(), learned_share(model.trajectory_, rw.Geometric(0.01), s)
    )
    np.testing.assert_allclose(display.ridge_lines_[0].get_ydata(), s / (s + 0.01))
