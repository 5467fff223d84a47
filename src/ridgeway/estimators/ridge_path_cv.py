"""`RidgePathCV`: the whole ridge path and the right strength, by the solver that suits the data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.special
from sklearn.exceptions import ConvergenceWarning

from ridgeway.atomic import atomic, shallow_copy
from ridgeway.averaging import Geometric
from ridgeway.estimators.averaged_estimator import AveragedEstimator
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.estimators.exact_fit import (
    check_exact_cv,
    exact_cv,
    fit_exactly,
    require_leverages,
    stream_folds,
)
from ridgeway.estimators.exact_model import ExactModel
from ridgeway.estimators.options import check_averaging, check_jobs, generator, require_rows
from ridgeway.estimators.sgd_model import SGDModel
from ridgeway.estimators.solver_choice import (
    ProblemSize,
    SolverChoice,
    choose_solver,
    choose_stream_solver,
    max_krylov_products,
)
from ridgeway.estimators.solver_facts import AS_REQUESTED, SOLVER_FACTS, Ability, can, check_solver
from ridgeway.estimators.stream_drift import DriftWatch
from ridgeway.estimators.unsolved_stream import UnsolvedStream
from ridgeway.exact.gram_sums import GramSums
from ridgeway.machine.blas import threads
from ridgeway.messages.user_warning import warn_user
from ridgeway.rows import FLOAT64, Batch, DenseRows, check_batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out import HeldOut
from ridgeway.trajectory import Spectrum
from ridgeway.validation.columns import remember_columns, require_columns_of_fit
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import real_number

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from ridgeway.storage.state import State, Stored

MAX_KEPT_BYTES = 2**27  # rows up to this size are referred to, for intervals that read them again


class RidgePathCV(AveragedEstimator[Averages]):
    """Ridge regression for every strength from one fit, the best chosen on rows that were not learned from.

    Minimises over w and b, with the weights c_i, their sum W and the scales D of the columns::

        (1/W) sum_i c_i (y_i - b - x_i . w)^2 + alpha |D w|^2

    which is ``Ridge(alpha=W * alpha)`` on features divided by D. D holds the standard deviations of the columns, for
    columns of sparse X that are mostly 0 their largest absolute values, and 1 with ``scale=False`` or for sparse rows
    of one Euclidean length. Three solvers solve this problem. "gram" forms the matrices X'X and X'y of each fold in one
    read and is exact: for few columns, any number of rows in any order. "krylov" reads rows in memory about 25 times
    in a typical fit, each read multiplying one vector per fold and target: for wide, sparse or square data; exact up to
    ``trajectory_.tolerance``. "sgd" is `AveragedSGDRegressor`: for streams of many columns, and rows that do not fit in
    memory.

    It assumes rows that are exchangeable, so that held-out rows represent future rows; for time series or groups pass a
    splitter as `cv`. Columns that are linearly dependent to about six digits count as dependent in Gram matrices.

    Parameters
    ----------
    solver : "auto", "gram", "krylov" or "sgd"
        "auto" takes the one that costs least for the shape of the data, see `solver_`.
    alpha : "auto" or float
        Ridge strength, 0 or more; "auto" chooses it.
    averaging : "geometric", "auto", "tail", "uniform", "last" or a scheme
        "geometric" is ridge. Others are averages of gradient descent over all rows, with a step of one over the largest
        eigenvalue and at least a million steps; with solver="sgd", of the run itself. "auto" lets all of them compete.
    cv : "auto", int, "loo", "holdout", splitter or iterable of (train, test)
        How alpha is chosen. An int: that many folds. "loo": every row is left out once, by a closed form ("gram"
        only). "holdout": a tenth of the rows, at most 10,000. "auto": "loo" up to 2,500 rows with "gram", 5 folds
        beyond; among so many rows the errors of single outliers are capped.
    one_standard_error : bool
        Choose the largest alpha whose error is within one standard error of the best.
    scale : bool
        Penalise coefficients of standardized features: columns are divided by their standard deviations, sparse ones
        that are 0 in most rows by their largest absolute values. Sparse rows that all have the same Euclidean length,
        as tf-idf rows do (empty rows apart), keep the scales of their columns. Reported coefficients are always in the
        user's units.
    fit_intercept : bool
        Fit an intercept, which is not penalised; sparse X stays sparse.
    n_jobs : int or None
        Threads of matrix products; None means 1, which is fastest for small data and on busy machines.
    random_state : int, Generator, RandomState or None
        Seed of the folds.
    verbose : int
        1 shows a progress bar, where SGD runs.

    Attributes
    ----------
    solver_ : "gram", "krylov" or "sgd".
    solver_reason_ : one sentence on why it is this one.
    coef_ : (n_features,), or (n_targets, n_features) when y was 2-D.
    intercept_ : float, or (n_targets,) when y was 2-D.
    alpha_ : the ridge strength; None where another average than ridge was chosen.
    averaging_ : the selected average, which `coef_` and `predict` use.
    selection_ : table of candidates and their errors; None when nothing was chosen.
    held_out_ : a sample of held-out rows with their predictions; None where nothing was held out.
    interval_method_ : how the rows behind `predict_interval` were held out.
    trajectory_ : what the solver stored, over standardized features: a `Spectrum`, or a run of SGD.
    n_rows_ : rows learned from.
    n_features_in_, feature_names_in_ : columns of X.

    Examples
    --------
    >>> import ridgeway as rw
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = rw.RidgePathCV(random_state=0).fit(X, y)
    >>> model.solver_, round(model.alpha_, 3)
    ('gram', 0.004)
    >>> print(f"{model.score(X, y):.3f}")
    0.517
    >>> model.path([0.01, 0.1, 1.0])
    PathResult(3 alphas from 0.01 to 1, 10 features)
    >>> model.at(0.1).coef_.round(0)
    array([   1., -207.,  490.,  302.,  -83.,  -71., -189.,  116.,  444.,
             87.])
    """

    solver_: str
    solver_reason_: str
    n_rows_: int
    n_features_in_: int
    _model: ExactModel | UnsolvedStream | SGDModel  # of fit; of partial_fit; of SGD in either
    _drift: DriftWatch | None = None  # of partial_fit; files do not hold it
    _watches_drift = True  # False where rows are a table, whose order says nothing
    _weak_strengths = (
        "coefficients there are smaller than those of exact ridge. Fit with that alpha to solve it, or with "
        "solver='gram'."
    )

    def __init__(
        self,
        *,
        solver: str = "auto",
        alpha: Any = "auto",
        averaging: Any = "geometric",
        cv: Any = "auto",
        one_standard_error: bool = False,
        scale: bool = True,
        fit_intercept: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.solver = solver
        self.alpha = alpha
        self.averaging = averaging
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Solve for every strength and choose one; discard any previous fit.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features); float32 stays float32.
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row. Only their ratios matter.
        """
        solver, asked = check_solver(self.solver), check_averaging(self.averaging, self.alpha)
        if solver == "sgd":
            return self._fit_sgd(SolverChoice("sgd", AS_REQUESTED), X, y, sample_weight)
        cv = check_exact_cv(self.cv)
        batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
        require_rows(batch)
        choice, max_products = SolverChoice(solver, AS_REQUESTED), None
        if solver == "auto":
            size = ProblemSize.of(batch, 0 if asked.family is None else cv.n_models)
            choice, max_products = choose_solver(size), max_krylov_products(size)
            if cv.method == "loo" and asked.family is not None:
                choice = SolverChoice("gram", "cv='loo' needs Gram matrices")
        if choice.solver == "sgd":
            return self._fit_sgd(choice, X, y, sample_weight)
        self._solve(choice, batch, (X, y), max_products=max_products)
        remember_columns(self, X)
        return self

    def _solve(
        self,
        choice: SolverChoice,
        batch: Batch,
        given: tuple[Any, Any],
        keep_rows: bool = True,
        max_products: int | None = None,
    ) -> None:
        """Fit rows in memory by an exact engine.

        Parameters
        ----------
        choice : the engine, and why it is this one.
        batch : the rows.
        given : X and y as the user gave them, for splitters.
        keep_rows : whether the model may refer to the rows, for intervals of its coefficients.
        max_products : after which Gram matrices take over from Krylov; None if they never do.
        """
        asked, rule = check_averaging(self.averaging, self.alpha), bool(self.one_standard_error)
        cv = exact_cv(self.cv, asked, batch, given)
        with threads(check_jobs(self.n_jobs)):
            standardization = Standardization.of(batch, bool(self.scale), bool(self.fit_intercept))
            fixed = batch, standardization, asked, cv, rule
            outcome = fit_exactly(choice.solver, *fixed, generator(self.random_state), max_products)
            if not outcome.settled and max_products is not None:  # a seed gives the folds of solver="gram"
                choice = SolverChoice(
                    "gram", f"because they cost less than going on by Krylov after {outcome.n_products} products"
                )
                outcome = fit_exactly(choice.solver, *fixed, generator(self.random_state))
        sparse = not isinstance(batch.rows, DenseRows)
        averages = Averages.about_means(outcome.spectrum, standardization, sparse, batch.single_target)
        selected = averages.at(outcome.scheme, outcome.selection)
        kept = batch if keep_rows and batch.rows.nbytes <= MAX_KEPT_BYTES else None
        self._set_fit(ExactModel(selected, outcome.held_out, outcome.sums, kept), choice, len(batch))
        if not outcome.settled:
            remedy = "the columns are badly conditioned. Set solver='gram' if columns are few, or a larger alpha."
            said = f"the held-out error still changed after {outcome.n_products} products: {remedy}"
            if outcome.selection is None:
                scheme = outcome.scheme
                named = f"alpha={scheme.alpha:g}" if isinstance(scheme, Geometric) else str(scheme)
                said = f"{named} was not solved to rounding after {outcome.n_products} products: {remedy}"
            warn_user(said, ConvergenceWarning)

    def _fit_sgd(self, choice: SolverChoice, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        sgd = self._unfitted_sgd().fit(X, y, sample_weight)
        self._set_fit(SGDModel(sgd), choice, sgd.n_rows_)
        remember_columns(self, X)
        return self

    def _unfitted_sgd(self) -> AveragedSGDRegressor:
        if is_name(self.cv, "loo"):
            require_leverages("sgd")
        shared = ("alpha", "averaging", "cv", "one_standard_error", "scale", "fit_intercept", "n_jobs", "random_state")
        return AveragedSGDRegressor(**{name: getattr(self, name) for name in shared}, verbose=self.verbose)

    def _unsolved(self, sums: GramSums) -> UnsolvedStream:
        """Return Gram matrices with the parameters by which they are solved when an attribute is first used."""
        rule, scale, n_jobs = bool(self.one_standard_error), bool(self.scale), check_jobs(self.n_jobs)
        return UnsolvedStream(sums, check_averaging(self.averaging, self.alpha), rule, scale, n_jobs)

    def _set_fit(
        self,
        model: ExactModel | UnsolvedStream | SGDModel,
        choice: SolverChoice,
        n_rows: int,
        drift: DriftWatch | None = None,
    ) -> None:
        """Take over a model that was fitted to `n_rows` rows, and what watches its stream."""
        self._model, self.n_rows_, self._drift = model, n_rows, drift
        self.solver_, self.solver_reason_ = choice

    @atomic
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from more rows; an error leaves the model as it was.

        Gram matrices add up: batches of any sizes and in any order give the path of one fit, to rounding, and scales
        are those of all rows so far. Streams of more than 2,000 columns are learned by SGD, where the order matters.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row.

        Examples
        --------
        >>> import numpy as np, ridgeway as rw
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.standard_normal((100, 4)), rng.standard_normal(100)
        >>> stream = rw.RidgePathCV(alpha=0.1)
        >>> for start in range(0, 100, 7):
        ...     stream = stream.partial_fit(X[start : start + 7], y[start : start + 7])
        >>> bool(np.allclose(stream.coef_, rw.RidgePathCV(alpha=0.1).fit(X, y).coef_, rtol=1e-10))
        True
        """
        begun = self.__sklearn_is_fitted__()
        if begun:
            check_solver(self.solver_, Ability.STREAMS, where="for partial_fit; start again with clone(model)")
        if begun and isinstance(self._model, SGDModel):
            sgd = shallow_copy(self._model.sgd).set_params(averaging=self.averaging, alpha=self.alpha)
            return self._learn_by_sgd(sgd, SolverChoice(self.solver_, self.solver_reason_), X, y, sample_weight)
        asked = check_averaging(self.averaging, self.alpha)
        batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
        if not begun:
            solver = check_solver(self.solver, Ability.STREAMS, where="for partial_fit")
            choice = choose_stream_solver(solver, batch.rows.shape[1])
            if choice.solver == "sgd":
                self._learn_by_sgd(self._unfitted_sgd(), choice, X, y, sample_weight)
                remember_columns(self, X)
                return self
            require_rows(batch)
            standardization = Standardization.of(batch, bool(self.scale), bool(self.fit_intercept))
            seed = int(generator(self.random_state).integers(2**31))
            sums = GramSums.begin(batch, standardization, stream_folds(self.cv, asked), seed)
            remember_columns(self, X)
        else:
            choice = SolverChoice(self.solver_, self.solver_reason_)
            require_columns_of_fit(self, X, batch.rows)
            assert self._model.sums is not None
            sums = self._model.sums
            sums.require_targets(batch)
            if len(batch) == 0:  # rows without weight only advance the row numbers that give later rows their folds
                self._model = replace(self._model, sums=sums.with_rows(batch, int(np.shape(y)[0])))
                return self
        drift, told = self._drift, self._drift is not None and self._drift.found
        with threads(check_jobs(self.n_jobs)):
            if self._watches_drift:
                sums, drift = (drift or DriftWatch.begin(sums)).learn(sums, batch, int(np.shape(y)[0]))
            else:
                sums = sums.with_rows(batch, int(np.shape(y)[0]))
        self._set_fit(self._unsolved(sums), choice, len(batch) + (self.n_rows_ if begun else 0), drift)
        if drift is not None and drift.found and not told:
            warn_user(drift.found)
        return self

    def _learn_by_sgd(
        self, sgd: AveragedSGDRegressor, choice: SolverChoice, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> Self:
        sgd.partial_fit(X, y, sample_weight)
        self._set_fit(SGDModel(sgd), choice, sgd.n_rows_)
        return self

    def _fitted(self) -> SelectedModel[Averages]:
        """Return the selected model; sums are solved when it is read, not at every batch."""
        self._require_fit()
        return self._model.selected

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "solver_")

    def _move(self, selected: SelectedModel[Averages]) -> None:
        self._model = self._model.moved(selected)

    @property
    def alpha_(self) -> float | None:
        """Ridge strength, None for another average than ridge; 0 for the uniform average of SGD."""
        scheme = self.averaging_
        if self.solver_ == "sgd":
            return super().alpha_
        return scheme.alpha if isinstance(scheme, Geometric) else None

    @property
    def held_out_(self) -> HeldOut | None:
        """A sample of held-out rows with their predictions by the chosen average."""
        self._require_fit()
        return self._model.held_out

    def degrees_of_freedom(self) -> float:
        """Return the effective degrees of freedom of the selected average, sum_k s_k / (s_k + alpha), and 1 for b.

        They say how many coefficients a fit without a penalty would have; only with the Gram solver.
        """
        self._require_leverages("degrees of freedom")
        averages = self._fitted().averages
        assert isinstance(averages.trajectory, Spectrum)
        freedom = averages.trajectory.degrees_of_freedom([self.averaging_])[0]
        return float(freedom) + (averages.standardization.constant != 0)

    def coef_interval(
        self, level: float = 0.95, X: Any = None, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return intervals for the coefficients, robust to unequal variances: (n_features, 2).

        They are ``coef_ -+ t * se`` with HC3 standard errors, which take each residual as large as it would have been
        without its row. They need the Gram solver, assume independent rows and an alpha that was not chosen by them,
        and cover the population ridge coefficient, which ridge of this alpha would find with infinitely many rows: they
        do not include the bias from shrinkage towards 0. At alpha=0 they are the usual robust intervals of least
        squares.

        Parameters
        ----------
        level : coverage, between 0 and 1.
        X, y, sample_weight : the rows of the fit. They are needed after `partial_fit`, for a pickled model, for a
            loaded one at another alpha than it was saved at, and for rows of more than 128 MB; otherwise the model
            refers to them still.

        Examples
        --------
        >>> import numpy as np, ridgeway as rw
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 2))
        >>> y = X @ [1.0, 0.0] + rng.standard_normal(200) * (1 + np.abs(X[:, 0]))
        >>> rw.RidgePathCV(alpha=0.0).fit(X, y).coef_interval().round(2)
        array([[ 0.53,  1.28],
               [-0.01,  0.54]])
        """
        share = real_number("level", level, "the coverage must be a number between 0 and 1, such as 0.95")
        if not 0 < share < 1:
            raise ValueError(f"level={share}: expected a number between 0 and 1, such as 0.95.")
        model = self._require_leverages("intervals").solved
        batch = model.rows
        if X is not None:
            batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
            require_columns_of_fit(self, X, batch.rows)
        errors = model.standard_errors(check_jobs(self.n_jobs), batch)
        if errors is None:
            raise ValueError(
                "coef_interval needs the rows of the fit, and this model does not keep them (it was saved, pickled, "
                "learned from a stream or from more than 128 MB): pass them, coef_interval(level, X, y)."
            )
        rest = max(1.0, (self.n_rows_ if batch is None else len(batch)) - self.degrees_of_freedom())
        reach = errors * float(scipy.special.stdtrit(rest, (1 + share) / 2))
        coef = np.asarray(self.coef_, np.float64)
        return np.stack([coef - reach, coef + reach], axis=-1)

    def _require_leverages(self, what: str) -> ExactModel | UnsolvedStream:
        """Return the model of a solver that computes leverages; raise an error if another one ran."""
        self._require_fit()
        if isinstance(self._model, SGDModel) or not can(self.solver_, Ability.LEVERAGES):
            raise ValueError(f"{what} need Gram matrices, and solver {self.solver_!r} ran: fit with solver='gram'.")
        return self._model

    def _fit_state(self) -> State:
        fit = self._model.state(check_jobs(self.n_jobs))
        return {"solver": self.solver_, "reason": self.solver_reason_, "n_rows": self.n_rows_, **fit}

    def _restore(self, stored: Stored) -> None:
        self.solver_, self.solver_reason_ = stored.text("solver", SOLVER_FACTS), stored.text("reason")
        self.n_rows_ = stored.integer("n_rows", 1)
        stored_sgd = stored.optional("sgd")
        if stored_sgd is None:
            self._model = ExactModel.from_state(stored)
            return
        sgd = self._unfitted_sgd()
        sgd.n_features_in_ = self.n_features_in_
        sgd._restore(stored_sgd)
        self._model = SGDModel(sgd)
