"""Checks of arguments other than rows: numbers, and the columns of an estimator."""
