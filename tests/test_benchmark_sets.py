"""What the benchmark against peers rests on: splits of real tables, and the yardstick of what gradient steps reach."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from benchmarks.peers.reference import DIVERGED_ERROR_RATIO, NEAR_ERROR_RATIO, ratio, reach, ridge_error, rmse
from benchmarks.peers.sets import BUNDLED, RealSet, real_sets
from benchmarks.peers.text import planted_words


def shop() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "receipt": np.arange(300),
            "size": rng.standard_normal(300),
            "colour": rng.choice(["red", "green"], 300),
            "name": [f"article {k}" for k in range(300)],
            "gaps": np.where(rng.random(300) < 0.5, np.nan, 1.0),
            "few gaps": np.where(rng.random(300) < 0.1, np.nan, rng.standard_normal(300)),
            "price": np.exp(rng.standard_normal(300)),
        }
    )


SHOP = RealSet("shop", "made here", shop, "price", drop=("receipt",), log=True)


# Law: numbers of rows, names, and columns with many gaps are dropped, rows with the other gaps left out, categories
# become indicators, and no row is on both sides.
def test_split() -> None:
    split, table = SHOP.split(0), shop()
    assert split.X.shape[1] == 2 + 2
    whole = table["few gaps"].notna()
    targets = np.log(table["price"][whole])
    assert sorted(np.concatenate([split.y, split.test_y])) == pytest.approx(sorted(targets))
    assert len(split.test_y) == round(0.2 * whole.sum())
    assert not set(split.y) & set(split.test_y)


# Law: the same seed gives the same order, another one another.
def test_order() -> None:
    np.testing.assert_array_equal(SHOP.split(1).y, SHOP.split(1).y)
    assert not np.array_equal(SHOP.split(1).y, SHOP.split(2).y)


# Law: gradient steps reach ridge on well-conditioned columns, and not on nearly collinear ones with the signal in their
# difference.
def test_reach() -> None:
    rng = np.random.default_rng(0)
    common, apart = rng.standard_normal((2, 400))
    y = apart + 0.1 * rng.standard_normal(400)

    def near(difference: float) -> float:
        frame = pd.DataFrame({"a": common + difference * apart, "b": common - difference * apart, "y": y})
        return reach(RealSet("pair", "made here", lambda: frame, "y").split(0))

    assert near(1.0) <= NEAR_ERROR_RATIO
    assert near(1e-4) > 2


# Law: predictions that are not numbers count as infinitely wrong, and ratios end at a bound.
def test_divergence() -> None:
    assert rmse(np.array([1.0, np.nan]), np.zeros(2)) == np.inf
    assert ratio(np.inf, 1.0) == DIVERGED_ERROR_RATIO
    assert rmse(np.array([3.0, 4.0]), np.zeros(2)) == pytest.approx(np.sqrt(12.5))


# Law: without a folder of further sets the bundled ones are all; each has a name of its own.
def test_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RIDGEWAY_DATA", raising=False)
    assert tuple(real_sets()) == BUNDLED
    assert len({table.name for table in BUNDLED}) == len(BUNDLED) >= 10


# Law: ridge explains a part of the diabetes data; planted words explain about half of their target.
def test_signal() -> None:
    diabetes = BUNDLED[0].split(0)
    assert ridge_error(diabetes) < 0.85 * diabetes.test_y.std()
    words = planted_words(500, 300)
    assert words.X.shape == (400, 300)
    np.testing.assert_allclose(np.sqrt(words.X.multiply(words.X).sum(axis=1)), 1.0)
