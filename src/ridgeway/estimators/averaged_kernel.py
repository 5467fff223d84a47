"""`AveragedKernelRegressor`: the whole path of kernel ridge regression from one run of SGD."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from ridgeway.atomic import atomic
from ridgeway.averaging import Uniform, scheme_of
from ridgeway.estimators.averaged_estimator import AveragedEstimator
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.estimators.averages import AnyAverages
from ridgeway.estimators.component_feed import AT_A_TIME, component_feed
from ridgeway.estimators.kernel_averages import ComponentAverages, KernelAverages
from ridgeway.estimators.kernel_fit import ExactRequest, fit_exact
from ridgeway.estimators.kernel_options import (
    check_cache,
    check_components,
    check_features,
    check_flattening,
    check_gamma,
    check_kernel,
    make_features,
)
from ridgeway.estimators.options import (
    check_averaging,
    check_cv,
    check_jobs,
    check_passes,
    fit_options,
    generator,
    require_rows,
)
from ridgeway.kernel.features import Features, GivenFeatures, features_of
from ridgeway.kernel.problem import KernelPlan
from ridgeway.kernel.span import COPIES
from ridgeway.messages.progress import Progress
from ridgeway.messages.user_warning import warn_user
from ridgeway.rows import FLOAT64, Batch, check_batch, require_finite_rows
from ridgeway.selection import HeldOut
from ridgeway.selection.plan import MIN_ROWS_TO_CHOOSE, warn_nothing_to_choose
from ridgeway.selection.table import Selection
from ridgeway.sgd.step_size import check_step
from ridgeway.storage.state import StateError
from ridgeway.validation.columns import remember_columns, require_columns
from ridgeway.validation.scalars import counted

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike

    from ridgeway.storage.state import State, Stored

PASSES = 32  # of passes="auto"
MAX_EXTENSION = 2  # passes="auto" continues up to this many times as long while the error still falls


def _streams(estimator: AveragedKernelRegressor) -> bool:
    """Tell whether the estimator learns from streams."""
    if estimator.n_components is None:
        raise AttributeError(
            "partial_fit needs n_components: an exact kernel model has a coefficient per row; set n_components=2000."
        )
    return True


class AveragedKernelRegressor(AveragedEstimator[AnyAverages]):
    """Kernel least squares by constant-step SGD, regularized by averaging its iterates; every strength from one fit.

    The iterates are functions f_t = sum_i a_i k(x_i, .), and averaging them with geometric weights gives, in
    expectation and for long runs, the minimiser of

        (1/W) sum_i c_i (y_i - b - f(x_i))^2 + alpha |f|^2

    for the weights c_i of sum W and the norm of the kernel: ``KernelRidge(alpha=n * alpha)`` on standardized features
    and a centred target. One pass of kernel SGD is forward substitution, and the folds of the choice and the final run
    read each block of the kernel matrix together, so the whole chosen path costs some tens of matrix products with
    blocks of the kernel. The matrix itself is never needed at once.

    It assumes a positive definite kernel; with any other one the run diverges, which is told. Time grows with the
    square of the rows: beyond some 50,000 set `n_components`, which learns linear models of that many random
    features in time proportional to the rows.

    Parameters
    ----------
    kernel : str or callable
        A name of scikit-learn's pairwise kernels ("rbf", "laplacian", "polynomial", "linear", ..), "precomputed" (X is
        the kernel matrix, in `predict` of new rows with those of `fit`), or a callable of two rows.
    gamma : None, "auto" or float
        Parameter of the kernels that have one. None is 1 / n_features; "auto" lets multiples of the median heuristic
        race on held-out rows ("rbf" and "laplacian").
    degree, coef0 : parameters of polynomial and sigmoid kernels.
    kernel_params : dict or None
        Keyword arguments of a callable.
    n_components : int or None
        None is exact. A number streams the rows through so many random features.
    features : "auto", "fourier" or "nystroem"
        Which features `n_components` means: "fourier", for the rbf kernel only and its default, or "nystroem", the
        kernel against randomly chosen rows, the default for all others.
    flattening : "auto", int or None
        Preconditioning of an exact run: along leading directions of the kernel, found in the span of so many centres,
        steps are shortened (each with a discount of its own, so that alpha keeps its meaning), and all other steps can
        be longer. "auto" takes all rows as centres up to 2,000 rows, which makes the path exact; beyond that it tries
        a part of them, then all that `cache_size` allows, where the held-out error of plain runs settles too slowly, as
        it does for targets that are nearly noiseless.
    averaging, alpha, one_standard_error : as in `AveragedSGDRegressor`.
    passes : "auto" or int
        How often the rows are gone through. "auto": up to 32 times, fewer if the held-out error settles before, up to
        64 while it still falls. With components, as in `AveragedSGDRegressor`.
    step : "auto", float or LimitedStep
        Step size. "auto" is the longest step that is safe, or a shorter one that suits the strength to be expected.
    batch_size : int
        Rows per step.
    shuffle : bool
        Fresh random order each pass: of blocks of rows, and of rows within them.
    cv : "auto", int, "holdout", splitter or iterable of (train, test)
        How the average is chosen; "auto" is 5 folds. With components, as in `AveragedSGDRegressor`.
    scale : bool
        Standardize dense columns, divide sparse ones by their largest absolute values.
    fit_intercept : bool
        The intercept is the mean of y.
    cache_size : float
        Megabytes of the kernel matrix (or of features) that are kept, and of flattened directions; what does not fit is
        computed anew each pass. 2,000 MB have room for flattening with all of 9,000 rows as centres.
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
    averaging_, alpha_, step_, n_steps_, selection_, held_out_, n_rows_, passes_, trajectory_ : as in
        `AveragedSGDRegressor`.
    n_features_in_, feature_names_in_ : columns of X.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (300, 2))
    >>> y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.standard_normal(300)
    >>> model = rw.AveragedKernelRegressor(random_state=0).fit(X, y)
    >>> print(f"{model.score(X, y):.2f}")
    0.99
    >>> model.at(1.0).alpha_, model.predict_path(X, [1e-4, 1e-2, 1.0]).shape
    (1.0, (300, 3))
    """

    n_rows_: int
    passes_: float
    gamma_: float | None
    gamma_errors_: dict[float, float] | None
    _linear: AveragedSGDRegressor | None  # over components
    _held_out: HeldOut | None

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
        flattening: Any = "auto",
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
        self.flattening = flattening
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
        """Run over the rows and choose the average; forget any fit before.

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
            self._fit_exact(batch, X, y)
        else:
            self._fit_components(batch, X, y)
        remember_columns(self, X)
        return self

    @available_if(_streams)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    @atomic
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from more rows, once and in their order; the features are those of the first batch.

        It needs `n_components`, and is otherwise as in `AveragedSGDRegressor`.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row.
        """
        begun = self.__sklearn_is_fitted__()
        dtype = self._standing.averages.trajectory.dtype if begun else None
        batch = check_batch(X, y, sample_weight, dtype=dtype, target_dtype=FLOAT64)
        require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
        if begun:
            require_columns(self, X, batch.rows)
            if self._linear is None:
                raise ValueError("partial_fit cannot go on with an exact fit: begin anew with clone(model).")
            features, linear = self._features(), copy.copy(self._linear)
        else:
            require_rows(batch)
            features, linear = self._new_features(batch), self._new_linear()
        targets = batch.y[:, 0] if batch.single_target else batch.y
        at_once = max(4096, AT_A_TIME // features.n_features)
        for first in range(0, len(batch), at_once):
            part = slice(first, first + at_once)
            rows = batch.rows.between(first, min(first + at_once, len(batch)))
            linear.partial_fit(features.of(rows), targets[part], batch.weight[part])
        self._take_over(linear, features)
        if not begun:
            remember_columns(self, X)
        return self

    def _fit_exact(self, batch: Batch, X: Any, y: Any) -> None:
        asked, passes = check_averaging(self.averaging, self.alpha), check_passes(self.passes)
        family, scheme = asked.family, asked.scheme
        if family is not None and len(batch) < MIN_ROWS_TO_CHOOSE:
            family, scheme = None, Uniform()
            warn_nothing_to_choose(len(batch))
        planned = PASSES if passes is None else passes
        cache = check_cache(self.cache_size)
        plan = KernelPlan(
            family=family,
            scheme=scheme,
            step=check_step(self.step),
            passes=planned,
            max_passes=planned * MAX_EXTENSION if passes is None else planned,
            settles=passes is None,
            batch_size=min(counted("batch_size", self.batch_size), len(batch)),
            shuffle=bool(self.shuffle),
            one_standard_error=bool(self.one_standard_error),
            flattening=check_flattening(self.flattening),
            most_centres=max(1, min(len(batch), int(cache / (8 * COPIES * len(batch))))),
            rng=generator(self.random_state),
            progress=Progress(planned * len(batch), shown=bool(self.verbose)),
        )
        gamma = check_gamma(self.kernel, self.gamma, batch.rows.shape[1])
        kernel = check_kernel(self.kernel, gamma, self.degree, self.coef0, self.kernel_params)
        check_components(self.n_components, self.kernel)
        request = ExactRequest(
            kernel,
            self.gamma == "auto" if isinstance(self.gamma, str) else False,
            bool(self.scale),
            bool(self.fit_intercept),
            check_cv(self.cv),
            cache,
            None if self.n_jobs is None else check_jobs(self.n_jobs),
            plan,
        )
        try:
            fit = fit_exact(batch, request, X, y)
        finally:
            plan.progress.close()
        self._linear = None
        self._standing = fit.averages.at(fit.outcome.scheme, fit.outcome.selection)
        self.gamma_, self.gamma_errors_ = fit.gamma, fit.gammas
        self._held_out, self.n_rows_, self.passes_ = fit.held_out, len(batch), float(fit.outcome.passes)
        if fit.outcome.falling:
            warn_user(
                f"the held-out error was still falling after {self.passes_:.0f} passes: set passes to more, "
                f"flattening to more than {len(batch) // 2:,} centres, or cache_size to more megabytes.",
                ConvergenceWarning,
            )

    def _fit_components(self, batch: Batch, X: Any, y: Any) -> None:
        require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
        features, linear = self._new_features(batch), self._new_linear()
        rng = generator(self.random_state)
        feed = component_feed(batch, features, bool(self.fit_intercept), check_cache(self.cache_size), rng)
        linear._fit_feed(feed, fit_options(linear), X, y)
        linear.n_features_in_ = features.n_features
        self._take_over(linear, features)

    def _new_features(self, batch: Batch) -> Features:
        n_components = check_components(self.n_components, self.kernel)
        assert n_components is not None
        kind = check_features(self.features, self.kernel)
        gamma = check_gamma(self.kernel, self.gamma, batch.rows.shape[1])
        kernel = check_kernel(self.kernel, gamma, self.degree, self.coef0, self.kernel_params)
        assert kernel is not None
        auto = isinstance(self.gamma, str)
        features, self.gamma_ = make_features(
            kind, kernel, auto, batch, n_components, bool(self.scale), generator(self.random_state)
        )
        self.gamma_errors_ = None
        return features

    def _new_linear(self) -> AveragedSGDRegressor:
        return AveragedSGDRegressor(
            averaging=self.averaging,
            alpha=self.alpha,
            passes=self.passes,
            step=self.step,
            batch_size=self.batch_size,
            shuffle=self.shuffle,
            cv=self.cv,
            one_standard_error=self.one_standard_error,
            scale=False,
            fit_intercept=self.fit_intercept,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
        )

    def _take_over(self, linear: AveragedSGDRegressor, features: Features) -> None:
        self._linear = linear
        selected = linear._fitted()
        averages = ComponentAverages(selected.averages, features)
        ridge = averages if selected.ridge is selected.averages else ComponentAverages(selected.ridge, features)
        self._standing = averages.at(selected.wanted, selected.selection, ridge)
        self._held_out, self.n_rows_, self.passes_ = None, linear.n_rows_, linear.passes_

    def _features(self) -> Features:
        averages = self._fitted().averages
        assert isinstance(averages, ComponentAverages | KernelAverages)
        return averages.features

    @property
    def held_out_(self) -> HeldOut | None:
        """A sample of rows with predictions of runs that had not learned from them."""
        self._fitted()
        return self._held_out if self._linear is None else self._linear.held_out_

    def _part_from(self, other: Self) -> None:
        if other._linear is not None:
            own, before = self._fitted(), other._linear._fitted()
            averages = before.ridge if own.averages is own.ridge else before.averages
            linear = self._linear = copy.copy(other._linear)
            linear._standing = averages.at(own.wanted, before.selection, before.ridge)
            linear._part_from(other._linear)
            linear.set_params(averaging=self.averaging, alpha=self.alpha)

    def _fit_state(self) -> State:
        selected = self._fitted()
        averages, selection = selected.averages, selected.selection
        own = {"gamma": self.gamma_, "components": isinstance(averages, ComponentAverages)}
        if isinstance(averages, ComponentAverages):
            assert self._linear is not None
            return {**own, "features": averages.features.state(), "linear": self._linear._fit_state()}
        assert isinstance(averages, KernelAverages)
        return {
            **own,
            "averages": averages.state(),
            "wanted": selected.wanted.state(),
            "selection": None if selection is None else selection.state(),
            "held_out": None if self._held_out is None else self._held_out.state(),
            "n_rows": self.n_rows_,
            "passes": self.passes_,
        }

    def _restore(self, stored: Stored) -> None:
        self.gamma_ = stored.positive("gamma") if "gamma" in stored else None
        self.gamma_errors_ = None
        if stored.flag("components"):
            features = features_of(stored.part("features"), self.n_features_in_)
            linear = self._new_linear()
            linear.n_features_in_ = features.n_features
            linear._restore(stored.part("linear"))
            if linear.coef_.shape[-1] != features.n_features:
                raise StateError(f"{linear.coef_.shape[-1]} coefficients of {features.n_features} components.")
            self._take_over(linear, features)
            return
        averages = KernelAverages.from_state(stored.part("averages"), self.n_features_in_)
        if (self.kernel == "precomputed") != isinstance(averages.features, GivenFeatures):
            raise StateError(f"features of another kernel than {self.kernel!r}.")
        selection, held_out = stored.optional("selection"), stored.optional("held_out")
        self._linear = None
        chosen = None if selection is None else Selection.from_state(selection)
        self._standing = averages.at(scheme_of(stored.part("wanted")), chosen)
        self._held_out = None if held_out is None else HeldOut.from_state(held_out, len(averages.target_scale))
        self.n_rows_, self.passes_ = stored.integer("n_rows", 1), stored.number("passes", 0.0)

    def _n_coefficients(self) -> int:
        return self._features().n_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
