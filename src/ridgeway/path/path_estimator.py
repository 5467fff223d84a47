"""What every estimator of a path shares: predictions, coefficients of the selected model, saving, scikit-learn tags."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import NotFittedError

from ridgeway.path.parameters import parameters_of, parameters_state
from ridgeway.rows import check_rows
from ridgeway.storage import write_state
from ridgeway.storage.state import StateError
from ridgeway.validation.columns import require_columns_of_fit

if TYPE_CHECKING:
    import os
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from ridgeway.path.path_result import PathResult
    from ridgeway.rows import Float
    from ridgeway.storage.state import State, Stored


class SelectedFit(Protocol):
    """A fit together with the model of its path that was selected."""

    @property
    def model(self) -> PathResult:
        """The selected linear model, as a path of one alpha."""


Selected = TypeVar("Selected", bound=SelectedFit)


class PathEstimator(RegressorMixin, BaseEstimator, Generic[Selected]):  # type: ignore[misc]  # scikit-learn has no types
    """A linear regressor that holds a whole path of models, one of which is selected.

    A subclass sets `_selected_model`, its fit and the selected model, when it is fitted.
    """

    ADDED_PARAMETERS: ClassVar[dict[str, Any]] = {}  # that files of an earlier version do not have, with their values

    _selected_model: Selected
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

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
        require_columns_of_fit(self, X, rows)
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
        require_columns_of_fit(self, X, rows)
        return path.predict_rows(rows)

    @property
    def coef_(self) -> Float:
        """Coefficients of the selected model, in the user's units."""
        coef: Float = self._fitted().model.coefs[0]
        return coef

    @property
    def intercept_(self) -> Any:
        """Intercept of the selected model, in the user's units."""
        intercept = self._fitted().model.intercepts[0]
        return float(intercept) if np.ndim(intercept) == 0 else intercept

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file; `ridgeway.load` reads it. The file is written completely or not at all.

        The file (safetensors with JSON) holds everything that `predict`, `path`, `at` and `partial_fit` need, without
        the data. It has no time stamps: the same fit gives the same bytes.

        Parameters
        ----------
        path : the file; the usual ending is .safetensors.

        Examples
        --------
        >>> import tempfile, ridgeway as rw
        >>> from pathlib import Path
        >>> model = rw.ExactRidgePath(alpha=0.5).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
        >>> file = Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> model.save(file)
        >>> rw.load(file).predict([[3.0]]) == model.predict([[3.0]])
        array([ True])
        """
        write_state(path, self.state())

    def state(self) -> State:
        """Return what `save` writes (see `ridgeway.storage.state`)."""
        self._fitted()
        names = getattr(self, "feature_names_in_", None)
        return {
            "estimator": type(self).__name__,
            "parameters": parameters_state(self),
            "n_features_in": self.n_features_in_,
            "feature_names_in": None if names is None else [str(name) for name in names],
            "fit": self._fit_state(),
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Return the fitted model of a state."""
        model = cls(**parameters_of(stored.part("parameters"), cls._get_param_names(), cls.ADDED_PARAMETERS))
        model.n_features_in_ = stored.integer("n_features_in", 1)
        if "feature_names_in" in stored:
            names = stored.texts("feature_names_in")
            if len(names) != model.n_features_in_:
                raise StateError(f"{len(names)} names of {model.n_features_in_} features: expected one each.")
            model.feature_names_in_ = np.array(names, dtype=object)
        model._restore(stored.part("fit"))
        if model.coef_.shape[-1] != model._n_coefficients():
            raise StateError(
                f"the model has {model.coef_.shape[-1]} coefficients for {model._n_coefficients()} features: expected "
                "one each."
            )
        return model

    def _n_coefficients(self) -> int:
        """Return the number of coefficients that the model must have."""
        return self.n_features_in_

    @abstractmethod
    def _fit_state(self) -> State:
        """Return the state of the fit."""

    @abstractmethod
    def _restore(self, stored: Stored) -> None:
        """Restore the fit from its state."""

    def _fitted(self) -> Selected:
        """Return the fit and the selected model; raise an error if there is none."""
        self._require_fit()
        return self._selected_model

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted: call fit or partial_fit first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_selected_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags
