"""The contract of schemes finds what is wrong with a scheme."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.testing import check_scheme


def early(half: float = 0.5, **changed: Callable[..., Any]) -> type[rw.Scheme]:
    """Return a scheme that stops at 0 with probability `half`, else at the end, with some methods replaced."""

    @final
    @dataclass(frozen=True)
    class Early(rw.Scheme):
        share: float = half

        @classmethod
        def examples(cls) -> tuple[Any, ...]:
            return (cls(), cls(0.1))

        def _survival(self, j: Any, n_steps: int, steps: rw.Staircase) -> Any:
            return np.where(j <= 0, 1.0, 1.0 - self.share)

        def _weights(self, t: Any, n_steps: int, steps: rw.Staircase) -> Any:
            return np.where(t == 0, self.share, 0.0) + np.where(t == n_steps, 1.0 - self.share, 0.0)

    for name, method in changed.items():
        setattr(Early, name, method)
    return Early


# Law: a scheme that keeps the contract passes.
def test_a_scheme_of_ones_own() -> None:
    check_scheme(early())


# Law: each breach is named: what was found, what was expected.
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"_weights": lambda self, t, n, s: np.full(len(t), 0.5)}, r"sum of weights .* got .*, expected .*1\.0"),
        ({"_weights": lambda self, t, n, s: np.where(t == 0, 2.0, -1.0 / max(n, 1))}, r"expected 0 or more"),
        ({"_survival": lambda self, j, n, s: np.where(j == 3.0, 0.6, 0.5), "share": 0.5}, r"survival of .* rises"),
        (
            {"_survival": lambda self, j, n, s: np.where(j <= 0, 1.0, 0.9)},
            r"survival of .* got .*0\.9.*, expected .*0\.5",
        ),
        ({"_survival": lambda self, j, n, s: np.where(j <= n, 0.5, np.nan)}, r"is not finite up to"),
        ({"sample": lambda self, n, s, rng, size: np.full(size, n)}, r"draws of .* expected"),
        ({"__final__": False}, r"typing\.final"),
        ({"examples": classmethod(lambda cls: ())}, r"examples\(\) is empty"),
        ({"examples": classmethod(lambda cls: (rw.Last(),))}, r"has a Last"),
        ({"examples": classmethod(lambda cls: (cls("a"),))}, r"share is a str: expected an int or a float"),
    ],
)
def test_breaches(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_scheme(early(**changed))
