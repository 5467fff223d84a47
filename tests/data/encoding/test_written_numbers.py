"""Numbers written with commas."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ridgeway.data import TableEncoder

DOUBT = r"column 'x': values such as .* look like numbers written with commas.*--kind x=category"


# Law: numbers with commas that are read as text get a warning with the remedy, however many batches they come in.
@pytest.mark.parametrize("form", ["{:.2f}", "{:,.0f}", "{:,.2f}", "German"])
def test_warns(form: str) -> None:
    numbers = np.random.default_rng(0).uniform(1000, 9000, 300)
    texts = [form.format(number) for number in numbers]
    if form == "German":
        texts = ["600,0", *(f"{number:,.1f}".translate({44: ".", 46: ","}) for number in numbers)]
    elif form == "{:.2f}":
        texts = [text.replace(".", ",") for text in texts]
    with pytest.warns(UserWarning, match=DOUBT):
        TableEncoder().fit(pa.table({"x": texts}))
    encoder = TableEncoder().partial_fit(pa.table({"x": texts[:100]})).partial_fit(pa.table({"x": texts[100:]}))
    assert len(encoder.doubts_) == 1


# Law: text, codes, dates, few values and columns whose kind was given get none; warnings are errors in tests.
@pytest.mark.parametrize(
    "texts",
    [
        ["red, dry", "white, sweet", "rose, dry", "red, sweet"] * 20,
        ["a1,5", "b2,5", "c3,5", "d4,5"] * 20,
        ["1,5", "2,5"] * 40,
        [f"{k},5" for k in range(30)] + ["unknown"] * 30,
        ["12", "13", "007", "15"] * 20,
    ],
)
def test_is_silent(texts: list[str]) -> None:
    assert TableEncoder(min_count=1).fit(pa.table({"x": texts})).doubts_ == []


def test_given_kinds_are_believed() -> None:
    texts = [f"{k},5" for k in range(60)]
    for kind in ("category", "text"):
        assert TableEncoder(kinds={"x": kind}).fit(pa.table({"x": texts})).doubts_ == []


# Law: the warning first names values whose points separate thousands: they keep decimal commas from being read.
def test_names_points() -> None:
    texts = ["600,0", "700,0", "800,5", "900,0", "1.000,0"] * 20
    with pytest.warns(UserWarning, match=r"values such as '1\.000,0'"):
        TableEncoder().fit(pa.table({"x": texts}))


# Law: one text among a few distinct numbers, which may be codes, is read as text with a warning that names it.
def test_names_one_text_among_numbers() -> None:
    texts = ["3", "4", "5"] * 100 + ["no stars"]
    message = r"column 'x': 300 of 301 values are numbers, but 'no stars' is not.*--null-values 'no stars'.*--kind x="
    with pytest.warns(UserWarning, match=message):
        TableEncoder().fit(pa.table({"x": texts}))
    assert TableEncoder(kinds={"x": "category"}).fit(pa.table({"x": texts})).doubts_ == []
    assert TableEncoder().fit(pa.table({"x": ["3", "4", "5", "no stars"] * 30})).doubts_ == []
