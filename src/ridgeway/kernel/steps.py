"""The steps within a block of rows: forward substitution, in compiled code.

One pass of SGD for least squares solves a triangular system: the residual of a row is what is left of its target by the
steps before it,

    r_i = y_i - f(x_i) - sum_{steps j before} k(x_i, x_j) gain_j ,     gain_i = rate_i r_i .

What earlier blocks contribute comes by matrix products; here is the triangle of one block.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float


@compiled
def substitute(
    gram: Float, order: NDArray[np.intp], begins: NDArray[np.intp], rates: Float, residuals: Float, gains: Float
) -> None:
    """Step through the rows of a block in turn; several runs, each with its own rates and targets, side by side.

    Parameters
    ----------
    gram : (b, b), k(x_i, x_j) of the rows of the block in their stored order.
    order : (b,), the rows in the order of the steps.
    begins : (b,), how many rows of the order come before the step that a row belongs to (a mini-batch is one step).
    rates : (b, runs), step times weight of each row, in stored order; 0 for rows that a run does not learn from.
    residuals : (b, runs, targets), in stored order; at first without the steps of this block, changed in place.
    gains : (b, runs, targets), in stored order, filled in.
    """
    n_runs, n_targets = residuals.shape[1], residuals.shape[2]
    for place in range(len(order)):
        i = order[place]
        for earlier in range(begins[place]):
            j = order[earlier]
            g = gram[i, j]
            for run in range(n_runs):
                for target in range(n_targets):
                    residuals[i, run, target] -= g * gains[j, run, target]
        for run in range(n_runs):
            for target in range(n_targets):
                gains[i, run, target] = rates[i, run] * residuals[i, run, target]
