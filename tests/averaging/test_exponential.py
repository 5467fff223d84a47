"""Laws of the exponential moving average."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from tests.averaging.reference import LENGTHS, places, relative_error

from ridgeway.averaging import Exponential, Last, Staircase


# Law: survival and weights have the exact value to ten digits.
@pytest.mark.parametrize("decay", [5e-324, 1e-12, 0.3, 0.9, 0.9999, 1 - 1e-9, 1 - 2**-53])
def test_high_precision(decay: float) -> None:
    scheme = Exponential(decay)
    with mp.workdps(60):
        r = mp.mpf(decay)
        for n_steps in LENGTHS:
            j = places(n_steps)
            survival = [1 - r ** (n_steps - k + 1) for k in j]
            weights = [(1 - r) * r ** (n_steps - k) for k in j]
            assert relative_error(scheme.survival(j, n_steps, 0.1), survival) < 1e-12
            assert relative_error(scheme._weights(np.array(j, float), n_steps, Staircase.of(0.1)), weights) < 1e-12
            start = scheme._weights(np.zeros(1), n_steps, Staircase.of(0.1))
            assert relative_error(start, [r**n_steps]) < 1e-12


# Law: decay 0 is the last iterate.
@pytest.mark.parametrize("n_steps", [0, 1, 20])
def test_no_decay_is_last(n_steps: int) -> None:
    j = np.arange(n_steps + 3)
    np.testing.assert_array_equal(Exponential(0).weights(n_steps, 0.1), Last().weights(n_steps, 0.1))
    np.testing.assert_array_equal(Exponential(0).survival(j, n_steps, 0.1), Last().survival(j, n_steps, 0.1))


# Law: the average is the recursion avg = decay * avg + (1 - decay) * w from w_0.
def test_moving_average() -> None:
    iterates = np.random.default_rng(0).normal(size=31)
    average = iterates[0]
    for iterate in iterates[1:]:
        average = 0.8 * average + 0.2 * iterate
    assert Exponential(0.8).weights(30, 0.1) @ iterates == pytest.approx(average, abs=1e-14)


@pytest.mark.parametrize(
    ("decay", "error", "message"),
    [
        (
            1.0,
            ValueError,
            r"^decay=1.0 is out of range: the decay must be a finite number in \[0, 1\); decay=0 is",
        ),
        (-0.1, ValueError, r"^decay=-0.1 is out of range"),
        (float("nan"), ValueError, r"^decay=nan is not finite"),
        ("0.9", TypeError, r"^decay='0.9' is a str"),
        (None, TypeError, r"^decay=None is a NoneType"),
        (False, TypeError, r"^decay=False is a bool"),
    ],
)
def test_bad_decay(decay: float, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Exponential(decay)
