"""`AveragedKernelRegressor`: the whole path of kernel ridge regression from one fit."""

from __future__ import annotations

import copy
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ridgeway.atomic import atomic
from ridgeway.estimators.averaged_estimator import AveragedEstimator
from ridgeway.estimators.averages import AnyAverages
from ridgeway.estimators.component_fit import ComponentModel, begin_components, fit_components
from ridgeway.estimators.kernel_averages import ComponentAverages, KernelAverages
from ridgeway.estimators.kernel_convergence import WEAK_KERNEL_STRENGTHS, warn_of_short_fit
from ridgeway.estimators.kernel_fit import KernelRequest, fit_kernel
from ridgeway.estimators.kernel_options import check_cache, new_features
from ridgeway.estimators.kernel_solver_choice import choose_kernel_solver
from ridgeway.estimators.kernel_state import kernel_fit_state, restore_kernel_fit
from ridgeway.estimators.options import require_rows
from ridgeway.rows import FLOAT64, Batch, check_batch, require_finite_rows
from ridgeway.validation.columns import remember_columns, require_columns_of_fit
from ridgeway.validation.names import is_name

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike

    from ridgeway.averaging import Scheme
    from ridgeway.estimators.averages import SelectedModel
    from ridgeway.kernel.features import Features
    from ridgeway.selection import HeldOut
    from ridgeway.storage.state import State, Stored


class _NeedsComponents:
    """A method that exists only where `n_components` is set; elsewhere the error of its absence says so."""

    def __init__(self, method: Any) -> None:
        self._method = method

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self._method
        if estimator.n_components is None:
            raise AttributeError(
                "partial_fit needs n_components: an exact kernel model has a coefficient per row; set "
                "n_components=2000."
            )
        return MethodType(self._method, estimator)


class AveragedKernelRegressor(AveragedEstimator[AnyAverages]):
    """Kernel ridge regression for every strength from one fit, and the strength that predicts held-out rows best.

    Functions f = sum_i a_i k(x_i, .) minimise

        (1/W) sum_i c_i (y_i - b - f(x_i))^2 + alpha |f|^2

    for the weights c_i of sum W and the norm of the kernel: ``KernelRidge(alpha=n * alpha)`` on standardized features
    and a centred target. The Krylov solver finds them for all alphas at once from some tens of products with the kernel
    matrix. All folds and the fit to all rows share each product, and the matrix is never needed as a whole.
    ``solver="sgd"`` is the paper's method: geometric averages of the iterates of constant-step SGD are, in expectation
    and for long runs, the same functions.

    It assumes a positive definite kernel; any other one is refused. Time grows with the square of the rows: beyond some
    50,000 set `n_components`, which learns linear models of that many random features in time proportional to the rows.

    Parameters
    ----------
    kernel : str or callable
        A name of scikit-learn's pairwise kernels ("rbf", "laplacian", "polynomial", "linear", ..), "precomputed" (X is
        the kernel matrix, in `predict` of new rows with those of `fit`), or a callable of two rows.
    gamma : None, "auto" or float
        Parameter of the kernels that have one. None is 1 / n_features; "auto" compares multiples of the median
        heuristic on held-out rows ("rbf" and "laplacian").
    degree, coef0 : parameters of polynomial and sigmoid kernels.
    kernel_params : dict or None
        Keyword arguments of a callable.
    n_components : int or None
        None fits the kernel exactly. A number replaces it by so many random features.
    features : "auto", "fourier" or "nystroem"
        Which features `n_components` means: "fourier", for the rbf kernel only and its default, or "nystroem", the
        kernel against randomly chosen rows, the default for all others.
    solver : "auto", "krylov" or "sgd"
        "krylov" is exact for every strength down to the chosen one, and beyond to `trajectory_.tolerance`; "sgd" is
        plain kernel SGD. "auto" is Krylov, and with components whichever of Gram matrices, Krylov and SGD costs least;
        it is SGD where `step`, `passes` or `batch_size` is given.
    averaging, alpha, one_standard_error : as in `AveragedSGDRegressor`.
    passes : "auto" or int
        Number of passes of SGD over the rows. "auto": up to 32 times, fewer if the held-out error settles before, up to
        64 while it still falls. With components, as in `AveragedSGDRegressor`.
    step : "auto", float or LimitedStep
        Step size of SGD. "auto" is the longest one that is safe, 1 / (largest k(x, x)).
    batch_size : int
        Rows per step of SGD.
    shuffle : bool
        Random folds; for SGD a fresh random order each pass: of blocks of rows, and of rows within them.
    cv : "auto", int, "holdout", splitter or iterable of (train, test)
        How the average is chosen; "auto" is 5 folds. With components, as in `AveragedSGDRegressor`.
    scale : bool
        Standardize columns; divide sparse ones that are 0 in most rows by their largest absolute values. Sparse rows
        that all have the same Euclidean length, as tf-idf rows do (empty rows apart), stay as they are.
    fit_intercept : bool
        The intercept is the mean of y.
    cache_size : float
        Megabytes of the kernel matrix (or of features) that are kept; what does not fit is computed again for each
        product. The Krylov solver keeps one triangle: 2,000 MB hold that of 22,000 rows, 31,000 in float32.
    n_jobs : int or None
        Threads of matrix products; None leaves them to BLAS, which takes all cores.
    random_state : int, Generator, RandomState or None
        Seed of orders, folds and random features.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    coef_ : (n_rows,), the coefficients of k(x_i, .) for the rows of fit, or (n_components,); (n_targets, ..) when y
        was 2-D.
    intercept_ : float, or (n_targets,) when y was 2-D.
    gamma_ : of the kernel; None if it has none.
    gamma_errors_ : held-out errors of the gammas that were tried, the best first; None when gamma was given.
    solver_, solver_reason_ : the solver, "krylov", "sgd" or, with components, also "gram"; and why it is this one.
    passes_ : products with the kernel matrix, or passes of SGD; 1 where components were solved exactly.
    averaging_, alpha_, step_, n_steps_, selection_, held_out_, n_rows_, trajectory_ : as in `AveragedSGDRegressor`.
    n_features_in_, feature_names_in_ : columns of X.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (300, 2))
    >>> y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.standard_normal(300)
    >>> model = rw.AveragedKernelRegressor(random_state=0).fit(X, y)
    >>> model.solver_, f"{model.score(X, y):.2f}"
    ('krylov', '0.99')
    >>> model.at(1.0).alpha_, model.predict_path(X, [1e-4, 1e-2, 1.0]).shape
    (1.0, (300, 3))
    """

    ADDED_PARAMETERS: ClassVar[dict[str, Any]] = {"solver": "auto"}

    solver_: str
    solver_reason_: str
    n_rows_: int
    passes_: float
    gamma_: float | None
    gamma_errors_: dict[float, float] | None
    _components: ComponentModel | None = None
    _held_out: HeldOut | None
    _weak_strengths = WEAK_KERNEL_STRENGTHS

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_components: int | None = None,
        features: str = "auto",
        solver: str = "auto",
        averaging: Any = "auto",
        alpha: Any = "auto",
        passes: Any = "auto",
        step: Any = "auto",
        batch_size: int = 1,
        shuffle: bool = True,
        cv: Any = "auto",
        one_standard_error: bool = False,
        scale: bool = True,
        fit_intercept: bool = True,
        cache_size: float = 2000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.features = features
        self.solver = solver
        self.averaging = averaging
        self.alpha = alpha
        self.passes = passes
        self.step = step
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Solve for every strength and choose one; discard any previous fit.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features); float32 stays float32. The kernel
            matrix (n_rows, n_rows) when it is precomputed.
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row. Only their ratios matter.
        """
        batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
        require_rows(batch)
        if self.kernel == "precomputed" and batch.rows.shape[1] != np.shape(y)[0]:
            raise ValueError(
                f"X has {batch.rows.shape[1]} columns and y {np.shape(y)[0]} entries, but kernel='precomputed': "
                "expected a square matrix, the kernel of every row with every row."
            )
        if self.n_components is None:
            self._fit_rows(batch, X, y)
        else:
            require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
            features, cache = self._new_features(batch), check_cache(self.cache_size)
            self._set_fit(fit_components(self, batch, features, cache, (X, y)))
        remember_columns(self, X)
        return self

    @_NeedsComponents
    @atomic
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from more rows; the features are those of the first batch. It needs `n_components`.

        Up to 2,000 components Gram matrices are added up, and the order of the rows does not matter; more components
        are learned by SGD, as in `AveragedSGDRegressor`.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row.
        """
        begun = self.__sklearn_is_fitted__()
        if begun and self._components is None:
            raise ValueError("partial_fit cannot continue an exact fit: start again with clone(model).")
        dtype = None if self._components is None else self._components.dtype
        batch = check_batch(X, y, sample_weight, dtype=dtype, target_dtype=FLOAT64)
        require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
        if self._components is not None:
            require_columns_of_fit(self, X, batch.rows)
            components = self._components
        else:
            require_rows(batch)
            components = begin_components(self, self._new_features(batch))
        self._set_fit(components.with_rows(batch))
        if not begun:
            remember_columns(self, X)
        return self

    def _fit_rows(self, batch: Batch, X: Any, y: Any) -> None:
        choice = choose_kernel_solver(self)
        request = KernelRequest.of(self, choice.solver, batch)
        try:
            fit = fit_kernel(batch, request, X, y)
        finally:
            request.progress.close()
        self._components = None
        self._selected_model = fit.averages.at(fit.scheme, fit.selection)
        self.solver_, self.solver_reason_ = choice
        self.gamma_, self.gamma_errors_ = fit.gamma, fit.gammas
        self._held_out, self.n_rows_, self.passes_ = fit.held_out, len(batch), fit.passes
        if not fit.settled:
            warn_of_short_fit(choice.solver, self.passes_, request.options.asked.scheme)

    def _new_features(self, batch: Batch) -> Features:
        features, self.gamma_ = new_features(self, batch)
        self.gamma_errors_ = None
        return features

    def _set_fit(self, components: ComponentModel) -> None:
        self._components, self._held_out = components, None
        self.solver_, self.solver_reason_ = components.choice
        self.n_rows_, self.passes_ = components.linear.n_rows_, components.passes

    def _fitted(self) -> SelectedModel[AnyAverages]:
        """Return the selected model; a stream of components is solved when it is read."""
        components = getattr(self, "_components", None)
        return super()._fitted() if components is None else components.selected

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "solver_")

    def at(self, average: float | str | Scheme | None) -> Self:
        """Return a fitted copy with another selected average; no data, no new fit.

        Parameters
        ----------
        average : a ridge strength, a scheme such as ``Tail(0.5)``, "uniform", "last", or None for the selected average.
        """
        self._fitted()
        if self._components is None:
            return super().at(average)
        moved = copy.copy(self)
        moved._components = self._components.at(average)
        moved.averaging, moved.alpha = moved._components.linear.averaging, moved._components.linear.alpha
        return moved

    def _move(self, selected: SelectedModel[AnyAverages]) -> None:
        self._selected_model = selected

    def _features(self) -> Features:
        averages = self._fitted().averages
        assert isinstance(averages, ComponentAverages | KernelAverages)
        return averages.features

    @property
    def held_out_(self) -> HeldOut | None:
        """A sample of rows with predictions of runs that had not learned from them."""
        self._fitted()
        return self._held_out if self._components is None else self._components.held_out

    def _why_no_residuals(self) -> str:
        if self.solver_ == "sgd" and self.n_components is None:
            return "kernel SGD without n_components keeps none. Fit with solver='auto', which is exact, or n_components"
        return super()._why_no_residuals()

    def _fit_state(self) -> State:
        return kernel_fit_state(self)

    def _restore(self, stored: Stored) -> None:
        restore_kernel_fit(self, stored)

    def _n_coefficients(self) -> int:
        return self._features().n_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_name(self.kernel, "precomputed")
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
