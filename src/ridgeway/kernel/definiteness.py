"""Kernels that are not positive definite: how they are recognized, and their error."""

from __future__ import annotations

BEYOND_ROUNDING = 1e-3  # of the mean diagonal


class NotPositiveDefiniteError(ValueError):
    """A kernel with clearly negative eigenvalues: no function space belongs to it, and runs diverge.

    Parameters
    ----------
    evidence : how it was found out, in words.
    """

    def __init__(self, evidence: str) -> None:
        super().__init__(f"the kernel is not positive definite: {evidence}; use a positive definite kernel.")


def require_definite(lowest: float, size: float) -> None:
    """Refuse a kernel matrix whose lowest eigenvalue is negative beyond rounding; `size` is its mean diagonal."""
    if lowest < -BEYOND_ROUNDING * size:
        raise NotPositiveDefiniteError(
            f"the matrix of some rows has the eigenvalue {lowest:.3g}, with a mean diagonal of {size:.3g}"
        )
