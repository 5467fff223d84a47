"""The choice on a stream, against sums over groups written out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ridgeway.averaging import Uniform
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.progressive import SURELY, Progressive, Stretch, stream_candidates

NOTHING = np.zeros(1)
SCHEMES = stream_candidates("auto", 0.1)
PLAIN = Standardization(NOTHING, NOTHING + 1, 0.0, NOTHING, NOTHING + 1, 1.0)


def with_errors(groups: NDArray[np.float64], weight: NDArray[np.float64]) -> Progressive:
    """Return scores as if groups of these weights had had these summed errors, in two stretches of the stream."""
    progressive = Progressive("auto", 0.1, PLAIN, sparse=False)
    for part in np.array_split(np.arange(len(groups)), 2):
        stretch = Stretch.empty(int(part[0]), len(SCHEMES))
        for group in part:
            stretch += Stretch.of_group(int(part[0]), float(weight[group]), groups[group])
        progressive._stretches.append(stretch)
    return progressive


def errors(seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    weight = rng.uniform(50, 100, 12)
    shared = rng.exponential(size=(12, 1))  # rows that are hard for all candidates
    own = rng.normal(0, rng.uniform(0, 0.2, len(SCHEMES)), (12, len(SCHEMES)))
    return weight[:, None] * (1 + shared + own), weight


# Law: the preferred candidate has the least upper bound, mean and two standard errors, of its difference from the
# uniform average over groups of rows; the uniform average itself has 0.
@pytest.mark.parametrize("seed", range(20))
def test_preferred(seed: int) -> None:
    groups, weight = errors(seed)
    apart = groups - groups[:, -1:]
    mean = apart.sum(axis=0) / weight.sum()
    around = apart - mean * weight[:, None]
    deviation = np.sqrt((around**2).sum(axis=0) * 12 / 11) / weight.sum()
    bounds = mean + SURELY * deviation
    progressive = with_errors(groups, weight)
    assert bounds[progressive.preferred()] == pytest.approx(bounds.min(), abs=1e-9)


# Law: a lead that is luck does not win against the uniform average, one that every group shows does.
def test_uniform_stays_unless_clearly_beaten() -> None:
    groups, weight = np.repeat(np.linspace(100.0, 120.0, 12)[:, None], len(SCHEMES), axis=1), np.full(12, 80.0)
    groups[:, :-1] += 0.1
    lucky, steady = groups.copy(), groups.copy()
    lucky[3, 5] -= 50.0
    steady[:, 5] -= 1.0
    assert isinstance(SCHEMES[with_errors(lucky, weight).preferred()], Uniform)
    assert with_errors(steady, weight).preferred() == 5


# Law: scores are means over the rows, with standard errors over groups.
def test_scores() -> None:
    groups, weight = errors(3)
    mean = groups.sum(axis=0) / weight.sum()
    deviation = np.sqrt(((groups - mean * weight[:, None]) ** 2).sum(axis=0) * 12 / 11) / weight.sum()
    scores = with_errors(groups, weight).scores(2.0)
    np.testing.assert_allclose([row.error for row in scores], 2 * mean)
    np.testing.assert_allclose([row.standard_error for row in scores], 2 * deviation)
