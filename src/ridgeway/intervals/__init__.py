"""Prediction intervals from held-out residuals: conformal half-widths, plain or relative to a fitted spread."""
