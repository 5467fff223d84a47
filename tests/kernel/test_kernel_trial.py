"""Trials of kernel runs: errors of their averages on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ridgeway.averaging import Geometric, Scheme
from ridgeway.kernel.kernel_trial import KernelTrial
from ridgeway.selection.capped_errors import allowance
from ridgeway.selection.folds import Fold


class Shrunken:
    """Predictions of ridge in one dimension, f / (1 + alpha), in place of those of kernel runs."""

    def __init__(self, f: np.ndarray) -> None:
        self.f = f
        self.trial: Any = None

    def predict(self, schemes: Sequence[Scheme]) -> None:
        """Predict by these schemes."""
        for scheme in schemes:
            assert isinstance(scheme, Geometric)
            self.trial.predicted[scheme] = self.f / (1 + scheme.alpha)


# Law: the error of a candidate, capped or not, does not depend on which others are asked for with it.
def test_candidates_are_capped_alike() -> None:
    rng = np.random.default_rng(0)
    n, alphas = 6000, [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
    f = rng.standard_normal((n, 1))
    y = f + 0.01 * rng.standard_normal((n, 1))
    y[:2] += 30.0  # errors of 900 are capped at 100 medians of the best candidate, which are 45 of the worst one
    fold = Fold(np.zeros(n, bool), np.arange(n))
    together = Shrunken(f)
    runs = cast("Any", together), fold, cast("Any", None)
    trial = KernelTrial(*runs, y, np.ones(n), np.zeros(1), 1, allowance([n]))
    together.trial = trial
    schemes = [Geometric(alpha) for alpha in alphas]
    trial.span(schemes)
    whole = trial.errors(schemes)
    assert (whole.capped.sum(axis=2) < whole.uncapped.sum(axis=2)).any()
    for place, scheme in enumerate(schemes):
        alone = trial.errors([scheme])
        np.testing.assert_allclose(alone.capped[0].sum(), whole.capped[place].sum(), rtol=1e-9)
        np.testing.assert_allclose(alone.uncapped[0].sum(), ((y - f / (1 + scheme.alpha)) ** 2).sum(), rtol=1e-9)
