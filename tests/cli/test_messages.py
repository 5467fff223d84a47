"""What commands say: the error in words that mean something, and what could not be chosen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.command import Command

import ridgeway as rw

LINE = re.compile(
    r"On ([\d,]+) held-out rows, price: squared error ([\d.]+), R\^2 ([\d.]+), typical error \(RMSE\) ([\d.]+); "
    r"always predicting the mean: ([\d.]+)\."
)


# Law: `fit` and `show` tell R^2, the typical error and that of always predicting the mean, of rows that were held out.
def test_accuracy(ridgeway: Command, shop_csv: Path) -> None:
    fit = ["fit", shop_csv, "--target", "price", "--passes", 3, "--model", "m"]
    said = ridgeway(*fit)
    found = LINE.search(said.out)
    assert found is not None, said.out
    rows = rw.load("m").model.held_out_
    mse, r2, rmse, of_mean = (float(number) for number in found.groups()[1:])
    residuals = rows.actual - rows.predicted  # a sample of 2,000 rows of them
    assert found[1] == "2,941"  # 59 have no target
    assert mse == pytest.approx((residuals**2).mean(), rel=0.1)
    assert rmse == pytest.approx(np.sqrt(mse), rel=1e-3)
    assert of_mean == pytest.approx(rows.actual.std(), rel=0.05)
    assert r2 == pytest.approx(1 - mse / of_mean**2, abs=2e-3)
    assert found[0] in ridgeway("show", "m").out
    for told in (json.loads(ridgeway(*fit, "--json").out), json.loads(ridgeway("show", "m", "--json").out)):
        assert told["held_out"]["rmse"] == [pytest.approx(rmse, rel=1e-3)]
        assert told["held_out"]["r2"] == [pytest.approx(r2, abs=1e-3)]


# Law: the error of a model of logarithms is said to be one; without held-out rows none is made up.
def test_accuracy_of_others(ridgeway: Command, shop_csv: Path) -> None:
    fit = ["fit", shop_csv, "--target", "price", "--passes", 1]
    assert "held-out rows, log price: squared error" in ridgeway(*fit, "--log-target").out
    assert "On the last part of the stream, where each row is predicted before" in ridgeway(*fit, "--memory", 0).out
    said = ridgeway(*fit, "--alpha", 0.1, "--model", "given")
    assert "no row was held out: the error on new rows is not known" in said.out
    assert "no row was held out: the error on new rows is not known" in ridgeway("show", "given").out
    assert json.loads(ridgeway("show", "given", "--json").out)["held_out"] is None


# Law: tables that are written to a pipe do not break long names, unless COLUMNS asks for it.
def test_width_of_a_pipe(ridgeway: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "a rather long name of a column that holds the temperature at noon of the day before in degrees"
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2))
    pd.DataFrame({name: X[:, 0], "b": X[:, 1], "y": X.sum(axis=1)}).to_csv("t.csv", index=False)
    assert ridgeway("fit", "t.csv", "--target", "y", "--model", "m", "--quiet").code == 0
    assert ridgeway("show", "m").out.count(name) == 1  # in the line of numbers
    monkeypatch.delenv("COLUMNS")
    assert ridgeway("show", "m").out.count(name) > 1


# Law: fits of one, two or three rows say that nothing could be chosen.
@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_few_rows(n_rows: int, ridgeway: Command) -> None:
    Path("t.csv").write_text("a,b,y\n" + "".join(f"{i},{i * i},{2 * i}\n" for i in range(1, 1 + n_rows)))
    said = ridgeway("fit", "t.csv", "--target", "y", "--only", "a", "--only", "b", "--passes", 1)
    if n_rows == 1:  # where every column is constant
        assert said.code == 1
        return
    assert said.code == 0
    assert f"Warning: nothing could be chosen from {n_rows} rows: the uniform average is used" in said.err
    assert "No averages were compared and no row was held out" in said.out


# Law: a fit without --target says so, by the option, with the columns to choose from.
def test_no_target(ridgeway: Command) -> None:
    Path("t.csv").write_text("a,b,y\n" + "1,2,3\n4,5,7\n" * 9)
    said = ridgeway("fit", "t.csv", "--model", "m")
    assert said.code == 1
    assert "t.csv: no target: expected the column to predict, with --target COLUMN" in said.err
    assert "one of 'a', 'b', 'y'." in said.err


# Law: numbers of claims may be separated by commas, or given in several options.
def test_paper_only(ridgeway: Command) -> None:
    told = json.loads(ridgeway("paper", "--out", "folder", "--only", "1,28", "--only", 12, "--quick", "--json").out)
    assert list(told["results"]) == ["1", "12", "28"]
    said = ridgeway("paper", "--out", "folder", "--only", "1,x")
    assert said.code == 2
    assert "'1,x': expected numbers separated by commas, such as 13,18." in said.err


# Law: a target that is constant, or told exactly by a column, is shown, although errors of 0 have no logarithm.
@pytest.mark.parametrize("row", ["{i},2\n", "{i},{i}\n"])
def test_errors_of_zero(row: str, ridgeway: Command) -> None:
    Path("t.csv").write_text("x,y\n" + "".join(row.format(i=i) for i in range(6)))
    assert ridgeway("fit", "t.csv", "--target", "y", "--model", "m").code == 0
    said = ridgeway("show", "m")
    assert (said.code, said.err) == (0, "")
    assert re.search(r"Error of geometric averages from .*\n  [▁▂▃▄▅▆▇█]{10,}\n", said.out)
