"""Units of time, in seconds."""

DAY_SECONDS = 86_400
YEAR_SECONDS = 31_556_952  # of the Gregorian calendar, on average
