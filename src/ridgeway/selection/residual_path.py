"""Held-out residuals at every alpha and scheme: what prediction intervals are made of.

The coefficients of all averages of a run are mixtures of some twenty directions (`ridgeway.selection.span`). So a
held-out row is kept as its products with these directions, and a small trajectory, whose "coefficients" are the
coordinates along them, gives the mixture of any scheme. The residual of row i at scheme s is

    e_i(s) = (y_i - mean of y) - z_i . a(s) ,    z_i = (x_i - mean of x) . directions ,    a(s) = trajectory.coef(s) ,

with the means and the trajectory of the run that had not learned from the row. Leaving one row out has a closed form
instead: e_i(s) / (1 - h_i(s)), where the leverage h_i is a mixture as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.trajectory import Trajectory, trajectory_of

Array = NDArray[np.float64]

MAX_PATH_ROWS = 10_000  # rows whose residuals are kept: a coverage of 0.9 is then met to 0.003
METHODS = {
    "hold-out": "split conformal: residuals of held-out rows",
    "folds": "cross-validation residuals: each row predicted by the model of the other folds",
    "leave-one-out": "jackknife: each row predicted by the model of all other rows",
    "progressive": "progressive residuals: each row of the stream predicted before it was learned",
}
NEGLIGIBLE_PREDICTION_SHARE = 1e-6  # of the largest predictions: directions that add less are left out
SAMPLE_SEED = 0x5A3B1E  # data are often drawn with small seeds, and a sample must not follow the same numbers
# Smallest 1 - h for a leverage h. With more columns than rows, 1 - h is about alpha / eigenvalue, 1e-11 or more. It is
# 0 where alpha is 0 and a row is the only one that a direction is known from: such rows have no residual.
MIN_ONE_MINUS_LEVERAGE = 1e-13


@dataclass(frozen=True, eq=False)
class Leverages:
    """How far each row pulls its own prediction: h_i(s) = base_i + products_i . a(s).

    Attributes
    ----------
    base : (k,), the part of the intercept.
    products : (k, r).
    """

    base: Array
    products: Array


@dataclass(frozen=True, eq=False, repr=False)
class ResidualPart:
    """Held-out rows that one run has predicted, in standardized targets.

    Attributes
    ----------
    numbers : (k,), of the rows in the data, or in a stream.
    y : (k, targets), targets about the means that the run has learned.
    products : (k, targets, r), the rows along the directions.
    trajectory : coordinates (r,), or (targets, r), of every scheme.
    leverages : of rows that are left out one by one; None for others.
    """

    numbers: NDArray[np.int64]
    y: Array
    products: Array
    trajectory: Trajectory
    leverages: Leverages | None = None

    def __repr__(self) -> str:
        return f"ResidualPart({len(self.numbers):,} rows)"

    def residuals(self, scheme: Scheme) -> Array:
        """Return the residuals of standardized targets, (k, targets)."""
        coordinates = np.asarray(self.trajectory.nearest_average([scheme])[0], np.float64)
        left: Array = self.y - np.einsum("kqr,qr->kq", self.products, np.broadcast_to(coordinates, self._mixed))
        if self.leverages is None:
            return left
        pulls = self.leverages.base + self.leverages.products @ coordinates
        return left / np.maximum(1 - pulls, MIN_ONE_MINUS_LEVERAGE)[:, None]

    @property
    def _mixed(self) -> tuple[int, int]:
        return self.products.shape[1], self.products.shape[2]

    def state(self) -> State:
        """Return rows and trajectory."""
        return {
            "numbers": self.numbers,
            "y": self.y,
            "products": self.products,
            "trajectory": self.trajectory.state(),
            "leverages": None if self.leverages is None else dict(vars(self.leverages)),
        }

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int) -> ResidualPart:
        """Return the part of a state."""
        numbers = stored.array("numbers", (None,), "int64")
        k = len(numbers)
        products = stored.array("products", (k, n_targets, None))
        r = products.shape[2]
        trajectory = trajectory_of(stored.part("trajectory"))
        if trajectory.shape not in ((r,), (n_targets, r)):
            raise StateError(f"coordinates of shape {trajectory.shape}: expected ({r},) or ({n_targets}, {r}).")
        pulls = stored.optional("leverages")
        if pulls is not None and trajectory.shape != (r,):
            raise StateError("leverages of targets with directions of their own: expected common ones.")
        leverages = None if pulls is None else Leverages(pulls.array("base", (k,)), pulls.array("products", (k, r)))
        return cls(numbers, stored.array("y", (k, n_targets)), products, trajectory, leverages)


@dataclass(frozen=True, eq=False, repr=False)
class ResidualPath:
    """A sample of held-out rows with their residuals at every alpha and scheme.

    Attributes
    ----------
    method : how rows were held out: one of `METHODS`.
    parts : the rows, by the run that predicted them.
    actual : (k, targets), the targets, in the user's units.
    target_scale : (targets,), the unit of the standardized targets.
    """

    method: str
    parts: Sequence[ResidualPart]
    actual: Array
    target_scale: Array

    def __len__(self) -> int:
        return sum(len(part.numbers) for part in self.parts)

    def __repr__(self) -> str:
        return f"ResidualPath({len(self):,} rows, {self.method})"

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Number of each row in the data, (k,)."""
        return np.concatenate([part.numbers for part in self.parts])

    def residuals(self, scheme: Scheme) -> Array:
        """Return actual minus predicted at a scheme, in the user's units: (k, targets).

        Parameters
        ----------
        scheme : an average; a `Tail` starts at a share of the run.
        """
        if self.method == "leave-one-out" and not isinstance(scheme, Geometric):
            raise ValueError(
                f"no prediction intervals for {scheme}: this fit used leave-one-out, whose residuals are known for "
                "ridge only. Take model.at(alpha), or fit with cv=5."
            )
        return np.concatenate([part.residuals(scheme) for part in self.parts]) * self.target_scale

    def state(self) -> State:
        """Return the rows."""
        return {
            "method": self.method,
            "parts": [part.state() for part in self.parts],
            "actual": self.actual,
            "target_scale": self.target_scale,
        }

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int) -> ResidualPath:
        """Return the residuals of a state."""
        parts = [ResidualPart.from_state(part, n_targets) for part in stored.parts("parts", least=1)]
        n_rows = sum(len(part.numbers) for part in parts)
        actual, scale = stored.array("actual", (n_rows, n_targets)), stored.array("target_scale", (n_targets,))
        return cls(stored.text("method", METHODS), parts, actual, scale)


def method_of(n_folds: int) -> str:
    """Return how rows were held out by a number of folds, as `METHODS` names it: one fold is a hold-out."""
    return "hold-out" if n_folds == 1 else "folds"


def sample_rows(tests: Sequence[NDArray[np.intp]], n_targets: int) -> list[NDArray[np.intp]]:
    """Return a sample of the held-out rows of each run, `MAX_PATH_ROWS` numbers for all targets together at most.

    Parameters
    ----------
    tests : for each run, numbers of the rows that it has not learned from.
    n_targets : number of targets.
    """
    sizes = [len(test) for test in tests]
    total, most = sum(sizes), max(1, MAX_PATH_ROWS // n_targets)
    if total <= most:
        return list(tests)
    chosen = np.zeros(total, bool)
    chosen[np.random.default_rng(SAMPLE_SEED).choice(total, most, replace=False, shuffle=False)] = True
    masks = np.split(chosen, np.cumsum(sizes)[:-1])
    return [test[mask] for test, mask in zip(tests, masks, strict=True)]


class ReducedProducts(NamedTuple):
    """Products along fewer directions, (k, targets, q), and the mixtures (q, r) of coordinates that go with them."""

    products: Array
    mixtures: Array


def reduced_products(products: Array, coordinates: Array) -> ReducedProducts:
    """Leave out directions that no prediction of these rows needs: a run over d columns needs at most d.

    Parameters
    ----------
    products : (k, targets, r), rows along the directions.
    coordinates : (L, r), of schemes that span all others.
    """
    k, n_targets, r = products.shape
    orthogonal, triangular = np.linalg.qr(products.reshape(k * n_targets, r))
    left, sizes, _ = np.linalg.svd(triangular @ coordinates.T, full_matrices=False)
    kept = left[:, sizes > NEGLIGIBLE_PREDICTION_SHARE * sizes[0]] if sizes[0] > 0 else left[:, :1]
    return ReducedProducts((orthogonal @ kept).reshape(k, n_targets, -1), kept.T @ triangular)
