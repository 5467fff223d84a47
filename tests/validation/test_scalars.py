"""Laws of numbers as arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ridgeway.validation.scalars import ridge_strength, ridge_strengths


# Law: a path of alphas is kept in its order, and a single alpha is a path of one.
def test_alphas_are_kept_in_order() -> None:
    assert ridge_strengths([3, 0.0, 1e-9]) == [3.0, 0.0, 1e-9]
    assert ridge_strengths(np.float32(0.5)) == [0.5]
    assert ridge_strength(np.int64(2)) == 2.0


@pytest.mark.parametrize(
    ("alphas", "error", "message"),
    [
        ([1.0, -2.0], ValueError, r"alpha=-2\.0 is negative: the ridge strength must be 0 or more; 0 is nothing"),
        ([np.nan], ValueError, "alpha=nan is not finite"),
        ([1.0, np.inf], ValueError, "alpha=inf is not finite"),
        ([], ValueError, r"alphas=\[\]: expected a list of ridge strengths"),
        ([[1.0]], ValueError, r"alphas=\[\[1\.0\]\]: expected a list"),
        ([[1.0], [1.0, 2.0]], ValueError, "expected a list"),
        (["much"], TypeError, "alpha='much' is a str"),
        ([True], TypeError, "alpha=True is a bool"),
        (None, TypeError, "alpha=None is a NoneType"),
        ([1j], TypeError, "is a complex"),
    ],
)
def test_bad_alphas(alphas: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ridge_strengths(alphas, "0 is nothing")
