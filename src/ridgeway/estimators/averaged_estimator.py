"""What the estimators by averaged SGD share: every average of the run is one call away."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

from ridgeway.averaging import Geometric, Scheme, Uniform
from ridgeway.estimators.averages import AnyAverages, SelectedModel
from ridgeway.estimators.options import check_averaging
from ridgeway.path.path_estimator import PathEstimator
from ridgeway.validation.scalars import ridge_strength, ridge_strengths

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike

    from ridgeway.path.path_result import PathResult
    from ridgeway.selection.table import Selection
    from ridgeway.trajectory import Trajectory

AveragesT = TypeVar("AveragesT", bound=AnyAverages)


class AveragedEstimator(PathEstimator[SelectedModel[AveragesT]]):
    """A fitted run of SGD that stands at one of its averages."""

    averaging: Any
    alpha: Any

    @abstractmethod
    def _part_from(self, other: Self) -> None:
        """Make a copy of whatever goes on when more rows come, so that a moved copy goes on by itself."""

    def path(self, alphas: ArrayLike) -> PathResult:
        """Coefficients and intercepts for every alpha, in the user's units; no data needed.

        They come from the run whose step grows, and are close to ridge, also where a constant step was chosen.

        Parameters
        ----------
        alphas : (L,), each 0 or more, in any order.
        """
        return self._fitted().ridge.models([Geometric(alpha) for alpha in ridge_strengths(alphas)])

    def at(self, average: float | str | Scheme | None) -> Self:
        """Return a fitted copy that stands at another alpha or scheme; no data, no new fit.

        A number means ridge: it is answered from the run whose step grows, as in `path`. A scheme is an average of the
        run that was chosen, so ``model.at(model.averaging_)`` is the model itself. The two runs differ only where a
        constant step was chosen; a copy at a number then stands on the growing run in every respect.

        Parameters
        ----------
        average : a ridge strength, a scheme such as ``Tail(0.5)``, "uniform", "last", or None for where it stands.

        Examples
        --------
        >>> import ridgeway as rw
        >>> model = rw.AveragedSGDRegressor(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
        >>> model.at(rw.Uniform()).alpha_
        0.0
        >>> bool((model.at(0.1).coef_ == model.path([0.1]).coefs[0]).all())
        True
        """
        selected = self._fitted()
        averages, ridge = selected.averages, selected.ridge
        moved = copy.copy(self)
        wanted = selected.wanted if average is None else average
        if isinstance(wanted, str):
            named = check_averaging(wanted, "auto").scheme
            if named is None:
                raise ValueError(f"at({wanted!r}): expected an alpha, a scheme, 'uniform', 'last' or None.")
            wanted = named
        if isinstance(wanted, Scheme):
            moved.averaging, moved.alpha, scheme = wanted, "auto", wanted
            if average is not None:
                averages.trajectory.coef(scheme)  # says so when it has to move the scheme, or refuses it
        else:
            strength = ridge_strength(wanted)
            moved.averaging, moved.alpha, scheme = "geometric", strength, Geometric(strength)
            averages = ridge
        moved._standing = averages.at(scheme, selected.selection, ridge)
        moved._part_from(self)
        return moved

    @property
    def alpha_(self) -> float | None:
        """Ridge strength: that of a geometric average, 0 for the uniform one, None for others."""
        scheme = self.averaging_
        if isinstance(scheme, Geometric):
            return scheme.alpha
        return 0.0 if isinstance(scheme, Uniform) else None

    @property
    def averaging_(self) -> Scheme:
        """The scheme that the model stands at."""
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
        """The run that the model stands on."""
        return self._fitted().averages.trajectory
