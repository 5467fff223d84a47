"""Hints after a fit: only where its numbers ask for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.command import Command

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def sales(n: int = 1500) -> pd.DataFrame:
    """Return a price whose trend turns at four fifths of the time, a skewed amount, and a column that gives it away."""
    rng = np.random.default_rng(0)
    day = np.arange(n)
    size = rng.uniform(1, 3, n)
    trend = np.where(day < 0.75 * n, day / 100, 0.015 * n - day / 100)
    price = trend + 3 * size + 0.5 * rng.standard_normal(n)
    return pd.DataFrame(
        {
            "sold at": (pd.Timestamp("2015-01-01") + pd.to_timedelta(day, unit="D")).strftime("%Y-%m-%d"),
            "size": size,
            "price": price,
            "amount": np.exp(size + 0.8 * rng.standard_normal(n)),
            "tax": 0.2 * price,
        }
    )


# Law: where the last rows are predicted much worse than random ones, the extrapolated column is named, with an option
# that works; without that column there is no such hint.
def test_trend(ridgeway: Command) -> None:
    sales().to_csv("s.csv", index=False)
    fit = ["fit", "s.csv", "--target", "price", "--only", "size", "--test-share", "0.2", "--time", "sold at"]
    said = ridgeway(*fit, "--only", "sold at")
    assert said.code == 0, said.err
    assert "on the last rows by 'sold at'. Predictions extrapolate the trend of 'sold at': compare" in said.out
    assert "--drop 'sold at' ('sold at' can be dropped and still be used for --time)." in said.out
    again = ridgeway(*fit)
    assert again.code == 0, again.err
    assert "extrapolate" not in again.out
    random = ridgeway(*fit[:-2], "--only", "sold at")
    assert "extrapolate" not in random.out


# Law: the model of a fit with held-back rows has not learned from them, and the fit says how to learn from all.
def test_final_fit(ridgeway: Command) -> None:
    sales().to_csv("s.csv", index=False)
    fit = ("fit", "s.csv", "--target", "price", "--drop", "tax")
    said = ridgeway(*fit, "--test-share", "0.2", "--time", "sold at", "--by", "size")
    assert "has not learned from the test rows. To learn from all rows, run the same command without" in said.out
    assert "--test-share 0.2 --time 'sold at' --by size." in said.out
    assert "To learn from all rows" not in ridgeway(*fit, "--test", "s.csv").out


# Law: a column that holds the answer is asked for by name, a fit without one is not suspected.
@pytest.mark.parametrize("options", [(), ("--kernel", "rbf")])
def test_leak(ridgeway: Command, options: tuple[str, ...]) -> None:
    sales(300).to_csv("s.csv", index=False)
    fit = ("fit", "s.csv", "--target", "price", "--drop", "amount", *options)
    said = ridgeway(*fit)
    assert said.code == 0, said.err
    assert "is very high: does a column hold the answer" in said.out
    assert ("The largest effect is of 'tax'" in said.out) == (options == ())
    assert "very high" not in ridgeway(*fit, "--drop", "tax").out


# Law: the logarithm is suggested for a skewed target above 0, until it is used.
def test_skew(ridgeway: Command, tmp_path: Path) -> None:
    sales().to_csv("s.csv", index=False)
    fit = ("fit", "s.csv", "--target", "amount", "--drop", "sold at", "--test-share", "0.3")
    assert "The target is above 0 and skewed: its mean is" in ridgeway(*fit).out
    assert "skewed" not in ridgeway(*fit, "--log-target").out
    assert "skewed" not in ridgeway("fit", "s.csv", "--target", "price", "--drop", "tax", "--test-share", "0.3").out
