"""Effective dimensions of ridge regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.theory.arguments import eigenvalues_of
from ridgeway.validation.scalars import ridge_strength

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class EffectiveDimension:
    """The degrees of freedom d1 of ridge regression, and d2, which its variance is proportional to."""

    d1: float
    d2: float


def effective_dimension(eigenvalues: ArrayLike, alpha: float) -> EffectiveDimension:
    """Return both effective dimensions of a spectrum.

    ::

        d1 = tr Sigma (Sigma + alpha)^{-1},   d2 = tr Sigma^2 (Sigma + alpha)^{-2}

    At alpha = 0 both are the rank.

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    alpha : ridge strength, 0 or more.

    Examples
    --------
    >>> from ridgeway.theory import effective_dimension
    >>> effective_dimension([1.0, 0.1, 0.0], alpha=0.1)
    EffectiveDimension(d1=1.40909..., d2=1.07644...)
    """
    s = eigenvalues_of(eigenvalues)
    strength = ridge_strength(alpha, "alpha=0 counts the rank")
    share = np.divide(s, s + strength, out=np.zeros_like(s), where=s > 0)
    return EffectiveDimension(float(share.sum()), float((share**2).sum()))
