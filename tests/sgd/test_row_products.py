"""Products in passing: the compiled loops trust their arrays, so these are checked where they are made."""

from __future__ import annotations

import numpy as np
import pytest

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
