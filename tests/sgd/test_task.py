"""What kernels are told: they trust it, so it is checked where it is made."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.sgd.task import Look


# Law: a look has the six directions that the kernels read, and room for every row.
def test_look() -> None:
    look = Look.of(np.zeros((6, 3), np.float32), 5)
    assert look.seen.shape == (5, 8)
    assert look.seen.dtype == np.float32
    for n_directions in (0, 5, 7):
        with pytest.raises(ValueError, match=rf"directions have shape \({n_directions}, 3\): expected \(6, columns\)"):
            Look.of(np.zeros((n_directions, 3)), 5)
