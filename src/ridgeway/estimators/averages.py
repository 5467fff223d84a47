"""All averages of a fitted run, as linear models in the user's units."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.derived import derived_property
from ridgeway.path.path_result import PathResult
from ridgeway.rows import Float
from ridgeway.rows.centre import Centre
from ridgeway.rows.standardization import Standardization
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.trajectory import Trajectory, trajectory_of
from ridgeway.trajectory.slopes import slopes_of

if TYPE_CHECKING:
    from ridgeway.estimators.noisy_strengths import NoisyStrengths
    from ridgeway.selection.candidate_table import Selection

Kind_co = TypeVar("Kind_co", bound="AnyAverages", covariant=True)


class AnyAverages(ABC):
    """What a fit leaves behind: enough for every alpha and scheme, without the data."""

    trajectory: Trajectory

    @abstractmethod
    def models(self, schemes: Sequence[Scheme]) -> PathResult:
        """Models of these schemes, the nearest ones that the trajectory can answer for."""

    def at(
        self,
        scheme: Scheme,
        selection: Selection | None,
        ridge: Self | None = None,
        noisy: NoisyStrengths | None = None,
    ) -> SelectedModel[Self]:
        """Select a scheme, or the nearest that can be answered.

        Parameters
        ----------
        scheme : of these averages.
        selection : how it was chosen.
        ridge : the averages that a ridge strength is answered from; None for these.
        noisy : strengths that a stream cannot answer yet.
        """
        return SelectedModel(self, self.trajectory.nearest(scheme), scheme, selection, ridge or self, noisy)


@dataclass(frozen=True, eq=False)
class Averages(AnyAverages):
    """What a fit of linear models leaves behind.

    Attributes
    ----------
    trajectory : of the run over standardized rows.
    standardization : how they were standardized.
    sparse : whether they were sparse.
    centre : means of the rows learned from, in standardized units.
    single_target : True when y was 1-D.
    """

    trajectory: Trajectory
    standardization: Standardization
    sparse: bool
    centre: Centre
    single_target: bool

    @classmethod
    def about_means(
        cls, trajectory: Trajectory, standardization: Standardization, sparse: bool, single_target: bool
    ) -> Averages:
        """Return the averages of a run over rows whose means are the offsets of the standardization."""
        centre = Centre(np.zeros(len(standardization.scale)), np.zeros(len(standardization.target_scale)))
        return cls(trajectory, standardization, sparse, centre, single_target)

    def state(self) -> State:
        """Return all that the averages are formed from."""
        return {
            "trajectory": self.trajectory.state(),
            "standardization": self.standardization.state(),
            "sparse": self.sparse,
            "centre": self.centre.state(),
            "single_target": self.single_target,
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Averages:
        """Return the averages of a state."""
        trajectory = trajectory_of(stored.part("trajectory"))
        standardization = Standardization.from_state(stored.part("standardization"))
        n_columns, n_targets = len(standardization.scale), len(standardization.target_scale)
        single_target = stored.flag("single_target")
        shape = (standardization.n_columns,) if single_target else (n_targets, standardization.n_columns)
        if single_target and n_targets != 1:
            raise StateError(f"a single target has {n_targets} scales: expected one.")
        _require_shape(trajectory, shape)
        centre = Centre.from_state(stored.part("centre"), n_columns, n_targets)
        return cls(trajectory, standardization, stored.flag("sparse"), centre, single_target)

    def of_run(self, trajectory: Trajectory) -> Averages:
        """Return the averages of another run over the same rows."""
        _require_shape(trajectory, self.trajectory.shape)
        return replace(self, trajectory=trajectory)

    def models(self, schemes: Sequence[Scheme]) -> PathResult:
        """Linear models of these schemes, the nearest ones that the trajectory can answer for."""
        standardization, dtype = self.standardization, self.trajectory.dtype
        slopes = slopes_of(self.trajectory, standardization, self.sparse, schemes).astype(np.float64)
        coefs = standardization.user_coefs(slopes).astype(np.float64)  # (L, targets, d)
        intercepts = np.zeros(coefs.shape[:2])
        if standardization.constant:
            mean_x = standardization.offset + standardization.scale * self.centre.x
            mean_y = standardization.target_offset + standardization.target_scale * self.centre.y
            with np.errstate(over="ignore", invalid="ignore"):  # found below
                intercepts = mean_y - coefs @ mean_x
        return PathResult(alphas_of(schemes), *self._shaped(coefs, intercepts, dtype))

    def _shaped(
        self, coefs: NDArray[np.float64], intercepts: NDArray[np.float64], dtype: np.dtype[np.floating]
    ) -> tuple[Float, Float]:
        with np.errstate(over="ignore"):
            answer = coefs.astype(dtype), intercepts.astype(dtype)
        if not all(np.isfinite(part).all() for part in answer):
            raise ValueError(f"coefficients exceed {dtype}: scale y down or X up, or pass X as float64.")
        return (answer[0][:, 0], answer[1][:, 0]) if self.single_target else answer


@dataclass(frozen=True, eq=False)
class SelectedModel(Generic[Kind_co]):
    """The average that a fitted estimator predicts by.

    Attributes
    ----------
    averages : all of the run that was chosen.
    scheme : of this one.
    wanted : the requested scheme; `scheme` is the nearest that can be answered.
    selection : the candidates, if there was a choice.
    ridge : all of the run whose step grows, from which a ridge strength is answered; mostly the run that was chosen.
    noisy : strengths that a stream cannot answer yet; None where there are none.
    """

    averages: Kind_co
    scheme: Scheme
    wanted: Scheme
    selection: Selection | None
    ridge: Kind_co
    noisy: NoisyStrengths | None = None

    @derived_property
    def model(self) -> PathResult:
        """The linear model, made when first needed."""
        return self.averages.models([self.scheme])


def _require_shape(trajectory: Trajectory, shape: tuple[int, ...]) -> None:
    if trajectory.shape != shape:
        raise StateError(f"the trajectory has coefficients of shape {trajectory.shape}: expected {shape}.")


def alphas_of(schemes: Sequence[Scheme]) -> NDArray[np.float64]:
    """Ridge strengths of schemes, 0 for those that are not geometric."""
    return np.array([scheme.alpha if isinstance(scheme, Geometric) else 0.0 for scheme in schemes])
