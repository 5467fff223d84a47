"""The kernel function: by name, as in scikit-learn, or a callable; evaluated in blocks of rows against rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import kernel_metrics, manhattan_distances, pairwise_kernels

from ridgeway.rows import AnyRows, DenseRows, Float
from ridgeway.storage.state import State, Stored
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import counted, real_number

NAMES = tuple(sorted(kernel_metrics()))
OF_DISTANCES = ("rbf", "laplacian")  # exp(-gamma * distance): blocks of distances serve every gamma


@dataclass(frozen=True)
class Kernel:
    """A positive definite function k(x, x') of two rows.

    Parameters
    ----------
    name : one of scikit-learn's pairwise kernels, or a callable of two rows that returns a number.
    gamma, degree, coef0 : parameters of those kernels that have them; gamma=None is 1 / n_features.
    params : keyword arguments of a callable.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.rows import check_rows
    >>> rows = check_rows([[0.0], [1.0]])
    >>> Kernel("rbf", gamma=np.log(2)).block(rows, rows)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    name: str | Callable[..., float]
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1
    params: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not callable(self.name) and self.name not in NAMES:
            near = get_close_matches(str(self.name), NAMES, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"kernel={self.name!r}: expected one of {', '.join(NAMES)}, 'precomputed' or a callable of two rows."
                f"{hint}"
            )
        if self.gamma is not None:
            object.__setattr__(self, "gamma", positive_gamma(self.gamma))
        counted("degree", self.degree)
        object.__setattr__(self, "coef0", real_number("coef0", self.coef0, "expected a finite number"))

    @property
    def of_distances(self) -> bool:
        """Whether the kernel depends on a distance and gamma alone."""
        return self.name in OF_DISTANCES

    def with_gamma(self, gamma: float) -> Kernel:
        """Return the same kernel with another gamma."""
        return replace(self, gamma=gamma)

    def state(self) -> State:
        """Return name and parameters; a callable cannot be stored."""
        if not isinstance(self.name, str):
            raise ValueError(
                f"kernel={self._named()} is a function, which a model file cannot hold: fit with the name of a kernel, "
                "or with kernel='precomputed'."
            )
        return {"name": self.name, "gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}

    @classmethod
    def from_state(cls, stored: Stored) -> Kernel:
        """Return the kernel of a state."""
        gamma = stored.positive("gamma") if "gamma" in stored else None
        return cls(stored.text("name", NAMES), gamma, stored.integer("degree", 1, 1000), stored.number("coef0"))

    def block(self, rows: AnyRows, others: AnyRows) -> Float:
        """Return k(x, x') of each of `rows` with each of `others`: (n_rows, n_others), finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            block = self.at(self.distances(rows, others)) if self.of_distances else self._pairwise(rows, others)
        if not np.isfinite(block).all():
            raise ValueError(
                f"kernel={self._named()} has values that are not finite in {block.dtype}: scale the columns of X "
                "(scale=True), take a smaller gamma or degree, or pass float64."
            )
        return block

    def distances(self, rows: AnyRows, others: AnyRows) -> Float:
        """Squared Euclidean (rbf) or Manhattan (laplacian) distances: (n_rows, n_others)."""
        if self.name == "laplacian":
            return np.asarray(manhattan_distances(_matrix(rows), _matrix(others)), rows.dtype)
        product = _matrix(rows) @ _matrix(others).T
        squared: Float = product if isinstance(product, np.ndarray) else product.toarray()
        squared *= -2
        squared += rows.squared_norms()[:, None]
        squared += others.squared_norms()
        return np.maximum(squared, 0, out=squared)

    def at(self, distances: Float) -> Float:
        """exp(-gamma * distances), in place."""
        assert self.gamma is not None
        distances *= -self.gamma
        return np.exp(distances, out=distances)

    def diagonal(self, rows: AnyRows) -> NDArray[np.float64]:
        """k(x, x) of each row."""
        if self.of_distances or self.name == "cosine":
            return np.ones(rows.shape[0])
        singles = (rows.between(i, i + 1) for i in range(rows.shape[0]))
        if self.name == "linear":
            return rows.squared_norms().astype(np.float64)
        return np.array([float(self.block(row, row)[0, 0]) for row in singles])

    def _pairwise(self, rows: AnyRows, others: AnyRows) -> Float:
        if callable(self.name):
            answer = pairwise_kernels(_matrix(rows), _matrix(others), metric=self.name, **self.params)
        else:
            known = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            X, Z = (part.copy() if "chi2" in self.name else part for part in (_matrix(rows), _matrix(others)))
            answer = pairwise_kernels(X, Z, metric=self.name, filter_params=True, **known)
        return np.asarray(answer if isinstance(answer, np.ndarray) else answer.toarray(), rows.dtype)

    def _named(self) -> str:
        return repr(self.name) if isinstance(self.name, str) else getattr(self.name, "__name__", repr(self.name))


def takes_gamma(name: Any) -> bool:
    """Tell whether the kernel of this name has a parameter gamma."""
    return is_name(name, *NAMES) and "gamma" in inspect.signature(kernel_metrics()[name]).parameters


def positive_gamma(gamma: Any) -> float:
    """Return gamma as a float above 0."""
    expected = "expected a positive number, None for 1 / n_features, or 'auto'"
    number = real_number("gamma", gamma, expected)
    if number <= 0:
        raise ValueError(f"gamma={number!r} is not positive: {expected}.")
    return number


def _matrix(rows: AnyRows) -> Any:
    """Return rows as scikit-learn takes them: some of its kernels refuse read-only arrays and long indices."""
    if isinstance(rows, DenseRows):
        return rows.array
    matrix = rows.matrix()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix
