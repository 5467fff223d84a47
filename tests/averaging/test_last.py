"""Laws of the last iterate."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.averaging import Last, Tail


# Law: the average is the last iterate, the tail from the end.
@pytest.mark.parametrize("n_steps", [0, 1, 20])
def test_last_iterate(n_steps: int) -> None:
    iterates = np.random.default_rng(0).normal(size=(n_steps + 1, 2))
    np.testing.assert_array_equal(Last().weights(n_steps, 0.1) @ iterates, iterates[-1])
    np.testing.assert_array_equal(Last().weights(n_steps, 0.1), Tail(n_steps).weights(n_steps, 0.1))


# Law: S is 1 all along the run, and its continuation beyond.
def test_survival() -> None:
    np.testing.assert_array_equal(Last().survival([0, 1, 9, 10, 11], 10, 0.1), [1, 1, 1, 1, 0])
    np.testing.assert_array_equal(Last().continued_survival([0.5, 10.0, 84.0], 10, 0.1), [1, 1, 1])
