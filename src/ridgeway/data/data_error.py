"""`DataError`: the error for wrong files and tables."""

from __future__ import annotations


class DataError(ValueError):
    """Data cannot be read or do not match the model. The message names file, column, got, expected and remedy.

    Examples
    --------
    >>> from ridgeway.data import DataError, open_data
    >>> try:
    ...     open_data("nowhere.csv")
    ... except DataError as error:
    ...     print(error)
    nowhere.csv: no such file: expected a file, a folder or a pattern such as 'parts/*.parquet'; check the path.
    """
