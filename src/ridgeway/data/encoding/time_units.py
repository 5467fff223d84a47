"""Units of time, in seconds."""

DAY = 86_400
YEAR = 31_556_952  # of the Gregorian calendar, on average
