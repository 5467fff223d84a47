"""What the estimators of averages share: `at`, `path` and prediction intervals of a fitted run."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform
from ridgeway.estimators.averages import AnyAverages, SelectedModel
from ridgeway.estimators.options import FIXED_AVERAGES, check_averaging
from ridgeway.estimators.weak_strengths import warn_of_weak_strengths
from ridgeway.intervals.conformal import ConformalWidth
from ridgeway.intervals.coverage_share import coverage_share
from ridgeway.path.path_estimator import PathEstimator
from ridgeway.selection.residual_path import METHODS
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import UNPENALIZED, ridge_strength, ridge_strengths

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from ridgeway.path.path_result import PathResult
    from ridgeway.selection.candidate_table import Selection
    from ridgeway.selection.held_out import HeldOut
    from ridgeway.selection.residual_path import ResidualPath
    from ridgeway.trajectory import Trajectory

AveragesT = TypeVar("AveragesT", bound=AnyAverages)


class AveragedEstimator(PathEstimator[SelectedModel[AveragesT]]):
    """A fitted run, of SGD or solved exactly, with the average that is selected from it."""

    averaging: Any
    alpha: Any
    _weak_strengths = ""  # what strengths that a Krylov fit has not resolved mean for its answers, and the remedy

    @abstractmethod
    def _move(self, selected: SelectedModel[AveragesT]) -> None:
        """Select another model of the fit. The estimator is a copy, which learns from more rows independently."""

    def path(self, alphas: ArrayLike) -> PathResult:
        """Coefficients and intercepts for every alpha, in the user's units; no data needed.

        Of SGD they come from the run whose step grows, and are close to ridge, also where a constant step was chosen.
        A Krylov fit solves strengths weaker than the chosen one less exactly, and warns of those that it has not
        resolved: ``trajectory_.error_bounds(alphas)``.

        Parameters
        ----------
        alphas : (L,), each 0 or more, in any order.
        """
        fitted = self._fitted()
        models = fitted.ridge.models([Geometric(alpha) for alpha in ridge_strengths(alphas, UNPENALIZED)])
        self._warn_of_strengths(fitted, models.alphas)
        return models

    def at(self, average: float | str | Scheme | None) -> Self:
        """Return a fitted copy with another selected average; no data, no new fit.

        A number means ridge: SGD answers it from the run whose step grows, as in `path`. A scheme is an average of the
        run that was chosen, so ``model.at(model.averaging_)`` is the model itself. The two runs differ only where a
        constant step was chosen; a copy at a number then answers from the growing run in every respect.

        Parameters
        ----------
        average : a ridge strength, a scheme such as ``Tail(0.5)``, "uniform", "last", or None for the selected average.

        Examples
        --------
        >>> import ridgeway as rw
        >>> model = rw.AveragedSGDRegressor(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
        >>> model.at(rw.Uniform()).alpha_
        0.0
        >>> bool((model.at(0.1).coef_ == model.path([0.1]).coefs[0]).all())
        True
        >>> exact = rw.RidgePathCV().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
        >>> exact.at(1.0).coef_.round(6)
        array([0.5])
        """
        selected = self._fitted()
        averages, ridge = selected.averages, selected.ridge
        moved = copy.copy(self)
        wanted = selected.wanted if average is None else average
        if isinstance(wanted, str):
            named = check_averaging(wanted, "auto").scheme
            if named is None:
                names = ", ".join(map(repr, FIXED_AVERAGES))
                raise ValueError(f"at({wanted!r}): expected an alpha, a scheme, {names} or None.")
            wanted = named
        if isinstance(wanted, Scheme):
            moved.averaging, moved.alpha, scheme = wanted, "auto", wanted
            if average is not None and scheme != selected.wanted:
                averages.trajectory.coef(scheme)  # warns if it has to move the scheme, or refuses it
        else:
            strength = ridge_strength(wanted, UNPENALIZED)
            moved.averaging, moved.alpha, scheme = "geometric", strength, Geometric(strength)
            averages = ridge
        moved._move(averages.at(scheme, selected.selection, ridge, selected.noisy))
        if average is not None and isinstance(scheme, Geometric):
            self._warn_of_strengths(selected, np.array([scheme.alpha]))
        return moved

    def _warn_of_strengths(self, selected: SelectedModel[AveragesT], alphas: NDArray[np.float64]) -> None:
        """Warn of strengths (L,) that the fit does not answer well: too weak for Krylov, too strong for a stream."""
        warn_of_weak_strengths(selected.averages.trajectory, alphas, self._weak_strengths)
        if selected.noisy is not None:
            selected.noisy.warn(alphas)

    def predict_interval(self, X: Any, coverage: float = 0.9, *, normalized: bool = False) -> NDArray[np.float64]:
        """Predict intervals that hold the actual value of a share of new rows: (n_rows, 2), or (n_rows, n_targets, 2).

        The ends are ``predict(X) -+ q``, where q is the conformal quantile of the residuals of up to 10,000 held-out
        rows by the selected average; see `interval_method_`. It assumes new rows that are
        exchangeable with those of the fit, and covers on average over rows: where errors are larger than elsewhere,
        intervals of one width cover less. For several targets each one is covered by itself.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        coverage : share of new rows to hold, between 0 and 1; c needs at least c / (1 - c) held-out rows, 0.9 needs 9.
        normalized : make intervals wider where residuals of such predictions are larger.

        Examples
        --------
        >>> import numpy as np, ridgeway as rw
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((2000, 3))
        >>> y = X @ [1.0, 2.0, 3.0] + rng.standard_normal(2000)
        >>> model = rw.RidgePathCV(random_state=0).fit(X[:1000], y[:1000])
        >>> low, high = model.predict_interval(X[1000:], coverage=0.9).T
        >>> print(f"{np.mean((low <= y[1000:]) & (y[1000:] <= high)):.2f}")
        0.90
        >>> weak, strong = (model.at(alpha).predict_interval(X[:1]) for alpha in (0.01, 10.0))
        >>> bool(np.diff(strong) > np.diff(weak))  # at a worse alpha intervals are wider
        True
        """
        width = self.interval_width(coverage, normalized=normalized)
        predicted = np.asarray(self.predict(X), np.float64)
        ends = width.around(predicted.reshape(len(predicted), -1))
        return ends[:, 0] if predicted.ndim == 1 else ends

    def interval_width(self, coverage: float = 0.9, *, normalized: bool = False) -> ConformalWidth:
        """Return the half-widths of `predict_interval`, which serve any number of batches.

        Parameters
        ----------
        coverage, normalized : as in `predict_interval`.
        """
        share, held_out = coverage_share(coverage), self._residual_path()
        residuals = held_out.residuals(self._relative_scheme())
        return ConformalWidth.of(held_out.actual - residuals, residuals, share, bool(normalized))

    @property
    def interval_method_(self) -> str | None:
        """How the rows behind `predict_interval` were held out, in words; None where it has none."""
        self._fitted()
        held_out: HeldOut | None = getattr(self, "held_out_", None)
        return None if held_out is None or held_out.path is None else METHODS[held_out.path.method]

    def _residual_path(self) -> ResidualPath:
        """Return the held-out rows with their residuals at every scheme, or say why there are none."""
        selected = self._fitted()
        held_out: HeldOut | None = getattr(self, "held_out_", None)
        if held_out is not None and held_out.path is not None:
            return held_out.path
        if held_out is not None:
            why = f"their residuals were not kept: {self._why_no_residuals()}"
        elif selected.selection is None:
            why = (
                "nothing was chosen, so no row was held out: fit at least 4 rows with alpha='auto' (leave --alpha and "
                "--averaging out), then take model.at(alpha) (predict --alpha)"
            )
        else:
            why = f"selection by {selected.selection.method} keeps none: fit with cv='auto' or a number of folds (--cv)"
        raise ValueError(f"prediction intervals need held-out rows, and {why}.")

    def _why_no_residuals(self) -> str:
        """Return why held-out rows were kept without their residuals, and the remedy."""
        if is_name(getattr(self, "cv", None), "progressive"):
            return "cv='progressive' keeps none for this average. Fit with cv='auto' or a number of folds (--cv)"
        if is_name(getattr(self, "store", None), "replay"):
            return "store='replay' needs the rows of the fit to make them. Fit with store='auto'"
        return (
            "the model was saved by version 0.1, or fitted by SGD on a cluster. Fit it again, in memory or with "
            "solver='gram'"
        )

    def _relative_scheme(self) -> Scheme:
        """Return the requested scheme; the start of a tail becomes a share, which has a meaning in any run."""
        selected = self._fitted()
        scheme, trajectory = selected.wanted, selected.averages.trajectory
        if isinstance(scheme, Tail) and isinstance(scheme.start, int):
            share = float(trajectory.steps.elapsed(scheme.start)) / trajectory.elapsed
            return Last() if share >= 1 else Tail(share)
        return scheme

    @property
    def alpha_(self) -> float | None:
        """Ridge strength: that of a geometric average, 0 for the uniform one, None for others."""
        scheme = self.averaging_
        if isinstance(scheme, Geometric):
            return scheme.alpha
        return 0.0 if isinstance(scheme, Uniform) else None

    @property
    def averaging_(self) -> Scheme:
        """The selected average, which `coef_` and `predict` use."""
        return self._fitted().scheme

    @property
    def selection_(self) -> Selection | None:
        """Candidates and their errors; None when nothing was chosen."""
        return self._fitted().selection

    @property
    def step_(self) -> float:
        """The step size."""
        return self._fitted().averages.trajectory.step

    @property
    def n_steps_(self) -> int:
        """Number of steps made."""
        return self._fitted().averages.trajectory.n_steps

    @property
    def trajectory_(self) -> Trajectory:
        """The run that the selected average belongs to."""
        return self._fitted().averages.trajectory
