"""The exact engines: ridge and every other average by Gram matrices or Krylov spaces; `ExactRidgePath`, the oracle."""

from ridgeway.exact.ridge_path import ExactRidgePath

__all__ = ["ExactRidgePath"]
