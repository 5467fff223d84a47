"""`Diagnosis`: predicted and measured errors of averages on a data set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ridgeway.averaging import Geometric, Scheme
from ridgeway.theory.diagnosis_display import DiagnosisDisplay

if TYPE_CHECKING:
    from ridgeway.theory.assumptions import Assumption
    from ridgeway.theory.sample_moments import SampleMoments

UNIFORM_ALPHA_TIME = 0.1  # below UNIFORM_ALPHA_TIME / (step * n_steps) every alpha gives the uniform average


@dataclass(frozen=True)
class Predicted:
    """An average with its predicted and its measured error.

    Attributes
    ----------
    scheme : the average.
    predicted : noise variance + exact excess risk, in squared units of y.
    measured : mean squared error on held-out rows.
    standard_error : of `measured`.
    """

    scheme: Scheme
    predicted: float
    measured: float
    standard_error: float


@dataclass(frozen=True)
class Diagnosis:
    """Predicted and measured errors of averages, and the assumptions of the prediction.

    Attributes
    ----------
    table : geometric averages by alpha, tails by start, the uniform average and the last iterate.
    moments : estimates from the sample, in units of standardized features and labels.
    assumptions : what the prediction assumes, and whether it holds.
    step, n_steps : of the runs that were measured.
    target_variance : variance of y in the user's units; errors are in units of it.
    method : how errors were measured.
    """

    table: tuple[Predicted, ...] = field(repr=False)
    moments: SampleMoments = field(repr=False)
    assumptions: tuple[Assumption, ...] = field(repr=False)
    step: float
    n_steps: int
    target_variance: float
    method: str

    @property
    def reliable(self) -> bool:
        """Whether all assumptions hold."""
        return all(assumption.holds for assumption in self.assumptions)

    @property
    def snr(self) -> float:
        """Signal-to-noise ratio."""
        return float(self.moments.signal.sum()) / self.moments.noise_variance

    @property
    def least_alpha(self) -> float:
        """The alpha below which all geometric averages of the run are the uniform one."""
        return UNIFORM_ALPHA_TIME / (self.step * self.n_steps)

    @property
    def predicted_alpha(self) -> float:
        """The alpha of least predicted error, at least `least_alpha`."""
        return self._alpha("predicted")

    @property
    def measured_alpha(self) -> float:
        """The alpha of least measured error, at least `least_alpha`."""
        return self._alpha("measured")

    @property
    def regret(self) -> float:
        """How much the measured error at the predicted alpha exceeds the least measured one of geometric averages.

        If it is far below the standard error, the data do not distinguish the two alphas.
        """
        rows = self.of_kind(Geometric)
        return min(rows, key=lambda row: row.predicted).measured - min(row.measured for row in rows)

    def of_kind(self, kind: type[Scheme]) -> list[Predicted]:
        """Return the rows of a class of schemes."""
        return [row for row in self.table if isinstance(row.scheme, kind)]

    def plot(self, ax: Any = None) -> Any:
        """Draw predicted and measured errors; returns a `DiagnosisDisplay`."""
        return DiagnosisDisplay(self).plot(ax)

    def _alpha(self, error: str) -> float:
        errors = {row.scheme.alpha: getattr(row, error) for row in self.table if isinstance(row.scheme, Geometric)}
        return max(min(errors, key=lambda alpha: float(errors[alpha])), self.least_alpha)

    def __str__(self) -> str:
        moments = self.moments
        lines = [
            f"{moments.n_rows:,} rows sampled, {moments.n_columns:,} columns",
            f"{self.n_steps:,} steps of {self.step:.3g}",
            f"signal-to-noise {self.snr:.3g}, R^2 {moments.r2:.3g}, trace {moments.eigenvalues.sum():.3g}, "
            f"kurtosis {moments.kurtosis:.3g}, condition number "
            f"{moments.eigenvalues[0] / moments.eigenvalues[-1]:.2g}",
            f"errors by {self.method}; the best of each kind:",
            f"{'predicted':>12} {'measured':>12} {'+-':>9}  scheme of least measured error",
        ]
        for kind in dict.fromkeys(type(row.scheme) for row in self.table):
            row = min(self.of_kind(kind), key=lambda row: row.measured)
            lines.append(f"{row.predicted:>12.5g} {row.measured:>12.5g} {row.standard_error:>9.2g}  {row.scheme}")
        lines.append(
            f"best alpha: predicted {self._named(self.predicted_alpha)}, measured {self._named(self.measured_alpha)}"
        )
        spread = min(self.of_kind(Geometric), key=lambda row: row.measured).standard_error
        lines.append(f"measured at the predicted alpha: {self.regret:.2g} above the least, standard error {spread:.2g}")
        verdict = "all assumptions hold" if self.reliable else "the prediction is not reliable"
        lines.append(f"{verdict}:")
        lines += [f"  {assumption}" for assumption in self.assumptions]
        return "\n".join(lines)

    def _named(self, alpha: float) -> str:
        return f"{alpha:.3g}" if alpha > self.least_alpha else f"at most {alpha:.3g} (the uniform average)"
