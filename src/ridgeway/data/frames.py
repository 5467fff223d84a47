"""Convert data frames to Arrow tables, without their index."""

from __future__ import annotations

from collections import Counter
from typing import Any

import narwhals as nw
from narwhals.dependencies import is_into_dataframe, is_into_series
from narwhals.exceptions import DuplicateError

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError
from ridgeway.data.pandas_index import warn_of_index
from ridgeway.data.schema import require_distinct


def frame_table(data: Any, index: bool) -> Any:
    """Return the Arrow table of a data frame.

    Parameters
    ----------
    data : a data frame of pandas, polars, ...
    index : whether the index of a pandas data frame becomes columns; otherwise it is left out.
    """
    try:
        frame = nw.from_native(data, eager_only=True)
    except DuplicateError:
        frame = None
    except TypeError:
        raise DataError(
            f"a {type(data).__name__} is not a table: expected a path, arrays (X, y), a data frame (pandas, polars, "
            "...), "
            "or an Arrow table or stream; collect lazy frames first."
        ) from None
    if hasattr(data, "columns"):
        require_distinct(map(str, data.columns), "the data frame")
    assert frame is not None
    labels = nw.maybe_get_index(frame)
    if labels is not None and index and labels.name is not None and hasattr(labels, "step"):
        frame = nw.from_native(_with_range_as_labels(frame.to_native()))
    if labels is not None and not index:
        warn_of_index(labels.names, "the data frame")
        frame = nw.maybe_reset_index(frame)
    if labels is not None:
        frame = nw.from_native(_with_spelled_categories(frame.to_native()))
    try:
        return frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError) as error:
        raise DataError(
            f"the data frame has a column of mixed or unsupported types: {_said(error)}: expected one type in each "
            "column; convert it with astype."
        ) from None


def is_stream(data: Any) -> bool:
    """Return whether data are an Arrow stream, such as a DuckDB relation, and not a table in memory.

    A single column is refused, although it can be streamed.
    """
    if is_into_series(data) or isinstance(data, pa.Array):
        name = getattr(data, "name", None)
        remedy = "pass a data frame" if name is None else f"for one column pass frame[[{name!r}]], for one row a slice"
        of = "" if name is None else f" ({name!r})"
        raise DataError(f"a {type(data).__name__}{of}: expected a table, which has columns with names; {remedy}.")
    if isinstance(data, pa.Table | pa.RecordBatch) or is_into_dataframe(data):
        return False
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "fetch_record_batch")


def stream_reader(data: Any) -> Any:
    """Return a reader of the record batches of an Arrow stream, or of an ADBC cursor after ``execute``."""
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data)
    return data.fetch_record_batch()


def _with_spelled_categories(frame: Any) -> Any:
    """Return a pandas data frame with categories of intervals, periods or mixed types converted to text."""
    spelled = {}
    for place, dtype in enumerate(frame.dtypes):
        categories = getattr(dtype, "categories", None)
        if categories is None or categories.dtype.kind != "O":
            continue
        texts = [str(category) for category in categories]
        name = frame.columns[place]
        twice = [text for text, count in Counter(texts).items() if count > 1]
        if twice:
            raise DataError(
                f"the data frame: two categories of column {name!r} are both written {twice[0]!r}: expected different "
                "names, because models identify categories by name; rename one."
            )
        spelled[name] = frame[name].cat.rename_categories(texts)
    return frame.assign(**spelled) if all(isinstance(name, str) for name in spelled) else _assigned(frame, spelled)


def _assigned(frame: Any, columns: dict[Any, Any]) -> Any:
    """Return a copy with other columns, whose names may be numbers."""
    copy = frame.copy(deep=False)
    for name, values in columns.items():
        copy[name] = values
    return copy


def _with_range_as_labels(frame: Any) -> Any:
    """Return a pandas data frame whose range index is one of values: Arrow stores a range without its column."""
    copy = frame.copy(deep=False)
    copy.index = frame.index.to_numpy()
    copy.index.name = frame.index.name
    return copy


def _said(error: Exception) -> str:
    return " ".join(" ".join(str(part) for part in error.args).split())
