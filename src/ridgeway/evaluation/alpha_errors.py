"""The error of every ridge strength on the same rows, to compare the chosen strength with the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.averaging.scheme_name import scheme_name

Array = NDArray[np.float64]

EVALUATED_ALPHAS_PER_DECADE = 8
MIN_EVALUATED_ALPHA_TIME = 1e-1  # alpha times the time of the run at the weak end: weaker ones hardly differ
MAX_ALPHA = 1e3
MAX_EVALUATED_DECADES = 9
MAX_OWN_DECADES = 6  # a model's own alpha further outside is not among the evaluated ones
SAME_ERROR = 1e-4  # relative difference of errors that is too small to matter
SAME_SHARE = 5e-4  # relative difference of two errors below which the text calls them the same


def evaluated_alphas(elapsed: float, own: float | None = None) -> Array:
    """Return strengths from nearly no shrinkage to nearly complete shrinkage, with round logarithms.

    Parameters
    ----------
    elapsed : time of the run.
    own : the model's own strength, which lies among the returned ones unless it is more than `MAX_OWN_DECADES` away
        from all others; None if it has none.

    Examples
    --------
    >>> alphas = evaluated_alphas(1e4)
    >>> print(f"{alphas[0]:g} to {alphas[-1]:g}, {len(alphas)} of them")
    1e-05 to 1000, 65 of them
    """
    top = round(np.log10(MAX_ALPHA) * EVALUATED_ALPHAS_PER_DECADE)
    first = int(np.floor(np.log10(MIN_EVALUATED_ALPHA_TIME / elapsed) * EVALUATED_ALPHAS_PER_DECADE))
    first = min(max(first, top - MAX_EVALUATED_DECADES * EVALUATED_ALPHAS_PER_DECADE), top - 1)
    if own is not None and own > 0:
        place, most = np.log10(own) * EVALUATED_ALPHAS_PER_DECADE, MAX_OWN_DECADES * EVALUATED_ALPHAS_PER_DECADE
        if first - most <= place <= top + most:
            first, top = min(first, int(np.floor(place))), max(top, int(np.ceil(place)))
    return 10.0 ** (np.arange(first, top + 1) / EVALUATED_ALPHAS_PER_DECADE)


class AlphaSums:
    """Weighted sums of squared errors of every strength.

    Parameters
    ----------
    alphas : (L,), increasing.
    n_targets : number of targets.
    """

    def __init__(self, alphas: Array, n_targets: int) -> None:
        self.alphas = alphas
        self._squares, self._fourths = np.zeros((2, len(alphas), n_targets))
        self._weight = self._squared_weights = 0.0

    def add(self, actual: Array, predicted: Array, weight: Array) -> None:
        """Take in rows: (n, targets), (n, L, targets) and (n,)."""
        with np.errstate(over="ignore"):
            squares = (predicted - actual[:, None, :]) ** 2
            self._squares = self._squares + np.einsum("n,nlq->lq", weight, squares)
            self._fourths = self._fourths + np.einsum("n,nlq->lq", weight, squares**2)
        self._weight += float(weight.sum())
        self._squared_weights += float(weight @ weight)

    def result(self, own: Array) -> tuple[AlphaErrors, ...]:
        """Return the errors of each target; `own` (targets,) are those of the selected average."""
        squares, n_rows = self._squares / self._weight, self._weight**2 / self._squared_weights
        with np.errstate(over="ignore", invalid="ignore"):
            variance = np.maximum(self._fourths / self._weight - squares**2, 0.0) / n_rows
        errors = np.where(np.isfinite(variance), np.sqrt(variance), 0.0)  # of strengths whose errors overflow: unknown
        least = squares.argmin(axis=0)
        return tuple(
            AlphaErrors(self.alphas, np.sqrt(squares[:, target]), float(error), float(errors[least[target], target]))
            for target, error in enumerate(own)
        )


@dataclass(frozen=True, eq=False, repr=False)
class AlphaErrors:
    """Errors of ridge strengths on the same rows, of one target.

    Attributes
    ----------
    alphas : (L,), increasing.
    rmse : (L,), their typical errors.
    own : typical error of the selected average.
    standard_error : of the least mean squared error.
    """

    alphas: Array
    rmse: Array
    own: float
    standard_error: float = 0.0

    @property
    def best(self) -> float:
        """The strength of least error; of several that are alike to `SAME_ERROR`, the strongest."""
        return float(self.alphas[self.rmse <= (1 + SAME_ERROR) * self.rmse.min()].max())

    @property
    def excess(self) -> float:
        """Share by which the model's own typical error is above the least, below 0 where it is the least."""
        least = float(self.rmse.min())
        return self.own / least - 1 if least > 0 else 0.0

    def __repr__(self) -> str:
        return f"AlphaErrors({len(self.alphas)} alphas, best={self.best:.3g}, excess={self.excess:.3g})"

    def sentence(self, scheme: Scheme) -> str:
        """Return in words which alpha would have been best, and how far the model's own average is above it.

        Nothing is told of a difference within one standard error of the least error: it may be chance.

        Parameters
        ----------
        scheme : the model's own average.
        """
        if self.excess <= SAME_SHARE or self.own**2 <= self.rmse.min() ** 2 + self.standard_error:
            return "No other alpha would have been notably better on these rows."
        return (
            f"alpha={self.best:.3g} would have been best here; the error of {scheme_name(scheme)} is "
            f"{100 * self.excess:.1f}% above it."
        )

    def values(self) -> dict[str, Any]:
        """Return plain values."""
        return {"alphas": self.alphas.tolist(), "rmse": self.rmse.tolist(), "best": self.best, "excess": self.excess}
