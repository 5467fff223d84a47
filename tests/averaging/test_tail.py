"""Laws of the tail average."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from tests.averaging.reference import LENGTHS, places, relative_error

from ridgeway.averaging import Last, Staircase, Tail, Uniform


# Law: S is 1 up to the start and falls on a line to 0 at T + 1, to the last digits.
@pytest.mark.parametrize("n_steps", LENGTHS)
@pytest.mark.parametrize("start", [0, 1, 0.0, 0.25, 0.9])
def test_high_precision(start: float, n_steps: int) -> None:
    first = start if isinstance(start, int) else round(start * n_steps)
    j, length = places(n_steps), mp.mpf(n_steps + 1 - first)
    survival = [mp.mpf(1) if k <= first else (n_steps + 1 - k) / length for k in j]
    assert relative_error(Tail(start).survival(j, n_steps, 0.1), survival) < 1e-15
    weights = [1 / length if k >= first else mp.mpf(0) for k in j]
    assert relative_error(Tail(start)._weights(np.array(j, float), n_steps, Staircase.of(0.1)), weights) < 1e-15


# Law: the average is the mean of w_tau..w_T; from 0 it is uniform, from the end the last iterate.
def test_mean_of_the_tail() -> None:
    iterates = np.random.default_rng(0).normal(size=21)
    for start, first in ((0, 0), (7, 7), (20, 20), (0.5, 10), (0.33, 7)):
        assert Tail(start).first(20) == first
        assert Tail(start).weights(20, 0.1) @ iterates == pytest.approx(iterates[first:].mean(), abs=1e-14)
    np.testing.assert_array_equal(Tail(0).weights(20, 0.1), Uniform().weights(20, 0.1))
    np.testing.assert_array_equal(Tail(20).weights(20, 0.1), Last().weights(20, 0.1))


# Law: the tail snaps to the nearest edge of the run, the earlier of two, and stays if it is on one.
def test_snapped() -> None:
    edges = np.array([0, 10, 20, 40, 80, 160])
    assert Tail(0.5).snapped(edges, 100) == Tail(40)
    assert Tail(15).snapped(edges, 100) == Tail(10)
    assert Tail(99).snapped(edges, 100) == Tail(80)
    assert Tail(61).snapped(edges, 100) == Tail(80)
    for on_edge in (Tail(20), Tail(0.4)):
        assert on_edge.snapped(edges, 100) is on_edge
    assert type(Tail(0.5).snapped(edges, 100).start) is int
    with pytest.raises(ValueError, match=r"has no step in 0..100: a tail needs one to start at; add 0"):
        Tail(5).snapped([160], 100)


# Law: an index beyond the run is an error that names the run and the remedy.
def test_start_beyond_the_run() -> None:
    message = r"^start=11 is beyond the run: the iterates of 10 steps are 0..10; a float in \[0, 1\)"
    with pytest.raises(ValueError, match=message):
        Tail(11).weights(10, 0.1)
    with pytest.raises(ValueError, match=message):
        Tail(11).survival([1], 10, 0.1)
    with pytest.raises(ValueError, match=message):
        Tail(11).snapped([0, 8], 10)
    with pytest.raises(ValueError, match=r"^start=1 is beyond the run"):
        Tail(1).weights(0, 0.1)


@pytest.mark.parametrize(
    ("start", "error", "message"),
    [
        (
            -1,
            ValueError,
            r"^start=-1 is out of range: the start must be an iterate index .* Tail\(0\) averages all",
        ),
        (1.0, ValueError, r"^start=1.0 is out of range: .* Last\(\) is the end of the run"),
        (-0.5, ValueError, r"^start=-0.5 is out of range"),
        (float("nan"), ValueError, r"^start=nan is not finite"),
        (True, TypeError, r"^start=True is a bool"),
        ("0.5", TypeError, r"^start='0.5' is a str"),
        (None, TypeError, r"^start=None is a NoneType"),
    ],
)
def test_bad_start(start: float, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Tail(start)


# Law: numpy integers are indices, numpy floats are fractions.
def test_normalised() -> None:
    assert repr(Tail(np.int32(5))) == "Tail(start=5)"  # type: ignore[arg-type]  # NumPy's number
    assert repr(Tail(np.float32(0.5))) == "Tail(start=0.5)"  # type: ignore[arg-type]  # NumPy's number
