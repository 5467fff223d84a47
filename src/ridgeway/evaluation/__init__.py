"""Evaluation of a fitted model on rows whose targets are known: errors, coverage, calibration, groups, every alpha."""
