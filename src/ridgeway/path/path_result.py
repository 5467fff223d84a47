"""`PathResult`: the linear models of a regularization path, one per ridge strength."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.rows import Float, check_rows, require_finite_entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ridgeway.rows import AnyRows

# Rows of a product at a time: float32 rows meet float64 coefficients without a full float64 copy of X.
_BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False, repr=False)
class PathResult:
    """The linear models of a regularization path, in the user's units.

    Model l predicts ``x @ coefs[l] + intercepts[l]``. Rows to predict must have the columns of the fit, in
    the same order and the same units: nothing is scaled here.

    Attributes
    ----------
    alphas : (L,), the ridge strengths, in the order asked for.
    coefs : (L, n_features), or (L, n_targets, n_features) when the fitted y was 2-D.
    intercepts : (L,), or (L, n_targets) when the fitted y was 2-D.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.path.path_result import PathResult
    >>> path = PathResult(np.array([0.1, 1.0]), np.array([[2.0, 1.0], [1.0, 0.5]]), np.array([0.0, 3.0]))
    >>> path
    PathResult(2 alphas from 0.1 to 1, 2 features)
    >>> path.predict([[1.0, 1.0]])
    array([[3. , 4.5]])
    """

    alphas: NDArray[np.float64]
    coefs: Float
    intercepts: Float

    def __post_init__(self) -> None:
        if self.alphas.ndim != 1 or self.coefs.ndim not in (2, 3):
            raise ValueError(
                f"alphas has shape {self.alphas.shape} and coefs {self.coefs.shape}: "
                "expected (L,) and (L, features) or (L, targets, features)."
            )
        if self.coefs.shape[0] != len(self.alphas) or self.intercepts.shape != self.coefs.shape[:-1]:
            raise ValueError(
                f"{len(self.alphas)} alphas, coefs of shape {self.coefs.shape} and intercepts of shape "
                f"{self.intercepts.shape} do not match: expected one model per alpha and one "
                "intercept per row of coefs."
            )

    def __len__(self) -> int:
        return len(self.alphas)

    def __repr__(self) -> str:
        n_targets = f", {self.coefs.shape[1]} targets" if self.coefs.ndim == 3 else ""
        if len(self) == 0:
            strengths = "no alphas"
        elif len(self) == 1:
            strengths = f"alpha {self.alphas[0]:g}"
        else:
            strengths = f"{len(self)} alphas from {self.alphas.min():g} to {self.alphas.max():g}"
        return f"PathResult({strengths}, {self.coefs.shape[-1]} features{n_targets})"

    def to_frame(self, feature_names: Sequence[str] | None = None) -> Any:
        """Return a pandas data frame with one row for each alpha, and for each target if y was 2-D.

        Its columns are alpha, target (if y was 2-D), intercept and the features.

        Parameters
        ----------
        feature_names : (n_features,); None for x0, x1, ...
        """
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas, or use alphas and coefs.") from None
        n_features = self.coefs.shape[-1]
        names = [f"x{place}" for place in range(n_features)] if feature_names is None else list(feature_names)
        if len(names) != n_features:
            raise ValueError(f"{len(names)} feature_names: expected {n_features}, one for each feature; pass all.")
        n_targets = self.coefs.shape[1] if self.coefs.ndim == 3 else 1
        first = {"alpha": np.repeat(self.alphas, n_targets)}
        if self.coefs.ndim == 3:
            first["target"] = np.tile(np.arange(n_targets), len(self))
        models = pandas.DataFrame(self.coefs.reshape(-1, n_features), columns=names)
        return pandas.concat([pandas.DataFrame({**first, "intercept": self.intercepts.reshape(-1)}), models], axis=1)

    def predict(self, X: Any) -> Float:
        """Predict with every model of the path: ``X @ coefs[l] + intercepts[l]``.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).

        Returns
        -------
        array of shape (n_rows, L), or (n_rows, L, n_targets)
        """
        return self.predict_rows(check_rows(X))

    def predict_rows(self, rows: AnyRows) -> Float:
        """Return what `predict` returns, for rows that were checked by `ridgeway.rows.check_rows`."""
        n_rows, n_columns = rows.shape
        n_features = self.coefs.shape[-1]
        if n_columns != n_features:
            raise ValueError(
                f"X has {n_columns} columns but the models have {n_features}: "
                "pass the columns of the fit, in the same order."
            )
        require_finite_entries(rows)
        columns = self.coefs.reshape(-1, n_features).T  # (d, L * targets)
        offsets = self.intercepts.reshape(-1)
        answer = np.empty((n_rows, len(offsets)), np.result_type(rows.dtype, self.coefs.dtype))
        for start in range(0, n_rows, _BLOCK_ROWS):
            part = slice(start, min(start + _BLOCK_ROWS, n_rows))
            _predict(rows.between(part.start, part.stop), columns, offsets, answer[part])
            require_predictions(answer[part], start)
        return answer.reshape(n_rows, *self.intercepts.shape)


def require_predictions(answer: Float, first: int) -> None:
    """Raise an error for predictions (n, models) that overflowed; `first` is the number of the first row."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(answer.sum()):  # a sum that overflows says nothing
            return
    finite = np.isfinite(answer).all(axis=1)
    if not finite.all():
        remedy = ", or pass it as float64" if answer.dtype == np.float32 else ""
        raise ValueError(
            f"the prediction of row {first + int(np.argmin(finite))} of X exceeds {answer.dtype}: scale X down{remedy}."
        )


def _predict(rows: AnyRows, columns: Float, offsets: Float, answer: Float) -> None:
    """Fill answer (n, models) with rows times columns (d, models) plus offsets.

    Products that overflow float32 are made again in float64, where large ones cancel.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks at the answer
        np.add(rows.times(columns), offsets, out=answer)
        if answer.dtype == np.float64 or np.isfinite(answer.sum()):
            return
        again = np.flatnonzero(~np.isfinite(answer).all(axis=1))
        answer[again] = rows.take(again).times(columns.astype(np.float64)) + offsets
