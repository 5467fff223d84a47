"""The learner of a column, by its type or by the kind that the user gave."""

from __future__ import annotations

from typing import Any

from ridgeway.data.encoding.dropped import NOT_SUPPORTED, DroppingLearner
from ridgeway.data.encoding.encoding import Learner
from ridgeway.data.encoding.number import NumberLearner
from ridgeway.data.encoding.string_learner import StringLearner
from ridgeway.data.encoding.time import TimeLearner
from ridgeway.data.kinds import unknown_kind
from ridgeway.data.schema import kind_of, type_name


def learner_of(column: str, arrow_type: Any, kind: str | None = None) -> Learner:
    """Return the learner of a column.

    Parameters
    ----------
    column : its name.
    arrow_type : its type.
    kind : the kind given by the user; None to use the type.
    """
    match kind or kind_of(arrow_type):
        case "number":
            return NumberLearner(column, given=kind is not None)
        case "boolean":
            return NumberLearner(column, boolean=True)
        case "time":
            return TimeLearner(column)
        case "day-first" | "month-first" | "year-first":
            return TimeLearner(column, kind)
        case "category":
            return StringLearner(column, "category" if kind else None)
        case "text":
            return StringLearner(column, "text" if kind else None)
        case "empty":
            return DroppingLearner(column, "all values are missing")
        case "drop":
            return DroppingLearner(column, "as requested")
        case "other":
            return DroppingLearner(column, f"{type_name(arrow_type)} {NOT_SUPPORTED}")
    raise unknown_kind(str(kind), column)
