"""The lines that `ridgeway fit` prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.cli.command import Command
from tests.tables.shop import shop_table, write_csv

import ridgeway as rw


# Law: six lines say what was read, of which kinds, solved, chosen, how large errors are and how far new rows lie.
def test_six_lines(ridgeway: Command, shop_csv: Path) -> None:
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m.safetensors")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    starts = (
        "shop.csv: ",
        "Numbers: ",
        "Solver: ",
        "Strength: alpha=",
        "On ",
        "90% of new rows like these lie within ",
        "Written: ",
    )
    assert [line.startswith(start) for line, start in zip(lines, starts, strict=False)] == [True] * 7
    model = rw.load("m.safetensors")
    half = float(lines[5].removeprefix(starts[5]).split()[0])
    assert half == pytest.approx(model.model.interval_width(0.9).sizes[0], rel=1e-3)
    assert lines[-1] == "The comparison and the coefficients: ridgeway show m.safetensors"
    values = json.loads(ridgeway("fit", shop_csv, "--target", "price", "--json").out)
    assert values["interval"]["half_width"] == model.model.interval_width(0.9).sizes.tolist()


# Law: intervals of logarithms are factors, those of several targets are told for each, and where there are none the
# line says why and what to do.
def test_interval_line(ridgeway: Command, shop_csv: Path, tmp_path: Path) -> None:
    said = ridgeway("fit", shop_csv, "--target", "price", "--log-target", "--model", "m.safetensors").out
    factor = np.exp(rw.load("m.safetensors").model.interval_width(0.9).sizes[0])
    assert f"lie within a factor of {factor:.4g} of the prediction" in said
    table = shop_table(400)
    several = write_csv(table.append_column("cost", table["price"]), tmp_path / "several.csv")
    said = ridgeway("fit", several, "--target", "price", "--target", "cost").out
    assert re.search(r"lie within [\d.]+ \(price\), [\d.]+ \(cost\) of the prediction", said)
    few = write_csv(pa.table({"x": [1.0, 2.0, 4.0, 5.0, 7.0], "y": [1.0, 2.0, 3.5, 5.0, 7.5]}), tmp_path / "few.csv")
    assert (
        "No prediction interval: 5 rows were held out: expected at least 9" in ridgeway("fit", few, "--target", "y").out
    )


# Law: fit and show list the columns of each kind, and those that were left out with the reason.
def test_kinds_of_columns(ridgeway: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    columns = {"Region": ["Anvers"] * 60, "Stage": ["Adult"] * 60, "Notes": [None] * 60, "sex": ["m", "f"] * 30}
    numbers = {"mass": rng.standard_normal(60), "bill": rng.standard_normal(60), "y": rng.standard_normal(60)}
    file = write_csv(pa.table(columns | numbers), tmp_path / "penguins.csv")
    expected = (
        "\nCategories: 'sex'. Numbers: 'mass', 'bill'.\nLeft out: 'Region', 'Stage' (constant), 'Notes' (no values).\n"
    )
    assert expected in ridgeway("fit", file, "--target", "y", "--model", "m").out
    assert expected in ridgeway("show", "m").out


# Law: one row and one column are called so.
def test_one_of_each(ridgeway: Command, tmp_path: Path) -> None:
    rows = {"x": np.arange(30.0), "y": [*np.arange(29.0) ** 1.5, None]}
    file = write_csv(pa.table(rows), tmp_path / "one.csv")
    said = ridgeway("fit", file, "--target", "y", "--model", "m.safetensors").out
    assert "29 rows of 1 column fit into" in said
    assert "1 column, encoded as 1 feature, predicts 'y'. 29 rows (1 row without target or weight left out)" in said
    new = write_csv(pa.table({"x": [3.0], "y": [5.0]}), tmp_path / "new.csv")
    assert "1 row predicted" in ridgeway("predict", "m.safetensors", new, "--out", "p.csv").out
    assert "y, 1 row: " in ridgeway("evaluate", "m.safetensors", new).out


# Law: where outliers make the errors of the comparison smaller than those of all rows, `show` says so at its table.
@pytest.mark.parametrize("outlier", [0.0, 1e4])
def test_capped_errors_are_told(outlier: float, ridgeway: Command) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(3000)
    y = x + rng.standard_normal(3000)
    y[7] += outlier
    pd.DataFrame({"x": x, "y": y}).to_csv("t.csv", index=False)
    assert ridgeway("fit", "t.csv", "--target", "y", "--model", "m.safetensors").code == 0
    said = " ".join(ridgeway("show", "m.safetensors").out.split())
    assert ("Errors of a few badly predicted rows are capped in this table." in said) == (outlier > 0)
    assert ("here they count in full" in said) == (outlier > 0)
