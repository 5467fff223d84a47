"""What every estimator of a whole path shares: predictions, the model it stands at, scikit-learn's questions."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import NotFittedError

from ridgeway.columns import require_columns
from ridgeway.rows import check_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ridgeway.path_result import PathResult
    from ridgeway.rows import Float


class Stands(Protocol):
    """A fit, and the place on its path where the estimator stands."""

    @property
    def model(self) -> PathResult:
        """The linear model there, a path of one."""


Place = TypeVar("Place", bound=Stands)


class PathEstimator(RegressorMixin, BaseEstimator, Generic[Place]):  # type: ignore[misc]  # scikit-learn has no types
    """A linear regressor that holds a whole path of models and stands at one of them.

    A subclass sets `_standing` when it is fitted.
    """

    _standing: Place
    n_features_in_: int

    @abstractmethod
    def path(self, alphas: ArrayLike) -> PathResult:
        """Coefficients and intercepts for every alpha."""

    def predict(self, X: Any) -> Float:
        """Predict ``X @ coef_ + intercept_``: (n_rows,), or (n_rows, n_targets).

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        """
        model = self._fitted().model
        rows = check_rows(X)
        require_columns(self, X, rows)
        return model.predict_rows(rows)[:, 0]

    def predict_path(self, X: Any, alphas: ArrayLike) -> Float:
        """Predict with every alpha: (n_rows, L), or (n_rows, L, n_targets).

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        alphas : (L,), each 0 or more, in any order.
        """
        path = self.path(alphas)
        rows = check_rows(X)
        require_columns(self, X, rows)
        return path.predict_rows(rows)

    @property
    def coef_(self) -> Float:
        """Coefficients where the model stands, in the user's units."""
        coef: Float = self._fitted().model.coefs[0]
        return coef

    @property
    def intercept_(self) -> Any:
        """Intercept where the model stands."""
        intercept = self._fitted().model.intercepts[0]
        return float(intercept) if np.ndim(intercept) == 0 else intercept

    def _fitted(self) -> Place:
        """Return where the model stands."""
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted: call fit or partial_fit first.")
        return self._standing

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_standing")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags
