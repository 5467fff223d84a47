"""`FilterDisplay`: the share of each eigen-direction that each scheme learns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ridgeway.averaging import Geometric, Last, Scheme, Staircase, Tail, Uniform
from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.axes import axes
from ridgeway.kernel.flattened import Flattened
from ridgeway.theory import residual_filter
from ridgeway.theory.flattened_filter import learned_share

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from numpy.typing import ArrayLike

    from ridgeway.rows import Float

N_EIGENVALUES = 400


class FilterDisplay:
    """The share of each eigen-direction that an average has learned: 1 - q(s) against the eigenvalue s.

    Ridge regression learns the share s / (s + alpha) of a direction of variance s. It is drawn dashed beside each
    geometric average, which agrees with it if step * alpha * n_steps is well above 1. The eigenvalues are those of the
    second moments of the rows (in a fit, of the standardized rows), or those of the kernel. Preconditioned directions
    have their own discount. Make it with `from_estimator` or `from_schemes`.

    Parameters
    ----------
    schemes : the averages.
    eigenvalues : (k,), places on the axis, above 0.
    learned : (n_schemes, k), the values of 1 - q.
    ridge : for some of the schemes the values of s / (s + alpha), (k,).
    standing : the scheme to draw as a thick line, or None.

    Attributes
    ----------
    ax_, figure_ : where `plot` has drawn.
    lines_ : one line for each scheme.
    ridge_lines_ : one dashed line for each geometric scheme of positive alpha.

    Examples
    --------
    >>> import ridgeway as rw
    >>> from ridgeway.display import FilterDisplay
    >>> FilterDisplay.from_schemes([rw.Geometric(0.1), rw.Last()], step=0.1, n_steps=1000)
    FilterDisplay(Geometric(alpha=0.1), Last)
    """

    ax_: Axes
    figure_: Figure | SubFigure
    lines_: list[Any]
    ridge_lines_: list[Any]

    def __init__(
        self,
        schemes: Sequence[Scheme],
        eigenvalues: Float,
        learned: Float,
        *,
        ridge: dict[Scheme, Float] | None = None,
        standing: Scheme | None = None,
    ) -> None:
        self.schemes, self.eigenvalues, self.learned = list(schemes), eigenvalues, learned
        self.ridge, self.standing = ridge or {}, standing

    def __repr__(self) -> str:
        return f"FilterDisplay({', '.join(scheme_name(scheme) for scheme in self.schemes)})"

    @classmethod
    def from_estimator(
        cls, estimator: Any, schemes: Sequence[Scheme] | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the filter of a fitted estimator's average, beside those of other averages of the same run.

        Parameters
        ----------
        estimator : a fitted estimator with `averaging_`, `step_` and `n_steps_`, such as `AveragedSGDRegressor`.
        schemes : the averages to draw; None takes the selected average of the estimator and, for comparison, the
            uniform average, the tail of the second half, the last iterate and, if the selected average has no alpha, a
            geometric average in the middle of the range.
        ax : matplotlib Axes to draw on; None makes new ones.
        **kwargs : passed on to matplotlib's plot, for the lines of the schemes.
        """
        check_is_fitted(estimator)
        run = estimator.trajectory_ if hasattr(estimator, "trajectory_") else None
        step = Staircase.of(estimator.step_) if run is None else run.steps
        n_steps, standing = max(1, estimator.n_steps_ if run is None else run.length), estimator.averaging_
        if schemes is None:
            middle = Geometric((step.last * float(step.elapsed(n_steps))) ** -0.5)  # between 1 / elapsed and 1 / step
            alike = isinstance(standing, Geometric) and standing.alpha > 0
            shown = [standing, *([] if alike else [middle]), Uniform(), Tail(0.5), Last()]
            schemes = list(dict.fromkeys(shown))
        return cls._of(schemes, step, n_steps, None, standing, run).plot(ax, **kwargs)

    @classmethod
    def from_schemes(
        cls,
        schemes: Sequence[Scheme],
        step: float | Staircase,
        n_steps: int,
        eigenvalues: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the filters of schemes in a run of `n_steps` steps of size `step`, without data.

        Parameters
        ----------
        schemes : the averages.
        step : step size of the run, or a Staircase of them.
        n_steps : number of its steps.
        eigenvalues : (k,), above 0 with step * eigenvalue at most 2; None takes the range that the run can resolve,
            from 0.01 / elapsed time to 1 / step.
        ax : matplotlib Axes to draw on; None makes new ones.
        **kwargs : passed on to matplotlib's plot, for the lines of the schemes.
        """
        return cls._of(schemes, step, n_steps, eigenvalues, None).plot(ax, **kwargs)

    @classmethod
    def _of(
        cls,
        schemes: Sequence[Scheme],
        step: float | Staircase,
        n_steps: int,
        eigenvalues: ArrayLike | None,
        standing: Scheme | None,
        run: Any = None,
    ) -> Self:
        if len(schemes) == 0:
            raise ValueError("schemes is empty: expected at least one scheme, for instance Geometric(0.1).")
        flattened = isinstance(run, Flattened)
        if flattened:
            strengths = [scheme.alpha for scheme in schemes if isinstance(scheme, Geometric) and scheme.alpha > 0]
            weakest = min([run.eigenvalues[-1], *(alpha / 100 for alpha in strengths)])
            places = np.geomspace(weakest, run.eigenvalues[0], N_EIGENVALUES)
        elif eigenvalues is None:
            steps = Staircase.of(step)
            elapsed = float(steps.elapsed(max(1, n_steps)))
            places = np.geomspace(0.01 / elapsed, 1 / steps.largest, N_EIGENVALUES)
        else:
            places = np.sort(np.asarray(eigenvalues, dtype=np.float64).ravel())
            if places.size == 0 or not places[0] > 0:
                raise ValueError(
                    f"eigenvalues={eigenvalues!r}: expected numbers above 0 for a logarithmic axis; leave out the "
                    "others."
                )
        learned = np.stack(
            [
                learned_share(run, scheme, places) if flattened else 1 - residual_filter(scheme, places, step, n_steps)
                for scheme in schemes
            ]
        )
        ridge: dict[Scheme, Float] = {
            scheme: places / (places + scheme.alpha)
            for scheme in schemes
            if isinstance(scheme, Geometric) and scheme.alpha > 0
        }
        return cls(schemes, places, learned, ridge=ridge, standing=standing)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw one line for each scheme, and exact ridge as a dashed line beside each geometric scheme.

        Parameters
        ----------
        ax : matplotlib Axes to draw on; None makes new ones.
        **kwargs : passed on to matplotlib's plot, for the lines of the schemes.
        """
        self.figure_, self.ax_ = axes(ax)
        self.lines_, self.ridge_lines_ = [], []
        for k, (scheme, learned) in enumerate(zip(self.schemes, self.learned, strict=True)):
            stands = scheme == self.standing
            name = scheme_name(scheme) + (", fitted" if stands else "")
            style: dict[str, Any] = {"color": f"C{k}", "linewidth": 2.8 if stands else 1.4, "label": name}
            self.lines_ += self.ax_.plot(self.eigenvalues, learned, **style | kwargs)
            if isinstance(scheme, Geometric) and scheme in self.ridge:
                exact: dict[str, Any] = {"color": "0.15", "linestyle": (0, (3, 3)), "linewidth": 1.0, "zorder": 3}
                name = "_" if self.ridge_lines_ else "ridge, s / (s + alpha)"  # once in the legend
                self.ridge_lines_ += self.ax_.plot(self.eigenvalues, self.ridge[scheme], **exact, label=name)
        self.ax_.set_xscale("log")
        self.ax_.set_xlim(self.eigenvalues[0], self.eigenvalues[-1])
        self.ax_.set_xlabel("eigenvalue s: variance of the data in a direction")
        self.ax_.set_ylabel("share of the direction learned, 1 - q(s)")
        self.ax_.grid(color="0.92")
        self.ax_.set_axisbelow(True)
        for side in ("top", "right"):
            self.ax_.spines[side].set_visible(False)
        self.ax_.legend(frameon=False, loc="best")
        return self
