"""Sheets of Excel workbooks."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.data.external.sales import fitted, sales

from ridgeway.data import DataError, external_table, open_data

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("python_calamine")


def write(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


# Law: a sheet gives the coefficients of the table that it holds.
def test_same_model(tmp_path: Path) -> None:
    table = sales(400)
    path = write(
        tmp_path / "sales.xlsx", Sales=[table.column_names, *(list(row.values()) for row in table.to_pylist())]
    )
    model = fitted(path)
    assert model.model.coef_ == pytest.approx(fitted(table).model.coef_, rel=1e-6)
    assert model.facts.data == "sales.xlsx"


# Law: cells keep their types; empty cells and NA are missing, empty rows are left out, dates may have times.
def test_cells(tmp_path: Path) -> None:
    day, moment = datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 3, 4, 5)
    rows: list[list[Any]] = [
        ["n", "text", "when", "flag"],
        [1, "a", day, True],
        ["NA", None, moment, False],
        [None] * 4,
        [2.5, "b", None, None],
    ]
    source = open_data(write(tmp_path / "cells.xlsx", One=rows))
    assert source.schema is not None
    assert source.schema.kinds == {"n": "number", "text": "text", "when": "time", "flag": "boolean"}
    assert next(source.batches()).to_pydict()["n"] == [1, None, 2.5]
    assert next(source.batches()).num_rows == 3


# Law: one of several sheets must be named; wrong sheets, mixed columns, and columns without a name are told.
def test_errors(tmp_path: Path) -> None:
    path = write(
        tmp_path / "b.xlsx",
        good=[["x", "y"], [1, 2], [3, 4]],
        mixed=[["x"], [1], ["one"]],
        title=[["Sales of 2024", None], ["x", "y"], [1, 2]],
    )
    assert open_data(external_table(path, table="good")).n_rows == 2
    for how, message in (
        ({}, r"which sheet\? its sheets are 'good', 'mixed', 'title': give one with --table"),
        ({"table": "bad"}, "there is no sheet 'bad'"),
        ({"table": "mixed"}, r"column 'x' mixes types, such as 1.* \(number\) and 'one' \(text\)"),
        ({"table": "title"}, "column 2 has values but no name.*delete the rows above"),
        ({"query": "SELECT 1"}, "--query.* cannot read it"),
    ):
        with pytest.raises(DataError, match=message):
            open_data(external_table(path, **how))
    (tmp_path / "no.xlsx").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DataError, match="an Excel workbook that cannot be read"):
        open_data(tmp_path / "no.xlsx")
