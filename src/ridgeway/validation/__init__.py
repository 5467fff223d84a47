"""Checks of arguments that are no rows: numbers, and the columns that an estimator knows."""
