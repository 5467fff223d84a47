"""What kernels are told: they trust it, so it is checked where it is made."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.sgd.task import Look


# Law: a look has the six directions that the kernels read, and room for every row.
def test_look() -> None:
    look = Look.of(np.zeros((6, 3), np.float32), 5)
    assert look.seen.shape == (5, 8)
    assert look.seen.dtype == np.float32
    for n_directions in (0, 5, 7):
        with pytest.raises(ValueError, match=rf"directions have shape \({n_directions}, 3\): expected \(6, columns\)"):
            Look.of(np.zeros((n_directions, 3)), 5)


# Law: a run refuses a look without six directions of its columns, or without room for its rows, and takes no step.
# The arrays are parts of larger ones: kernels that did not refuse would read and write there, not in foreign memory.
@pytest.mark.parametrize(
    ("n_directions", "n_columns", "n_rows", "width", "message"),
    [
        (0, 5, 900, 8, "directions of a look has shape (0, 5): expected (6, 5)."),
        (5, 5, 900, 8, "directions of a look has shape (5, 5): expected (6, 5)."),
        (7, 5, 900, 8, "directions of a look has shape (7, 5): expected (6, 5)."),
        (6, 4, 900, 8, "directions of a look has shape (6, 4): expected (6, 5)."),
        (6, 5, 899, 8, "seen of a look has shape (899, 8): expected (900, 8)."),
        (6, 5, 900, 7, "seen of a look has shape (900, 7): expected (900, 8)."),
    ],
)
def test_run_refuses_other_shapes(n_directions: int, n_columns: int, n_rows: int, width: int, message: str) -> None:
    rng = np.random.default_rng(0)
    batch = check_batch(rng.standard_normal((900, 5)), rng.standard_normal(900))
    room = np.zeros((901, 9))
    look = Look(rng.standard_normal((7, 5))[:n_directions, :n_columns], room[:n_rows, :width])
    run = rw.SGDRun(step=0.01)
    with pytest.raises(ValueError, match=re.escape(message)):
        run.advance(batch, look=look)
    assert run.n_steps == 0
    assert not room.any()
