"""Laws of the random order of a pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from ridgeway.rows import check_rows
from ridgeway.sgd.shuffle import shuffled_order


# Law: every row comes once, and the order is fixed by the seed.
@pytest.mark.parametrize(("n", "d"), [(1, 3), (1000, 5), (200_001, 12), (2000, 1500)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_order_is_a_permutation(n: int, d: int, form: Any) -> None:
    rows = check_rows(form(np.ones((n, d))))
    order = shuffled_order(rows, np.random.default_rng(0))
    assert np.array_equal(np.sort(order), np.arange(n))
    assert np.array_equal(order, shuffled_order(rows, np.random.default_rng(0)))


# Law: large data are well shuffled, too: every part of the order has rows from all parts of the data.
def test_stretches_come_from_everywhere() -> None:
    rows = check_rows(np.ones((200_000, 12)))
    order = shuffled_order(rows, np.random.default_rng(0))
    for stretch in np.array_split(order, 50):  # 4,000 rows each
        tenth, _ = np.histogram(stretch, bins=10, range=(0, 200_000))
        assert tenth.min() > 100
    neighbours = np.abs(np.diff(order)) == 1
    assert neighbours.mean() < 0.01
