"""Numbers written with a currency or percent sign."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ridgeway.data import DataError, TableEncoder
from ridgeway.tables import Request, fit_table, predict_table

NUMBERS = np.round(np.random.default_rng(0).uniform(-500, 90_000, 300), 2)


def written(form: str) -> list[str | None]:
    return [form.format(number) if number >= 0 else "-" + form.format(-number) for number in NUMBERS]


# Law: a column of numbers with one sign has the features of the numbers, in whatever batches it is learned.
@pytest.mark.parametrize("form", ["${:,.2f}", "$ {:.2f}", "{:.2f}%", "{:,.2f} €", "£{:.2f}"])
def test_same_as_numbers(form: str) -> None:
    texts = [*written(form)[:-1], None]
    plain = TableEncoder().fit(pa.table({"x": [*NUMBERS[:-1], None]}))
    encoder = TableEncoder().fit(pa.table({"x": texts}))
    by_parts = TableEncoder()
    for first in range(0, 300, 70):
        by_parts.partial_fit(pa.table({"x": pa.array(texts[first : first + 70], pa.string())}))
    assert by_parts.to_dict() == encoder.to_dict()
    expected = plain.transform(pa.table({"x": [*NUMBERS[:5], None]}))
    again = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    for found in (encoder, again):
        assert [row.kind for row in found.describe()] == ["number"]
        np.testing.assert_array_equal(found.transform(pa.table({"x": [*texts[:5], None]})), expected)
        coded = pa.array([*texts[:5], None]).dictionary_encode()
        np.testing.assert_array_equal(found.transform(pa.table({"x": coded})), expected)


# Law: what is not written with one sign throughout stays text, and so does a column whose kind was given.
@pytest.mark.parametrize(
    "texts",
    [
        ["$5", "€6"] * 30,
        ["5%", "$6"] * 30,
        ["$5", "free"] * 30,
        ["5", "6"] * 30,
        ["$", "$$"] * 30,
        ["$1,23", "$4"] * 30,
    ],
)
def test_other_texts(texts: list[str]) -> None:
    assert [row.kind for row in TableEncoder().fit(pa.table({"x": texts})).describe()] == ["category"]
    given = TableEncoder(kinds={"x": "category"}).fit(pa.table({"x": ["$5", "$6"] * 30}))
    assert [row.kind for row in given.describe()] == ["category"]


# Law: new rows with another sign, or without a percent sign, are refused; amounts may lack the sign of their currency.
def test_new_rows() -> None:
    amounts = TableEncoder().fit(pa.table({"x": ["$5", "$6.5"] * 30}))
    assert amounts.transform(pa.table({"x": [7.25, 8.0]})).ravel().tolist() == [7.25, 8.0]
    assert amounts.transform(pa.table({"x": ["7.25", "$8,000"]})).ravel().tolist() == [7.25, 8000.0]
    shares = TableEncoder().fit(pa.table({"x": ["5%", "6.5%"] * 30}))
    for encoder, values in (
        (amounts, ["5 €"]),
        (amounts, ["none"]),
        (amounts, ["8,000"]),
        (shares, [0.05]),
        (shares, ["5"]),
    ):
        with pytest.raises(DataError, match=r"column 'x' holds .* expected numbers written with .*--kind x=category"):
            encoder.transform(pa.table({"x": values}))


# Law: a model of a CSV file with such columns is as good as one of plain numbers, also from its file.
def test_model_of_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rate, income = rng.uniform(5, 25, 400).round(2), rng.uniform(1e4, 2e5, 400).round(2)
    y = rate + income / 1e4 + rng.standard_normal(400)
    rows = [f'{r}%,"${i:,.2f}",{t}' for r, i, t in zip(rate, income, y, strict=True)]
    (tmp_path / "t.csv").write_text("rate,income,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    request = Request(target="y", alpha=1.0)
    model = fit_table(tmp_path / "t.csv", request)
    assert model.model.n_features_in_ == 2
    plain = fit_table(pa.table({"rate": rate, "income": income, "y": y}), request)
    np.testing.assert_allclose(
        model.predict(tmp_path / "t.csv"), plain.predict(pa.table({"rate": rate, "income": income}))
    )
    assert predict_table(model, tmp_path / "t.csv", tmp_path / "p.csv").rows == 400
