"""A map of the best average, geometric or tail, by number of steps, signal-to-noise ratio and conditioning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.averaging import Geometric, Last, Scheme, Staircase, Tail, Uniform
from ridgeway.theory.arguments import eigenvalues_of, n_steps_of, positive
from ridgeway.theory.comparison import alphas_between, modes_of, starts_within
from ridgeway.theory.risk import risk_in_modes
from ridgeway.theory.winner_map_display import WinnerMapDisplay

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

AVERAGE_KINDS = ("geometric", "tail", "uniform", "last")


@dataclass(frozen=True)
class WinnerMap:
    """Least exact risks of each kind of average over a grid.

    Attributes
    ----------
    spectra : names of the spectra, the first axis of the grid.
    n_steps : numbers of steps, the second axis.
    snrs : signal-to-noise ratios, the third axis.
    risks : (4, spectra, n_steps, snrs), the least risk for noise of variance 1 by kind, as in `AVERAGE_KINDS`:
        geometric over alpha > 0, tail over starts strictly within the run, uniform, last.
    alphas : (spectra, n_steps, snrs), the best alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.theory import winner_map
    >>> drawn = winner_map({"1/i": 1 / np.arange(1, 11)}, n_steps=[1000, 10_000], snrs=[0.05, 50.0])
    >>> drawn.winner[0]
    array([['geometric', 'tail'],
           ['geometric', 'tail']], dtype='<U9')
    >>> drawn.tail_over_geometric.shape
    (1, 2, 2)
    """

    spectra: tuple[str, ...]
    n_steps: tuple[int, ...]
    snrs: tuple[float, ...]
    risks: Array = field(repr=False)
    alphas: Array = field(repr=False)

    @property
    def winner(self) -> NDArray[np.str_]:
        """The kind of least risk, (spectra, n_steps, snrs)."""
        # Uniform and last come first, so that they win where a search only came close to them.
        order = [2, 3, 0, 1]
        winner: NDArray[np.str_] = np.array(AVERAGE_KINDS)[order][np.argmin(self.risks[order], axis=0)]
        return winner

    @property
    def margin(self) -> Array:
        """How much larger the least risk of any other kind is, as a share."""
        ordered = np.sort(self.risks, axis=0)
        margin: Array = ordered[1] / ordered[0] - 1
        return margin

    @property
    def tail_over_geometric(self) -> Array:
        """Least risk of tails divided by that of geometric averages: geometric is better above 1.

        Both families include the uniform average, and tails include the last iterate.
        """
        geometric, tail, uniform, last = self.risks
        ratio: Array = np.minimum(np.minimum(tail, last), uniform) / np.minimum(geometric, uniform)
        return ratio

    def plot(self, axs: Any = None) -> Any:
        """Draw one panel for each spectrum; returns a `WinnerMapDisplay`."""
        return WinnerMapDisplay(self).plot(axs)


def winner_map(
    spectra: Mapping[str, ArrayLike] | None = None,
    n_steps: Iterable[int] = (30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000),
    snrs: Iterable[float] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
    *,
    step: float | Staircase | None = None,
    kurtosis: float = 3.0,
    batch_size: int = 1,
) -> WinnerMap:
    """Compare geometric, tail and uniform averages and the last iterate over a grid of problems, by exact risk.

    The signal w_0 - w* has equal entries in the eigenbasis. The assumptions are those of `excess_risk`.

    Parameters
    ----------
    spectra : eigenvalues (d,) by name; None takes i^-p for i = 1..20 and p = 0, 1, 2, from well to badly conditioned.
    n_steps : numbers of steps, each 1 or more.
    snrs : signal-to-noise ratios v' Sigma v / sigma^2, above 0.
    step : step size or staircase of step sizes; None is 1 / (2 R^2) of each spectrum.
    kurtosis, batch_size : as in `excess_risk`.
    """
    if spectra is None:
        places = np.arange(1, 21.0)
        spectra = {"eigenvalues 1": places**-0.0, "eigenvalues 1/i": places**-1, "eigenvalues 1/i²": places**-2}
    lengths = tuple(n_steps_of(n) for n in n_steps)
    ratios = tuple(positive("snr", snr, "signal-to-noise ratios must be above 0", "start at 0.01") for snr in snrs)
    if not spectra or not lengths or not ratios:
        raise ValueError("the grid is empty: expected at least one spectrum, one number of steps and one ratio.")
    risks = np.empty((len(AVERAGE_KINDS), len(spectra), len(lengths), len(ratios)))
    alphas = np.empty(risks.shape[1:])
    for k, values in enumerate(spectra.values()):
        s = eigenvalues_of(values)
        modes, seen = modes_of(s, step, max(lengths), kurtosis, batch_size)
        s = s[seen]
        v = np.full(len(s), 1 / np.sqrt(s.sum()))  # v' Sigma v = 1: risks are linear in the ratio
        for i, n in enumerate(lengths):
            strengths = alphas_between(modes, n)
            families: list[list[Scheme]] = [
                [Geometric(alpha) for alpha in strengths.tolist()],
                [Tail(int(start)) for start in starts_within(n)] if n > 1 else [Uniform()],
                [Uniform()],
                [Last()],
            ]
            for kind, family in enumerate(families):
                parts = [risk_in_modes(scheme, modes, v, 1.0, n) for scheme in family]
                variances = np.array([part.variance for part in parts])
                biases = np.array([part.total for part in parts]) - variances
                totals = np.multiply.outer(ratios, biases) + variances  # (snrs, schemes)
                risks[kind, k, i] = totals.min(axis=1)
                if kind == 0:
                    alphas[k, i] = strengths[totals.argmin(axis=1)]
    return WinnerMap(tuple(spectra), lengths, ratios, risks, alphas)
