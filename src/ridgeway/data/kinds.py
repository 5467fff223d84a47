"""The kinds of columns that a user can give; the command line shows them before it imports pyarrow."""

KINDS = ("number", "boolean", "category", "text", "time", "day-first", "month-first", "year-first", "drop")
