from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ridgeway import _core


# Law: the first coefficients of each series go to the columns of its block; the error is the largest over blocks of the
# shares of what is kept and of what is left out, infinite where it is no number.
@given(st.integers(0, 3), st.integers(0, 4), st.integers(0, 6), st.integers(0, 3), st.booleans(), st.integers(0, 2**32))
def test_keep_series(n_averages: int, n_blocks: int, m: int, n_spare: int, damaged: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    series, shares = rng.standard_normal((n_averages, n_blocks, m + n_spare)), rng.uniform(0, 1, (n_blocks, m))
    if damaged and series.size:
        series[-1, 0, 0] = np.nan
    first_columns = rng.permutation(n_blocks) * m + 2
    coefficients, errors = np.full((n_averages, n_blocks * m + 2), 7.0), np.full(n_averages, 7.0)
    series.flags.writeable = shares.flags.writeable = False
    _core.keep_series(
        series=series, shares=shares, first_columns=first_columns, coefficients=coefficients, errors=errors
    )
    assert (coefficients[:, :2] == 7).all()
    for b, column in enumerate(first_columns):
        np.testing.assert_array_equal(coefficients[:, column : column + m], series[:, b, :m])
    expected = (shares * np.abs(series[:, :, :m])).sum(axis=2) + np.abs(series[:, :, m:]).sum(axis=2)
    np.testing.assert_allclose(errors, np.nan_to_num(expected, nan=np.inf).max(axis=1, initial=0.0), rtol=1e-14)
