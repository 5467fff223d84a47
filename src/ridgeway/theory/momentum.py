"""Momentum: the discounts with which averages of heavy-ball and Nesterov iterates are ridge."""

from __future__ import annotations

import math

from ridgeway.theory.arguments import momentum_of, step_of
from ridgeway.validation.scalars import ridge_strength


def heavy_ball_discount(alpha: float, step: float, momentum: float) -> float:
    """Return the discount zeta for which the average of heavy-ball iterates is ridge.

    ::

        w_{t+1} = w_t - eta g_t + beta (w_t - w_{t-1}),   w_{-1} = w_0
        (1 - zeta) (1 - beta zeta) = eta alpha zeta
        (1 - zeta) sum_t zeta^t E w_t = (Sigma + alpha)^{-1} (E[xy] + alpha w_0)

    for gradients g_t of least squares over all rows, or over rows drawn independently. The sum converges at every step
    for which the iteration itself does, eta s_max < 2 (1 + beta), and somewhat beyond. With the plain discount
    1 / (1 + eta alpha) in place of zeta the average is ridge of the weaker strength alpha (1 - beta / (1 + eta alpha)).
    The iteration must start without velocity.

    Parameters
    ----------
    alpha : ridge strength, 0 or more; at 0 the discount is 1.
    step : step size eta.
    momentum : beta, from 0 to below 1.

    Examples
    --------
    >>> from ridgeway.theory import heavy_ball_discount
    >>> zeta = heavy_ball_discount(alpha=0.5, step=0.1, momentum=0.9)
    >>> w = before = total = 0.0
    >>> for t in range(2000):  # Sigma = 1, E[xy] = 3: ridge is 3 / 1.5
    ...     total += (1 - zeta) * zeta**t * w
    ...     before, w = w, w - 0.1 * (w - 3) + 0.9 * (w - before)
    >>> round(total, 12)
    2.0
    """
    strength, eta, beta = ridge_strength(alpha, "alpha=0 is no discount"), step_of(step), momentum_of(momentum)
    half = (1 + beta + eta * strength) / 2
    # half^2 - beta, without the cancellation of large squares
    root = math.sqrt((half - math.sqrt(beta)) * (half + math.sqrt(beta)))
    return min(1.0, 1 / (half + root))


def nesterov_discount(alpha: float, step: float, momentum: float) -> float:
    """Return the discount zeta for which the average of Nesterov's extrapolated points is ridge.

    ::

        y_t = w_t + beta (w_t - w_{t-1}),   w_{t+1} = y_t - eta g(y_t),   w_{-1} = w_0
        (1 + beta) zeta - beta zeta^2 = 1 / (1 + eta alpha)
        (1 - zeta) sum_t zeta^t E y_t = (Sigma + alpha)^{-1} (E[xy] + alpha w_0)

    for gradients g of least squares over all rows, or over rows drawn independently, at the points y_t. Average the
    y_t, not the w_t: from w_0 = 0 the average of the w_t is ridge divided by 1 + beta (1 - zeta).

    Parameters
    ----------
    alpha : ridge strength, 0 or more; at 0 the discount is 1.
    step : step size eta.
    momentum : beta, from 0 to below 1.

    Examples
    --------
    >>> from ridgeway.theory import nesterov_discount
    >>> zeta = nesterov_discount(alpha=0.5, step=0.1, momentum=0.9)
    >>> w = before = total = 0.0
    >>> for t in range(2000):  # Sigma = 1, E[xy] = 3: ridge is 3 / 1.5
    ...     point = w + 0.9 * (w - before)
    ...     total += (1 - zeta) * zeta**t * point
    ...     before, w = w, point - 0.1 * (point - 3)
    >>> round(total, 12)
    2.0
    """
    strength, eta, beta = ridge_strength(alpha, "alpha=0 is no discount"), step_of(step), momentum_of(momentum)
    plain = 1 / (1 + eta * strength)
    root = math.sqrt((1 - beta) ** 2 + 4 * beta * (eta * strength * plain))
    return min(1.0, 2 * plain / (1 + beta + root))
