"""A pilot: exact kernel ridge regression on a few rows tells roughly which strength all of them will need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.kernel.blocks import Gram
from ridgeway.kernel.definiteness import require_definite

MOST_ROWS = 500
STRENGTHS = np.logspace(-10, 1, 34)  # shares of the mean of k(x, x)
EXPONENT = 0.75  # the best strength falls with about this power of the number of rows


class Pilot(NamedTuple):
    """What a few rows say.

    Attributes
    ----------
    alpha : guess of the best strength for all rows.
    error : leave-one-out error of the best strength on the few.
    """

    alpha: float
    error: float


def pilot(gram: Gram, y: NDArray[np.float64], weight: NDArray[np.float64], rng: np.random.Generator) -> Pilot:
    """Solve for all strengths on at most 500 rows, in the eigenbasis of their kernel matrix, and leave each row out.

    Parameters
    ----------
    gram : the kernel matrix.
    y : (n, targets), centred.
    weight : (n,).
    rng : draws the rows.
    """
    n_rows = len(gram)
    few = rng.permutation(n_rows)[:MOST_ROWS]
    root = np.sqrt(weight[few])
    matrix = gram.between(few, few).astype(np.float64) * root[:, None] * root
    unit = float(np.trace(matrix)) / len(few)
    if not unit > 0:
        return Pilot(1.0, np.inf)
    eigenvalues, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    require_definite(float(eigenvalues[0]), unit)
    along = vectors.T @ (root[:, None] * y[few])
    squares = vectors**2
    errors = []
    for strength in STRENGTHS:
        inverse = 1 / (np.maximum(eigenvalues, 0) + len(few) * unit * strength)
        left_out = (vectors @ (inverse[:, None] * along)) / (squares @ inverse)[:, None]
        errors.append(float((left_out**2).sum()))
    best = int(np.argmin(errors))
    alpha = unit * STRENGTHS[best] * (len(few) / n_rows) ** EXPONENT
    return Pilot(float(alpha), errors[best] / len(few))
