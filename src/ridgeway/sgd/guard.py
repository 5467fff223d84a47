"""The tally of a run, in which the loops count rows too large for the step and signs of divergence.

The rules are in `core/sgd/guard.hpp`; this file names the entries of the tally.
"""

from __future__ import annotations

# Places in the tally of a run, where q = weight * |x|^2, r is a residual and t^2 = y^2 + |w_0|^2 |x|^2 the size of what
# has to be explained at a row.
N_CLIPPED = 0  # rows whose step was clipped
SUM_Q = 1
SUM_Q2 = 2
LARGEST_Q = 3
LARGEST_T2 = 4
TALLY_SIZE = 8  # the other places hold recent means of r^2 and t^2

# A step with step * q <= 2 never moves w away from any solution, so a run of such steps cannot diverge, even with large
# residuals of outlying rows. After the first larger step, predictions are compared with the size of the targets so far.
SAFE_RATIO = 2.0
EXPLOSION_FACTOR = 1e3
