"""Which average has the least risk for a spectrum, a signal-to-noise ratio and a number of steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.averaging import Geometric, Last, Scheme, Staircase, Tail, Uniform
from ridgeway.theory.arguments import (
    batch_size_of,
    eigenvalues_of,
    kurtosis_of,
    n_steps_of,
    positive,
    staircase_of,
    variance_of,
    vector_beside,
)
from ridgeway.theory.closed_risk import Modes
from ridgeway.theory.comparison_display import ComparisonDisplay
from ridgeway.theory.fourth_moments import fourth_moment_r2, require_stable
from ridgeway.theory.risk import ExcessRisk, risk_in_modes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

COMPARED_ALPHAS_PER_DECADE = 6  # of the first grid
N_TAIL_STARTS = 24  # first tails, denser near both ends of the run
N_REFINED = 9  # places between the neighbours of the best, twice


@dataclass(frozen=True)
class Compared:
    """An average and its exact excess risk."""

    scheme: Scheme
    risk: ExcessRisk

    @property
    def kind(self) -> str:
        """The family: "geometric", "tail", "uniform", "last" or the name of another scheme in lower case."""
        return type(self.scheme).__name__.lower()


@dataclass(frozen=True)
class Comparison:
    """Exact risks of averages of one run, by kind.

    Attributes
    ----------
    table : every average that was computed.
    step, n_steps : of the run.
    snr : signal-to-noise ratio v' Sigma v / sigma^2; inf for labels without noise.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.theory import compare
    >>> print(compare(1 / np.arange(1, 21), n_steps=1000, snr=1.0))
    1,000 steps of 0.0893, signal-to-noise 1: the best of each kind
            risk         bias     variance  scheme
         0.02565     0.002867      0.02278  Tail(start=96)
         0.02787      0.00804      0.01983  Uniform()
         0.02791     0.008097      0.01982  Geometric(alpha=0.000111...)
          0.2012    7.764e-06       0.2012  Last()
    """

    table: tuple[Compared, ...] = field(repr=False)
    step: float | Staircase
    n_steps: int
    snr: float

    @property
    def run(self) -> str:
        """The number of steps and their size, in words."""
        sizes = Staircase.of(self.step).sizes
        step = f"{sizes[0]:.3g}" if len(sizes) == 1 else f"{min(sizes):.3g} to {max(sizes):.3g}"
        return f"{self.n_steps:,} steps of {step}"

    @cached_property
    def best(self) -> dict[str, Compared]:
        """The best average of each kind, the least risk first; equal risks go to the kind with fewer parameters."""
        best: dict[str, Compared] = {}
        for row in sorted(self.table, key=lambda row: (row.risk.total, row.kind in ("geometric", "tail"))):
            best.setdefault(row.kind, row)
        return best

    @property
    def winner(self) -> Compared:
        """The average of least risk."""
        return next(iter(self.best.values()))

    @property
    def margin(self) -> float:
        """How much larger the risk of the best average of any other kind is, as a share; inf if there is none."""
        risks = [row.risk.total for row in self.best.values()]
        if len(risks) == 1:
            return float("inf")
        return risks[1] / risks[0] - 1 if risks[0] > 0 else 0.0

    def of_kind(self, kind: str) -> tuple[Compared, ...]:
        """Return the averages of a kind, geometric ones by alpha, tails by start."""
        rows = [row for row in self.table if row.kind == kind]
        return tuple(sorted(rows, key=lambda row: getattr(row.scheme, "alpha", getattr(row.scheme, "start", 0.0))))

    def plot(self, ax: Any = None) -> Any:
        """Draw the risk of every average that was computed; returns a `ComparisonDisplay`."""
        return ComparisonDisplay(self).plot(ax)

    def __str__(self) -> str:
        lines = [f"{self.run}, signal-to-noise {self.snr:.3g}: the best of each kind"]
        lines.append(f"{'risk':>12} {'bias':>12} {'variance':>12}  scheme")
        for row in self.best.values():
            bias = row.risk.total - row.risk.variance
            lines.append(f"{row.risk.total:>12.4g} {bias:>12.4g} {row.risk.variance:>12.4g}  {row.scheme}")
        return "\n".join(lines)


def compare(
    eigenvalues: ArrayLike,
    n_steps: int,
    *,
    bias: ArrayLike | None = None,
    snr: float | None = None,
    noise_variance: float = 1.0,
    step: float | Staircase | None = None,
    kurtosis: float = 3.0,
    batch_size: int = 1,
    schemes: Iterable[Scheme] | None = None,
) -> Comparison:
    """Find the average of least exact risk: the best alpha, the best tail, the uniform average or the last iterate.

    The assumptions are those of `excess_risk`. A geometric average is best if the signal is weak compared with the
    noise. If the signal is strong and the run is long enough to forget the start, a tail is best.

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    n_steps : number of steps, 1 or more.
    bias : (d,), w_0 - w* in the eigenbasis; None takes equal entries that give `snr`.
    snr : signal-to-noise ratio v' Sigma v / sigma^2; `bias` is scaled to it. Needed where `bias` is None.
    noise_variance : sigma^2.
    step : step size or staircase of step sizes; None is 1 / (2 R^2), the largest step of the bounds. With a staircase
        every risk is computed by a recursion over all steps.
    kurtosis, batch_size : as in `excess_risk`.
    schemes : averages to compare; None searches over all alphas and all starts of a tail, beside `Uniform` and `Last`.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.theory import compare
    >>> s = 1 / np.arange(1, 21)
    >>> compare(s, n_steps=300, snr=0.05).winner.kind, compare(s, n_steps=300, snr=50.0).winner.kind
    ('geometric', 'tail')
    """
    s = eigenvalues_of(eigenvalues)
    n, sigma2 = n_steps_of(n_steps), variance_of(noise_variance)
    v = _scaled(s, bias, snr, sigma2)
    modes, seen = modes_of(s, step, n, kurtosis, batch_size)
    v = v[seen]

    def row(scheme: Scheme) -> Compared:
        return Compared(scheme, risk_in_modes(scheme, modes, v, sigma2, n))

    if schemes is not None:
        rows = [row(scheme) for scheme in schemes]
        if not rows:
            raise ValueError("schemes is empty: expected at least one scheme, or None for all kinds.")
    else:
        rows = [row(Uniform()), row(Last())]
        rows += _searched(row, alphas_between(modes, n), Geometric, np.geomspace)
        if n > 1:
            rows += _searched(row, starts_within(n), lambda start: Tail(round(start)), np.linspace)
    signal = float((modes.s * v * v).sum())
    return Comparison(tuple(rows), modes.step, n, signal / sigma2 if sigma2 else float("inf"))


def modes_of(
    s: Array, step: float | Staircase | None, n_steps: int, kurtosis: float, batch_size: int
) -> tuple[Modes, NDArray[np.bool_]]:
    """Return the modes of checked arguments, for runs of up to n_steps steps, and a mask of the eigenvalues used."""
    kappa, b = kurtosis_of(kurtosis), batch_size_of(batch_size)
    steps = staircase_of(0.5 / fourth_moment_r2(s, kappa) if step is None else step)
    require_stable(s, steps.largest_of(n_steps), kappa, b)
    seen = s > 0
    return Modes(s[seen], steps.last if steps.constant else steps, kappa, b), seen


def alphas_between(modes: Modes, n_steps: int) -> Array:
    """Return strengths from nearly no effect to nearly complete shrinkage."""
    least, most = 1e-2 / float(modes.steps.elapsed(n_steps)), 1e3 * float(modes.s.max())
    least = min(least, most / 10)
    return np.geomspace(least, most, int(COMPARED_ALPHAS_PER_DECADE * np.log10(most / least)) + 2)


def starts_within(n_steps: int) -> Array:
    """Return starts of tails between the uniform average and the last iterate, dense at both ends; n_steps > 1."""
    near = np.geomspace(1, n_steps / 2, N_TAIL_STARTS)
    return np.unique(np.round(np.concatenate([near, n_steps - near])).clip(1, n_steps - 1))


def _searched(row: Any, places: Array, scheme: Any, between: Any) -> list[Compared]:
    """Evaluate all places, then refine twice around the best."""
    found = {float(place): row(scheme(float(place))) for place in places}
    for _ in range(2):
        ordered = sorted(found)
        best = min(range(len(ordered)), key=lambda i: found[ordered[i]].risk.total)
        low, high = ordered[max(best - 1, 0)], ordered[min(best + 1, len(ordered) - 1)]
        for place in between(low, high, N_REFINED).tolist():
            nearest = float(round(place)) if isinstance(found[low].scheme, Tail) else place
            if nearest not in found:
                found[nearest] = row(scheme(nearest))
    return [found[place] for place in sorted(found)]


def _scaled(s: Array, bias: ArrayLike | None, snr: float | None, noise_variance: float) -> Array:
    if bias is None and snr is None:
        raise ValueError("neither bias nor snr is given: expected bias = w_0 - w* in the eigenbasis, or a ratio snr.")
    v = np.ones_like(s) if bias is None else vector_beside("bias", bias, s)
    if snr is None:
        return v
    ratio = positive("snr", snr, "the signal-to-noise ratio must be a finite number above 0", "pass bias for none")
    signal = float((s * v * v).sum())
    if signal == 0 or noise_variance == 0:
        raise ValueError(
            f"snr={ratio:g} cannot be reached with a signal of {signal:g} and noise_variance={noise_variance:g}: "
            "expected both positive; leave snr out to use bias unchanged."
        )
    scaled: Array = v * np.sqrt(ratio * noise_variance / signal)
    return scaled
