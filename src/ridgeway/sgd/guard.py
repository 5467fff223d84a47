"""What the loops of steps watch while they run: rows too large for the step, and the signs of divergence.

The rules themselves are in `core/sgd/guard.hpp`; here are the names of what they leave in the tally of a run.
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

# A step with step * q <= 2 cannot take w further from any solution, so a run of such steps never diverges, however
# large the residual of an outlying row is. After the first larger one, predictions are compared with what the rows so
# far had to explain.
SAFE_RATIO = 2.0
EXPLOSION_FACTOR = 1e3
