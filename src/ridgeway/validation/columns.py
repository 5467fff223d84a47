"""The columns of the X that an estimator was fitted to: their number, and their names if X was a data frame."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import validate_data


class Rows(Protocol):
    """Checked rows of any form."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""


def remember_columns(estimator: Any, X: Any) -> None:
    """Set `n_features_in_` and, when X has names, `feature_names_in_`."""
    validate_data(estimator, X, reset=True, skip_check_array=True)


def require_columns_of_fit(estimator: Any, X: Any, rows: Rows) -> None:
    """Compare the columns of X, and their names when there are some, with those of the first fit."""
    if rows.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {rows.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input: pass the columns of fit, in the same order."
        )
    if not isinstance(X, np.ndarray) or hasattr(estimator, "feature_names_in_"):  # otherwise there are no names
        validate_data(estimator, X, reset=False, skip_check_array=True)
