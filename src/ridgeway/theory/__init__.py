"""What averaging does to each direction of the data, in formulas."""

from ridgeway.theory.residual_filter import residual_filter

__all__ = ["residual_filter"]
