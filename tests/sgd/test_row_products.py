"""Products in passing: the compiled loops trust their arrays, so these are checked where they are made."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.sgd.row_products import RowProducts


# Law: there is room for 1, y and every direction of every row; without directions there is nothing to take.
def test_room() -> None:
    for n_directions in (1, 6, 7):
        room = RowProducts.of(np.zeros((n_directions, 3), np.float32), 5)
        assert room.products.shape == (5, 2 + n_directions)
        assert room.products.dtype == np.float32
    for shape in ((0, 3), (3,)):
        with pytest.raises(ValueError, match=r"directions have shape .*: expected \(directions, columns\)"):
            RowProducts.of(np.zeros(shape), 5)


# Law: a run refuses directions of other columns, or no room for its rows, and takes no step. The arrays are parts of
# larger ones: loops that did not refuse would read and write there, not in foreign memory.
@pytest.mark.parametrize(
    ("n_directions", "n_columns", "n_rows", "width", "message"),
    [
        (0, 5, 900, 2, "directions have shape (0, 5): expected (1, 5)."),
        (6, 4, 900, 8, "directions have shape (6, 4): expected (6, 5)."),
        (6, 5, 899, 8, "products have shape (899, 8): expected (900, 8)."),
        (6, 5, 900, 7, "products have shape (900, 7): expected (900, 8)."),
    ],
)
def test_run_refuses_other_shapes(n_directions: int, n_columns: int, n_rows: int, width: int, message: str) -> None:
    rng = np.random.default_rng(0)
    batch = check_batch(rng.standard_normal((900, 5)), rng.standard_normal(900))
    room = np.zeros((901, 9))
    products = RowProducts(rng.standard_normal((7, 5))[:n_directions, :n_columns], room[:n_rows, :width])
    run = rw.SGDRun(step=0.01)
    with pytest.raises(ValueError, match=re.escape(message)):
        run.advance(batch, products=products)
    assert run.n_steps == 0
    assert not room.any()
