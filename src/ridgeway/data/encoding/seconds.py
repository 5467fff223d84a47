"""Convert Arrow columns of dates, instants and times of day, in any unit and zone, to seconds."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.data_error import DataError
from ridgeway.data.encoding.strings import as_levels
from ridgeway.data.encoding.time_units import DAY_SECONDS
from ridgeway.data.encoding.written_dates import EXAMPLES, ORDERS, date_parts_of
from ridgeway.data.remedy import kind_remedy
from ridgeway.data.schema import is_string, kind_of, type_name

TICKS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
YEAR_1, YEAR_10000 = -62_135_596_800, 253_402_300_800

types = pa.types


def seconds_of(
    column: Any, name: str, zone: str | None, dated: bool, source_name: str, order: str | None = None
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return seconds and which rows are missing.

    Parameters
    ----------
    column : dates, instants, times of day, or strings that spell them.
    name : name of the column, for messages.
    zone : time zone in which instants are read; None for the zone of the column. Times without a zone are not
        converted.
    dated : True for seconds since 1970, False for seconds since midnight.
    source_name : name of the table in messages.
    order : order of day, month and year in dates written as text, see `written_dates`; None for 2013-01-31.
    """
    if order is not None and (is_string(column.type) or kind_of(column.type) == "category"):
        return _written(column, name, order, source_name)
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    missing = column.is_null().to_numpy(zero_copy_only=False)
    if types.is_null(column.type):
        return np.zeros(len(column), dtype=np.int64), missing
    if is_string(column.type):
        column = _spelled(column, name, zone, dated, source_name)
    kind = column.type
    if kind_of(kind) != "time" or types.is_time(kind) == dated:
        expected = "dates or times with a date" if dated else "times of day"
        raise DataError(
            f"{source_name}: column {name!r} holds {type_name(kind)}: expected {expected}, as when the model was "
            "fitted; convert it."
        )
    seconds = _seconds(column)
    if len(seconds) and (seconds.min() < YEAR_1 or seconds.max() >= YEAR_10000):
        raise DataError(
            f"{source_name}: column {name!r} holds a time before the year 1 or after 9999: expected times in between; "
            "correct the value, or leave it empty."
        )
    if types.is_timestamp(kind) and kind.tz is not None:
        try:
            seconds = _seconds(pc.local_timestamp(column.cast(pa.timestamp(kind.unit, zone or kind.tz))))
        except pa.ArrowInvalid as error:
            raise DataError(
                f"{source_name}: column {name!r}: unknown time zone {zone or kind.tz!r}: {error}; convert the column "
                "to UTC."
            ) from None
    return seconds, missing


def _spelled(column: Any, name: str, zone: str | None, dated: bool, source_name: str) -> Any:
    kinds = (pa.timestamp("us"), pa.timestamp("us", zone or "UTC")) if dated else (pa.time64("us"),)
    for kind in kinds:
        try:
            return column.cast(kind)
        except pa.ArrowInvalid as error:
            said = str(error)
    raise DataError(
        f"{source_name}: column {name!r} does not hold times, as when the model was fitted: {said}: expected dates and "
        "times such as 2013-01-31 or 2013-01-31T12:30:00; correct the value. To read dates such as 31/01/2013, fit "
        f"with their order: {kind_remedy(name, 'day-first')}."
    )


def _written(column: Any, name: str, order: str, source_name: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the seconds of dates written as text in this order."""
    levels, rows = as_levels(column)
    seconds, bad = date_parts_of(levels).in_order(order)
    missing = rows < 0
    wrong = rows[~missing & bad[np.maximum(rows, 0)]] if len(levels) else rows[:0]
    if len(wrong):
        value, others = levels[int(wrong[0])].as_py(), " or ".join(other for other in ORDERS if other != order)
        raise DataError(
            f"{source_name}: column {name!r} holds {value!r}: expected dates written {order}, such as "
            f"{EXAMPLES[order]}, as in the rows of the fit; correct the value, or fit with the order that all dates "
            f"have, {others} (--kind {shlex.quote(name + '=' + others.split()[0])}; kinds)."
        )
    return np.append(seconds, 0)[rows], missing


def _seconds(column: Any) -> NDArray[np.int64]:
    kind = column.type
    ticks = column.cast(pa.int32()) if types.is_date32(kind) or types.is_time32(kind) else column.cast(pa.int64())
    whole: NDArray[np.int64] = ticks.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if types.is_date32(kind):
        return whole * DAY_SECONDS
    return whole // (1000 if types.is_date64(kind) else TICKS[kind.unit])
