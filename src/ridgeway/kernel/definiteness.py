"""Kernels that are not positive definite: how they are recognized, and their error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ridgeway.kernel.kernel_entries import KernelEntries

MAX_NEGATIVE_SHARE = 1e-3  # of the mean diagonal; a negative eigenvalue up to this size is rounding
DEFINITENESS_SAMPLE_ROWS = 500  # whose kernel matrix is looked at


class NotPositiveDefiniteError(ValueError):
    """A kernel with clearly negative eigenvalues: no function space belongs to it, and runs diverge.

    Parameters
    ----------
    evidence : how it was found out, in words.
    """

    def __init__(self, evidence: str) -> None:
        super().__init__(f"the kernel is not positive definite: {evidence}; use a positive definite kernel.")


def require_definite(entries: KernelEntries, rng: np.random.Generator) -> None:
    """Refuse a kernel that is negative on the diagonal, or whose matrix of a sample of rows has a negative eigenvalue.

    Parameters
    ----------
    entries : of the kernel matrix.
    rng : draws up to 500 rows.
    """
    diagonal = entries.diagonal()
    if not (diagonal >= 0).all():
        raise NotPositiveDefiniteError(f"k(x, x) is {diagonal.min():g} for some row")
    some = rng.permutation(len(entries))[:DEFINITENESS_SAMPLE_ROWS]
    matrix = entries.between(some, some).astype(np.float64)
    lowest, size = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0]), float(np.trace(matrix)) / len(some)
    if lowest < -MAX_NEGATIVE_SHARE * size:
        raise NotPositiveDefiniteError(
            f"the kernel matrix of {len(some)} rows has the eigenvalue {lowest:.3g}: expected at least "
            f"{-MAX_NEGATIVE_SHARE:g} times its mean diagonal ({size:.3g})"
        )
