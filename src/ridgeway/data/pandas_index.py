"""Find the index of a pandas data frame in frames and files. It labels rows and is not a feature."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ridgeway.messages.user_warning import warn_user

WITHOUT_NAME = re.compile(r"__index_level_\d+__")  # what pyarrow calls the column of an index that has no name


def index_columns(schema: Any) -> list[str]:
    """Return the columns of an Arrow schema that hold the index of a pandas data frame."""
    noted = _noted(schema.metadata or {})
    return [name for name in schema.names if name in noted or WITHOUT_NAME.fullmatch(name)]


def csv_index(names: Sequence[str]) -> list[str]:
    """Return the columns of a CSV file that hold an index: pandas and R write it first, with an empty name."""
    return [
        name
        for place, name in enumerate(names)
        if WITHOUT_NAME.fullmatch(name) or (place == 0 < len(names) - 1 and not name)
    ]


def warn_of_index(names: Sequence[Any], source_name: str) -> None:
    """Warn of an index with a name, which may be meant as data."""
    if "" in names:
        warn_user(
            f"{source_name}: the first column has no name and is ignored, because pandas writes the index there: to "
            "use it, give it a name."
        )
    named = [name for name in names if name not in (None, "") and not WITHOUT_NAME.fullmatch(str(name))]
    if named:
        warn_user(
            f"{source_name}: the pandas index {', '.join(map(repr, named))} is ignored, because it labels the rows: to "
            "use it, make it a column with frame.reset_index()."
        )


def _noted(metadata: Any) -> set[str]:
    """Return the names that pandas noted in the metadata; an index that is a plain range has none."""
    try:
        index = json.loads(metadata.get(b"pandas", b"{}")).get("index_columns", [])
        return {name for name in index if isinstance(name, str)}
    except (ValueError, AttributeError, TypeError):  # not of pandas
        return set()
