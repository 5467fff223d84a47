from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ridgeway import _core


# Law: every iterate is a step on the ridge objective from the one before.
@given(st.integers(0, 9), st.integers(1, 19), st.integers(0, 2**32))
def test_regularised_steps(n_rows: int, n_columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y, centre = rng.standard_normal((n_rows, n_columns)), rng.standard_normal(n_rows), rng.standard_normal(n_columns)
    iterates, step, alpha = np.full((n_rows + 1, n_columns), np.nan), 0.1 / n_columns, 0.3
    iterates[0] = rng.standard_normal(n_columns)
    for array in (X, y, centre):
        array.flags.writeable = False
    _core.regularised_steps(X=X, y=y, alpha=alpha, step=step, centre=centre, iterates=iterates)
    w = iterates[0]
    for row, label, got in zip(X, y, iterates[1:], strict=True):
        w = w - step * ((row @ w - label) * row + alpha * (w - centre))
        np.testing.assert_allclose(got, w, rtol=1e-12, atol=1e-13)
