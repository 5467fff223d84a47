"""DataError: what is wrong with a file or a table, where, and what to do about it."""

from __future__ import annotations


class DataError(ValueError):
    """The data cannot be read or does not fit; the message names file and column, got, expected and remedy.

    Examples
    --------
    >>> from ridgeway.data import DataError, open_data
    >>> try:
    ...     open_data("nowhere.csv")
    ... except DataError as error:
    ...     print(error)
    nowhere.csv: no such file: expected a file, a folder or a pattern such as 'parts/*.parquet'; check the path.
    """
