"""`Workbook`: a sheet of an Excel or OpenDocument file, read by calamine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ridgeway.data.data_error import DataError
from ridgeway.data.external.base_table import ExternalTable
from ridgeway.data.external.extra import load_extra


class Workbook(ExternalTable):
    """A sheet of a workbook. Its first row that is not empty holds the names of the columns.

    Parameters
    ----------
    path : a .xlsx, .xls, .xlsm, .xlsb or .ods file.
    table : name of the sheet; None if there is only one with rows.
    """

    def __init__(self, path: str | os.PathLike[str], table: str | None = None) -> None:
        self._calamine = load_extra("python_calamine", "python-calamine", "excel", f"{path}: an Excel workbook")
        try:
            self._file = self._calamine.CalamineWorkbook.from_path(os.path.expanduser(path))
        except Exception as error:  # calamine raises classes of its own
            raise DataError(
                f"{path}: an Excel workbook that cannot be read: {error}: expected a .xlsx, .xls, .xlsb or .ods file; "
                "open it in a spreadsheet program and save it again."
            ) from None
        sheets = self._file.sheet_names
        if table is not None and table not in sheets:
            raise DataError(f"{path}: there is no sheet {table!r}: its sheets are {', '.join(map(repr, sheets))}.")
        if table is None and len(sheets) > 1:
            filled = [name for name in sheets if self._file.get_sheet_by_name(name).height > 0]
            if len(filled) != 1:
                raise DataError(
                    f"{path}: which sheet? its sheets are {', '.join(map(repr, sheets))}: give one with --table NAME "
                    "(table=)."
                )
            sheets = filled
        self._sheet = table if table is not None else sheets[0]
        self.name = f"{path} ({self._sheet})" if len(self._file.sheet_names) > 1 else str(path)
        self._rows: Any = None

    def schema(self) -> Any:
        """Return the Arrow schema of the sheet."""
        return self.local(None).schema

    def local(self, columns: Sequence[str] | None) -> Any:
        """Return the sheet as an Arrow table."""
        if self._rows is None:
            convert = import_module("ridgeway.data.external.sheet_rows").table_of_rows
            self._rows = convert(self._file.get_sheet_by_name(self._sheet).to_python(skip_empty_area=True), self.name)
        return self._rows
