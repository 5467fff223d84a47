"""The kinds of columns that a user can give; the command line shows them before it imports pyarrow."""

KINDS = ("number", "boolean", "category", "text", "time", "day-first", "month-first", "year-first", "drop")


def unknown_kind(kind: str, column: str) -> ValueError:
    """Return the error for an unknown kind."""
    return ValueError(f"kinds: {kind!r} for column {column!r} is unknown: expected one of {', '.join(KINDS)}.")
