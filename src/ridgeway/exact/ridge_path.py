"""`ExactRidgePath`: every ridge strength, exactly, from one pass over the rows."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.atomic import atomic
from ridgeway.exact.comoments import TOO_SMALL, CoMoments
from ridgeway.exact.ridge_spectrum import RidgeAt, RidgeSpectrum
from ridgeway.path.path_estimator import PathEstimator
from ridgeway.rows import FLOAT64, check_labels, check_rows, require_finite_rows
from ridgeway.rows.same_form import require_same_targets
from ridgeway.validation.columns import remember_columns, require_columns_of_fit
from ridgeway.validation.scalars import ridge_strength, ridge_strengths

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike

    from ridgeway.path.path_result import PathResult
    from ridgeway.storage.state import State, Stored

NO_PENALTY = "alpha=0 is least squares"


class ExactRidgePath(PathEstimator[RidgeAt]):
    """Exact ridge regression for every alpha, from one Gram matrix and one eigendecomposition.

    Minimises over w and b, with the weights c_i, their sum W and D the standard deviations of the columns::

        (1/W) sum_i c_i (y_i - b - x_i . w)^2 + alpha |D w|^2

    which is ``sklearn.linear_model.Ridge(alpha=W * alpha)`` on standardized columns, reported in the user's
    units. Memory is d^2 and time n d^2 + d^3 for n rows of d columns: for d up to a few hundred this is
    the method to prefer.

    It assumes that the Gram matrix, rounded to 16 digits, tells the columns apart. Directions in which
    eigenvalue + alpha is at most 1e-12 of the largest eigenvalue are left out; at alpha=0 that is the
    pseudo-inverse, the solution of least |D w|. So without a penalty columns that are linearly dependent
    to about six digits count as dependent. With ``scale=False`` the same happens to columns a million
    times smaller than the largest, and with ``fit_intercept=False`` to deviations a million times smaller
    than the mean.

    Parameters
    ----------
    scale : True penalises the coefficients of standardized columns: D holds the weighted population standard
        deviations, about the mean even when ``fit_intercept=False``. False: D = 1. A constant column has
        D = 1: beside an intercept its coefficient is 0, without one it is penalised like any other.
    fit_intercept : True fits an unpenalised intercept b; False sets it to 0.
    alpha : the strength, 0 or more, of `coef_`, `intercept_` and `predict` after the fit. 0 is
        minimum-norm least squares. `at`, `path` and `predict_path` answer for any other without refitting.

    Attributes
    ----------
    coef_ : (n_features,), or (n_targets, n_features) when y was 2-D.
    intercept_ : float, or (n_targets,) when y was 2-D.
    alpha_ : the alpha of `coef_` and `intercept_`.
    n_features_in_ : number of columns.
    feature_names_in_ : names of the columns, when X was a data frame with names.

    Notes
    -----
    Sums are made in float64 whatever the type of X, in blocks of rows and about running means, so columns far
    from 0 keep their digits. Sparse rows are centred after the fact: a column of sparse X whose mean is a
    million times its standard deviation counts as constant.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.exact import ExactRidgePath
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 3)) * [1.0, 10.0, 0.1] + 5.0
    >>> y = X @ [1.0, 0.2, 3.0] + rng.standard_normal(500)
    >>> ridge = ExactRidgePath().fit(X, y)
    >>> ridge.coef_.round(2)
    array([1.04, 0.2 , 3.63])
    >>> ridge.at(0.5).coef_.round(2)
    array([0.7 , 0.13, 2.39])
    >>> ridge.path([0.0, 0.01, 0.1])
    PathResult(3 alphas from 0 to 0.1, 3 features)
    >>> ridge.predict_path(X[:2], [0.0, 0.01, 0.1]).shape
    (2, 3)
    >>> print(f"{ridge.score(X, y):.2f}")
    0.82
    """

    alpha_: float
    n_features_in_: int

    def __init__(self, *, scale: bool = True, fit_intercept: bool = True, alpha: float = 0.0) -> None:
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.alpha = alpha

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Read the rows; discard any previous fit.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row. Only their ratios matter.
        """
        return self._read(X, y, sample_weight, None)

    @atomic
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Read more rows: batches of any sizes equal `fit` on all of their rows, to rounding.

        An error leaves the estimator as it was.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row.

        Examples
        --------
        >>> import numpy as np
        >>> from ridgeway.exact import ExactRidgePath
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.standard_normal((100, 4)), rng.standard_normal(100)
        >>> stream = ExactRidgePath(alpha=0.1)
        >>> for start in range(0, 100, 7):
        ...     stream = stream.partial_fit(X[start : start + 7], y[start : start + 7])
        >>> bool(np.allclose(stream.coef_, ExactRidgePath(alpha=0.1).fit(X, y).coef_, rtol=1e-10))
        True
        """
        before = self._selected_model.spectrum if self.__sklearn_is_fitted__() else None
        return self._read(X, y, sample_weight, before)

    def path(self, alphas: ArrayLike) -> PathResult:
        """Coefficients and intercepts for every alpha, by one matrix product.

        Parameters
        ----------
        alphas : (L,), each 0 or more, in any order.
        """
        return self._fitted().spectrum.path(np.array(ridge_strengths(alphas, NO_PENALTY)))

    def at(self, alpha: float) -> Self:
        """Return a fitted copy at another alpha; no data needed.

        Examples
        --------
        >>> import numpy as np
        >>> from ridgeway.exact import ExactRidgePath
        >>> ridge = ExactRidgePath().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
        >>> ridge.at(1.0).coef_, ridge.coef_
        (array([0.5]), array([1.]))
        """
        moved = copy.copy(self)
        moved.alpha = moved.alpha_ = ridge_strength(alpha, NO_PENALTY)
        moved._selected_model = RidgeAt(self._fitted().spectrum, moved.alpha_)  # the decomposition is shared
        return moved

    def _fit_state(self) -> State:
        spectrum = self._fitted().spectrum
        return {"moments": spectrum.moments.state(), "single_target": spectrum.single_target, "alpha": self.alpha_}

    def _restore(self, stored: Stored) -> None:
        moments, single_target = CoMoments.from_state(stored.part("moments")), stored.flag("single_target")
        self._stand(moments, single_target, stored.number("alpha", 0.0))

    def _read(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, before: RidgeSpectrum | None) -> Self:
        alpha = ridge_strength(self.alpha, NO_PENALTY)
        rows = check_rows(X)
        if before is not None:
            require_columns_of_fit(self, X, rows)
        labels = check_labels(rows.shape[0], y, sample_weight, FLOAT64)  # float64 beside float32 rows
        if before is not None:
            require_same_targets(
                labels.y.shape[1], labels.single_target, before.moments.xy.shape[1], before.single_target
            )
        kept = np.flatnonzero(labels.weight)  # rows without weight are skipped in place, without a copy of the others
        if len(kept) == 0 and before is not None:
            return self._stand(before.moments, labels.single_target, alpha)
        if len(kept) == 0:
            raise ValueError(
                f"sample_weight is zero for all {rows.shape[0]} rows: expected at least one positive weight; "
                "leave sample_weight out to weight all rows alike."
            )
        squared_norms = rows.squared_norms()
        if len(kept) < rows.shape[0]:
            unweighted = np.ones(rows.shape[0], bool)
            unweighted[kept] = False
            squared_norms[unweighted] = 0  # rows without weight may hold anything
        require_finite_rows(rows, squared_norms)
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            some = None if len(kept) == rows.shape[0] else kept
            y_kept, weight_kept = (part if some is None else part[some] for part in (labels.y, labels.weight))
            moments = CoMoments.of(rows, y_kept, weight_kept, some)
            if before is not None:
                moments = CoMoments.pooled([before.moments, moments])
        if not moments.finite:
            raise ValueError(
                "the sums of squares and products of X, y and sample_weight exceed float64: "
                "scale the columns, the targets or the weights down."
            )
        if moments.vanishing:
            raise ValueError(TOO_SMALL)
        if before is None:
            remember_columns(self, X)
        return self._stand(moments, labels.single_target, alpha)

    def _stand(self, moments: CoMoments, single_target: bool, alpha: float) -> Self:
        spectrum = RidgeSpectrum(moments, bool(self.scale), bool(self.fit_intercept), single_target)
        self._selected_model = RidgeAt(spectrum, alpha)
        self.alpha_ = alpha
        return self
