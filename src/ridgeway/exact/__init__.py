"""The oracle: the exact ridge path from one Gram matrix and one eigendecomposition."""

from ridgeway.exact.ridge_path import ExactRidgePath

__all__ = ["ExactRidgePath"]
