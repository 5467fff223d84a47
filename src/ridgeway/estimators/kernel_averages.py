"""All averages of a fitted kernel run, as functions in the user's units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.estimators.averages import AnyAverages, Averages, alphas_of
from ridgeway.kernel.coordinates import Coordinates
from ridgeway.kernel.features import Features, features_of
from ridgeway.kernel.flattened import Flattened
from ridgeway.kernel.kernel_path import KernelPath
from ridgeway.rows import Float
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.trajectory import Spectrum, Trajectory

KERNEL_TRAJECTORIES: dict[str, Callable[[Stored], Trajectory]] = {
    "spectrum": Spectrum.from_state,
    "coordinates": Coordinates.from_state,
    "flattened": Flattened.from_state,
}


@dataclass(frozen=True, eq=False)
class KernelAverages(AnyAverages):
    """What an exact fit leaves behind.

    Attributes
    ----------
    trajectory : of the coefficients of the rows that were learned from.
    features : the kernel against these rows.
    target_offset, target_scale : (targets,), the run learned (y - offset) / scale.
    single_target : True when y was 1-D.
    """

    trajectory: Trajectory
    features: Features
    target_offset: NDArray[np.float64]
    target_scale: NDArray[np.float64]
    single_target: bool

    def models(self, schemes: Sequence[Scheme]) -> KernelPath:
        """Models of these schemes."""
        dtype = self.trajectory.dtype
        coefs = self.trajectory.nearest_average(schemes).reshape(len(schemes), len(self.target_scale), -1)
        intercepts = np.tile(self.target_offset, (len(schemes), 1))
        with np.errstate(over="ignore"):
            parts: list[Float] = [(coefs * self.target_scale[:, None]).astype(dtype), intercepts.astype(dtype)]
        if not all(np.isfinite(part).all() for part in parts):
            raise ValueError(f"coefficients exceed {dtype}: scale y down, or pass X as float64.")
        shaped = [part[:, 0] for part in parts] if self.single_target else parts
        return KernelPath(alphas_of(schemes), shaped[0], shaped[1], self.features)

    def state(self) -> State:
        """Return all that the averages are formed from."""
        return {
            "kind": "exact",
            "trajectory": self.trajectory.state(),
            "features": self.features.state(),
            "target_offset": self.target_offset,
            "target_scale": self.target_scale,
            "single_target": self.single_target,
        }

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int) -> KernelAverages:
        """Rebuild the averages from a state; X has `n_columns` columns."""
        part = stored.part("trajectory")
        trajectory = KERNEL_TRAJECTORIES[part.text("kind", KERNEL_TRAJECTORIES)](part)
        features = features_of(stored.part("features"), n_columns)
        scale = stored.array("target_scale", (None,))
        single_target = stored.flag("single_target")
        shape = (features.n_features,) if single_target else (len(scale), features.n_features)
        if trajectory.shape != shape or (single_target and len(scale) != 1) or not (scale > 0).all():
            raise StateError(f"the trajectory has coefficients of shape {trajectory.shape}: expected {shape}.")
        return cls(trajectory, features, stored.array("target_offset", (len(scale),)), scale, single_target)


@dataclass(frozen=True, eq=False)
class ComponentAverages(AnyAverages):
    """What a fit with components leaves behind: linear models of features.

    Attributes
    ----------
    linear : averages of the run over features.
    features : the components.
    """

    linear: Averages
    features: Features

    @property
    def trajectory(self) -> Trajectory:  # type: ignore[override]  # read only here
        """The run over features."""
        return self.linear.trajectory

    def models(self, schemes: Sequence[Scheme]) -> KernelPath:
        """Models of these schemes."""
        path = self.linear.models(schemes)
        return KernelPath(path.alphas, path.coefs, path.intercepts, self.features)
