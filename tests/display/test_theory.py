"""Pictures of what theory says: labelled, with a legend, and with the numbers of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ridgeway.averaging import Exponential, Geometric, Uniform
from ridgeway.theory import compare, diagnose, winner_map

S = 1 / np.arange(1, 7.0)


# Law: the star stands at the average of least risk, on the axis of its kind; levels are drawn for the others.
@pytest.mark.parametrize(("snr", "kind"), [(0.02, "geometric"), (30.0, "tail")])
def test_comparison(snr: float, kind: str) -> None:
    comparison = compare(S, 300, snr=snr)
    drawn = comparison.plot()
    best = comparison.winner
    assert best.kind == kind
    scheme: Any = best.scheme
    place = scheme.alpha if kind == "geometric" else scheme.first(300) / 300
    assert drawn.winner_.get_xydata()[0] == pytest.approx([place, best.risk.total])
    assert drawn.winner_.axes is (drawn.ax_ if kind == "geometric" else drawn.tail_ax_)
    assert drawn.ax_.get_xlabel()
    assert drawn.ax_.get_ylabel() == "excess risk"
    assert drawn.tail_ax_.get_xlabel()
    names = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert any(name.startswith("least: ") for name in names)
    assert {"geometric averages", "tails (upper axis)"} <= set(names)
    low, high = drawn.ax_.get_ylim()
    assert low < best.risk.total < high
    assert kind.capitalize() in repr(drawn)


# Law: kinds without a place on either axis are levels, and the star stands on its level.
def test_comparison_of_levels() -> None:
    drawn = compare(S, 50, snr=1.0, schemes=[Uniform(), Exponential(0.5)]).plot()
    assert drawn.tail_ax_ is None
    assert len(drawn.ax_.get_legend().get_texts()) == 3


# Law: one panel a spectrum, one letter a cell, and letters are the winners.
def test_map() -> None:
    winners = winner_map({"harmonic": S, "flat": np.ones(3)}, n_steps=[30, 300], snrs=[0.02, 1.0, 50.0])
    drawn = winners.plot()
    assert [ax.get_title() for ax in drawn.axs_] == ["harmonic", "flat"]
    for k, ax in enumerate(drawn.axs_):
        letters = [text.get_text() for text in ax.texts]
        assert letters == [str(kind)[0].upper() for kind in winners.winner[k].ravel()]
        assert ax.get_xlabel() == "signal-to-noise ratio"
    assert drawn.axs_[0].get_ylabel() == "number of steps"
    with pytest.raises(ValueError, match="1 axes for 2 spectra"):
        winners.plot(drawn.axs_[:1])


# Law: lines are predicted, dots measured; the rings stand at their least errors.
def test_diagnosis() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    seen = diagnose(X, X[:, 0] + rng.standard_normal(600))
    drawn = seen.plot()
    lines = drawn.ax_.get_lines()
    geometric = [row for row in seen.of_kind(Geometric) if row.scheme.alpha > 0]  # type: ignore[attr-defined]
    np.testing.assert_allclose(lines[0].get_ydata(), [row.measured for row in geometric])
    np.testing.assert_allclose(lines[1].get_ydata(), [row.predicted for row in geometric])
    assert lines[2].get_ydata()[0] == min(row.predicted for row in geometric)
    assert drawn.ax_.get_ylabel() == "prediction error"
    assert len(drawn.ax_.get_legend().get_texts()) == 5
    assert "assumptions" in drawn.ax_.get_title(loc="left")


# Law: measured errors have a band of their standard errors where it is narrower than the panel; else that is said.
@pytest.mark.parametrize(("noise", "banded"), [(0.1, True), (3.0, False)])
def test_bands_of_a_diagnosis(noise: float, banded: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 5))
    seen = diagnose(X, 3 * X[:, 0] + noise * rng.standard_normal(2000))
    drawn = seen.plot()
    names = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert ("± one standard error" in names) == banded
    assert any("wider than the panel" in name for name in names) != banded
    bands: list[Any] = [one for one in drawn.ax_.collections if len(one.get_paths())]
    assert len(bands) == banded
    if banded:
        geometric = [row for row in seen.of_kind(Geometric) if row.scheme.alpha > 0]  # type: ignore[attr-defined]
        top = max(row.measured + row.standard_error for row in geometric)
        assert bands[0].get_paths()[0].vertices[:, 1].max() == pytest.approx(top)
    assert "assumptions fail" in repr(drawn) or seen.reliable
