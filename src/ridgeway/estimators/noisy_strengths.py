"""Ridge strengths that the constant step at the beginning of a stream answers with noise: they get a warning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ridgeway.averaging import Geometric
from ridgeway.derived import derived_property
from ridgeway.estimators.solver_choice import MAX_STREAM_COLUMNS
from ridgeway.estimators.stream_run import StreamRun
from ridgeway.messages.quantity import quantity
from ridgeway.messages.user_warning import warn_user
from ridgeway.sgd.schedule import STRONGEST_ALPHA
from ridgeway.trajectory.ridge_reach import UNTRUNCATED_ALPHA_TIME
from ridgeway.trajectory.slopes import slopes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.rows.standardization import Standardization

NOTABLE_NOISE = 0.2  # relative noise of w that is worth a warning; predictions are then 10 to 15% off ridge
LEAST_SIGNAL_SHARE = 0.1  # of |b|^2, where nearly all of it may be noise


@dataclass(frozen=True, eq=False)
class NoisyStrengths:
    """Strengths for which averages of a constant step rest on too few rows.

    With a constant step eta the average at alpha has the weights eta alpha / (1 + eta alpha)^t, of about 1 / (eta
    alpha) steps, however long the run is. For alpha above the eigenvalues it is the mean of y x over these steps,
    divided by alpha. In units in which y has variance 1 its relative noise is

        |w - ridge|^2 / |ridge|^2 = eta alpha E|x|^2 / (2 |b|^2) ,    b = E[y x] ,

    divided by the rows of a step, which bounds it for smaller alphas. Correlated columns raise |b|, noise lowers it.
    The growing run estimates b: its average at an alpha that is far above the eigenvalues is b / alpha, and rests on
    far more rows. Of several targets, the one of the smallest |b| counts.

    Attributes
    ----------
    answering, growing : the run of constant step that answers, and the one that takes over. They do not change.
    standardization, sparse : of their rows.
    n_rows : rows of the stream so far.
    until : rows after which the growing run answers.
    """

    answering: StreamRun
    growing: StreamRun
    standardization: Standardization
    sparse: bool
    n_rows: int
    until: int

    @derived_property
    def weakest(self) -> float:
        """The weakest alpha whose average is notably far from ridge."""
        run = self.answering.run.trajectory()
        variance = run.mean_squared_norm / self.answering.batch_size**2  # the trajectory has the sum over a batch
        return np.inf if variance == 0 else 2 * NOTABLE_NOISE**2 * self._signal() / (run.step * variance)

    def _signal(self) -> float:
        """Return |b|^2 of the target that has least of it, without the part that is noise."""
        run = self.growing.run.trajectory()
        mean_eigenvalue = run.mean_squared_norm / self.growing.batch_size / run.shape[-1]
        alpha = max(STRONGEST_ALPHA * mean_eigenvalue, UNTRUNCATED_ALPHA_TIME / run.elapsed)
        b = alpha * slopes_of(run, self.standardization, self.sparse, [Geometric(alpha)])[0].astype(np.float64)
        squares = (b**2).sum(axis=1)  # (targets,)
        noise = run.steps.sizes[0] * alpha * run.mean_squared_norm / self.growing.batch_size**2 / 2
        return float(np.maximum(squares - noise, LEAST_SIGNAL_SHARE * squares).min())

    def warn(self, alphas: NDArray[np.float64]) -> None:
        """Warn, once, if some of the strengths asked for are answered with noise.

        Parameters
        ----------
        alphas : (L,), the strengths that were asked for.
        """
        noisy = alphas[alphas >= self.weakest]
        if not len(noisy):
            return
        run = self.answering.run.trajectory()
        rows = max(1, round(self.answering.batch_size / (run.step * noisy.max())))
        named = f"alpha={noisy[0]:.3g} rests on about"
        if len(noisy) > 1:
            named = f"{len(noisy)} alphas up to {noisy.max():.3g} rest on few rows, the strongest on about"
        exact = ""
        if run.shape[-1] <= MAX_STREAM_COLUMNS:
            exact = ", or use RidgePathCV with solver='gram', which is exact for every alpha"
        warn_user(
            f"{named} {quantity(rows, 'row')} of this stream: until {self.until:,} rows have come ({self.n_rows:,} so "
            f"far), the step is constant, and answers from alpha={self.weakest:.2g} on are noise, 10% and more away "
            f"from ridge. Ask for a weaker alpha, learn from more rows{exact}.",
            ConvergenceWarning,
        )
