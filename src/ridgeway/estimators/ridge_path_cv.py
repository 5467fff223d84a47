"""`RidgePathCV`: the whole ridge path and the right strength, by whichever engine suits the data."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.special
from sklearn.exceptions import ConvergenceWarning

from ridgeway.atomic import atomic, shallow_copy
from ridgeway.averaging import Geometric, Scheme, scheme_of
from ridgeway.estimators.averaged_estimator import AveragedEstimator
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.estimators.exact_choice import ExactOutcome, check_exact_cv, fit_exactly, n_models
from ridgeway.estimators.options import check_averaging, check_jobs, generator, require_rows
from ridgeway.estimators.solver_choice import (
    SOLVERS,
    ProblemSize,
    SolverChoice,
    check_solver,
    choose_solver,
    choose_stream_solver,
)
from ridgeway.estimators.unsolved_stream import UnsolvedStream, averages_of
from ridgeway.exact.gram_fit import GramSums
from ridgeway.exact.second_read import SecondRead, robust_standard_errors
from ridgeway.machine.blas import threads
from ridgeway.messages.user_warning import warn_user
from ridgeway.rows import FLOAT64, Batch, DenseRows, check_batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out import HeldOut
from ridgeway.selection.plan import DEFAULT_FOLDS
from ridgeway.selection.table import Selection
from ridgeway.trajectory import Spectrum
from ridgeway.validation.columns import remember_columns, require_columns
from ridgeway.validation.scalars import real_number

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from ridgeway.path.path_result import PathResult
    from ridgeway.storage.state import State, Stored

MAX_SAVED_PRODUCTS = 10**10  # rows times squared columns up to which `save` computes errors of the coefficients
MAX_KEPT_BYTES = 2**27  # rows up to this size are referred to, for intervals that read them again


class RidgePathCV(AveragedEstimator[Averages]):
    """Ridge regression for every strength from one fit, the best chosen on rows that were not learned from.

    Minimises over w and b, with the weights c_i, their sum W and the scales D of the columns::

        (1/W) sum_i c_i (y_i - b - x_i . w)^2 + alpha |D w|^2

    which is ``Ridge(alpha=W * alpha)`` on features divided by D: standard deviations, of sparse X largest absolute
    values, without scaling 1. Three engines answer the same question. "gram" forms the matrices X'X and X'y of each
    fold in one read and is exact: for few columns, any number of rows in any order. "krylov" multiplies rows in memory
    by a few vectors, which all folds share: for wide, sparse or square data; exact up to ``trajectory_.tolerance``.
    "sgd" is `AveragedSGDRegressor`: for streams of many columns, and rows that nothing else can hold.

    It assumes rows that are exchangeable, so that held-out rows stand for those to come; for time series or groups pass
    a splitter as `cv`. Columns that are linearly dependent to about six digits count as dependent in Gram matrices.

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
        Penalise coefficients of standardized features. Reported coefficients are always in the user's units.
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
    averaging_ : the scheme that the model stands at.
    selection_ : table of candidates and their errors; None when nothing was chosen.
    held_out_ : a sample of held-out rows with their predictions; None where nothing was held out.
    interval_method_ : how the rows behind `predict_interval` were held out.
    trajectory_ : what the engine left behind, over standardized features: a `Spectrum`, or a run of SGD.
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
    _sgd: AveragedSGDRegressor | None
    _sums: GramSums | None
    _rows: Batch | None = None  # of the fit, for coef_interval; neither pickled nor saved
    _held_out: HeldOut | None = None
    _saved_errors: tuple[Scheme, NDArray[np.float64]] | None = None  # of a loaded model, at the scheme it was saved at
    _unsolved: UnsolvedStream | None = None  # what partial_fit leaves; it is solved when the model is read

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
        """Solve for every strength and choose one; forget any fit before.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features); float32 stays float32.
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row. Only their ratios matter.
        """
        solver, asked = check_solver(self.solver), check_averaging(self.averaging, self.alpha)
        if solver == "sgd":
            return self._fit_sgd(SolverChoice("sgd", "asked for"), X, y, sample_weight)
        cv = check_exact_cv(self.cv)
        batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
        require_rows(batch)
        choice = SolverChoice(solver, "asked for")
        if solver == "auto":
            leaves_one_out = isinstance(cv, str) and cv == "loo" and asked.family is not None
            choice = choose_solver(ProblemSize.of(batch, 0 if asked.family is None else n_models(cv)))
            choice = choice._replace(solver="gram") if leaves_one_out else choice
        if choice.solver == "sgd":
            return self._fit_sgd(choice, X, y, sample_weight)
        with threads(check_jobs(self.n_jobs)):
            standardization = Standardization.of(batch, bool(self.scale), bool(self.fit_intercept))
            rng, one_standard_error = generator(self.random_state), bool(self.one_standard_error)
            outcome = fit_exactly(choice.solver, batch, standardization, asked, cv, one_standard_error, rng, (X, y))
        self._end_with(outcome, choice, batch, standardization)
        remember_columns(self, X)
        return self

    def _end_with(
        self, outcome: ExactOutcome, choice: SolverChoice, batch: Batch, standardization: Standardization
    ) -> None:
        sparse = not isinstance(batch.rows, DenseRows)
        averages = averages_of(outcome.spectrum, standardization, sparse, batch.single_target)
        self._selected_model, self._unsolved = averages.at(outcome.scheme, outcome.selection), None
        self._sums, self._sgd, self.n_rows_ = outcome.sums, None, len(batch)
        self._held_out, self._saved_errors = outcome.held_out, None
        self._rows = batch if batch.rows.nbytes <= MAX_KEPT_BYTES else None
        self.solver_, self.solver_reason_ = choice
        if not outcome.settled:
            warn_user(
                f"the held-out error still changed after {outcome.n_products} products: the columns are badly "
                "conditioned. Set solver='gram' if columns are few, or a larger alpha.",
                ConvergenceWarning,
            )

    def _fit_sgd(self, choice: SolverChoice, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        self._stand_on(self._unfitted_sgd().fit(X, y, sample_weight), choice)
        remember_columns(self, X)
        return self

    def _unfitted_sgd(self) -> AveragedSGDRegressor:
        if isinstance(self.cv, str) and self.cv == "loo":
            raise ValueError("cv='loo' has no meaning for SGD: set solver='gram', or a number of folds.")
        shared = ("alpha", "averaging", "cv", "one_standard_error", "scale", "fit_intercept", "n_jobs", "random_state")
        return AveragedSGDRegressor(**{name: getattr(self, name) for name in shared}, verbose=self.verbose)

    def _stand_on(self, sgd: AveragedSGDRegressor, choice: SolverChoice) -> None:
        """Take over a fit by SGD."""
        self._sgd, self._sums, self._rows, self._unsolved, self._held_out = sgd, None, None, None, None
        self._selected_model, self.n_rows_ = sgd._selected_model, sgd.n_rows_
        self.solver_, self.solver_reason_ = choice

    def _stand_on_sums(self, sums: GramSums, choice: SolverChoice) -> None:
        """Take over Gram matrices; they are solved when the model is read."""
        rule, scale, n_jobs = bool(self.one_standard_error), bool(self.scale), check_jobs(self.n_jobs)
        asked = check_averaging(self.averaging, self.alpha)
        self._unsolved = UnsolvedStream(sums, asked, rule, scale, n_jobs)
        self._sums, self._rows, self._sgd, self._held_out, self._saved_errors = sums, None, None, None, None
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
        if begun and self.solver_ == "krylov":
            raise ValueError(
                "partial_fit cannot go on with a fit by solver='krylov', which needs all rows at once: set "
                "solver='gram' or 'sgd' and begin anew with clone(model)."
            )
        if begun and self._sgd is not None:
            sgd = shallow_copy(self._sgd).set_params(averaging=self.averaging, alpha=self.alpha)
            self._stand_on(sgd.partial_fit(X, y, sample_weight), SolverChoice(self.solver_, self.solver_reason_))
            return self
        check_averaging(self.averaging, self.alpha)
        batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
        if not begun:
            choice = self._stream_solver(batch)
            if choice.solver == "sgd":
                self._stand_on(self._unfitted_sgd().partial_fit(X, y, sample_weight), choice)
                remember_columns(self, X)
                return self
            require_rows(batch)
            standardization = Standardization.of(batch, bool(self.scale), bool(self.fit_intercept))
            seed = int(generator(self.random_state).integers(2**31))
            sums = GramSums.begin(batch, standardization, self._stream_folds(), seed)
            remember_columns(self, X)
        else:
            assert self._sums is not None
            choice = SolverChoice(self.solver_, self.solver_reason_)
            require_columns(self, X, batch.rows)
            sums = self._sums
            sums.require_targets(batch)
            if len(batch) == 0:
                return self
        with threads(check_jobs(self.n_jobs)):
            sums = sums.with_rows(batch, int(np.shape(y)[0]))
        self.n_rows_ = len(batch) + (self.n_rows_ if begun else 0)
        self._stand_on_sums(sums, choice)
        return self

    def _stream_solver(self, batch: Batch) -> SolverChoice:
        solver = check_solver(self.solver)
        if solver == "krylov":
            raise ValueError(
                "solver='krylov' needs all rows at once: expected solver='auto', 'gram' or 'sgd' for partial_fit."
            )
        return choose_stream_solver(batch.rows.shape[1]) if solver == "auto" else SolverChoice(solver, "asked for")

    def _stream_folds(self) -> int:
        """Return the number of folds of a stream, which rows are dealt to as they come."""
        cv, asked = check_exact_cv(self.cv), check_averaging(self.averaging, self.alpha)
        if isinstance(cv, int):
            return cv
        if asked.family is not None and not (isinstance(cv, str) and cv == "auto"):
            raise ValueError(
                f"cv={cv!r} needs all rows at once: expected 'auto' or a number of folds for partial_fit; or call fit."
            )
        return DEFAULT_FOLDS

    def _fitted(self) -> SelectedModel[Averages]:
        """Return where the model stands: sums are solved when they are asked about, not at every batch."""
        if self._unsolved is not None:
            return self._unsolved.selected
        sgd: AveragedSGDRegressor | None = getattr(self, "_sgd", None)
        return super()._fitted() if sgd is None else sgd._fitted()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "solver_")

    def path(self, alphas: ArrayLike) -> PathResult:
        """Ridge coefficients and intercepts for every alpha, in the user's units; no data needed.

        Parameters
        ----------
        alphas : (L,), each 0 or more, in any order. Those weaker than the chosen one are solved less exactly by the
            Krylov engine: ``trajectory_.error_bounds(alphas)``.
        """
        return super().path(alphas)

    def at(self, average: float | str | Scheme | None) -> Self:
        """Return a fitted copy that stands at another alpha or scheme; no data, no new fit.

        Parameters
        ----------
        average : a ridge strength, a scheme such as ``Tail(0.5)``, "uniform", "last", or None for where it stands.

        Examples
        --------
        >>> import ridgeway as rw
        >>> model = rw.RidgePathCV().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
        >>> model.at(1.0).coef_.round(6)
        array([0.5])
        """
        self._fitted()
        if self._sgd is None:
            return super().at(average)
        moved = copy.copy(self)
        moved._sgd = self._sgd.at(average)
        moved._selected_model = moved._sgd._selected_model
        moved.averaging, moved.alpha = moved._sgd.averaging, moved._sgd.alpha
        return moved

    def _part_from(self, other: Self) -> None:
        self._rows = other._rows  # which a copy leaves out
        if other._unsolved is not None:
            self._held_out = other._unsolved.held_out
        self._unsolved = None  # the copy stands where it was moved to

    @property
    def alpha_(self) -> float | None:
        """Ridge strength, None for another average than ridge."""
        scheme = self.averaging_
        if self._sgd is None:
            return scheme.alpha if isinstance(scheme, Geometric) else None
        return self._sgd.alpha_

    @property
    def held_out_(self) -> HeldOut | None:
        """A sample of held-out rows with their predictions by the chosen average."""
        self._fitted()
        if self._unsolved is not None:
            return self._unsolved.held_out
        return self._held_out if self._sgd is None else self._sgd.held_out_

    def degrees_of_freedom(self) -> float:
        """Return the effective degrees of freedom where the model stands, sum_k s_k / (s_k + alpha), and 1 for b.

        They say how many coefficients a fit without a penalty would have; where the Gram engine ran.
        """
        spectrum, standardization = self._gram("degrees of freedom")
        return float(spectrum.degrees_of_freedom([self.averaging_])[0]) + (standardization.constant != 0)

    def coef_interval(
        self, level: float = 0.95, X: Any = None, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return intervals for the coefficients, robust to unequal variances: (n_features, 2).

        They are ``coef_ -+ t * se`` with HC3 standard errors, which take each residual as large as it would have been
        without its row. They need the Gram engine, assume independent rows and an alpha that was not chosen by them,
        and cover the population ridge coefficient, which ridge of this alpha would find with infinitely many rows: that
        it is shrunk towards 0 they do not tell. At alpha=0 they are the usual robust intervals of least squares.

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
        spectrum, standardization = self._gram("intervals")
        batch = self._rows
        if X is not None:
            batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
            require_columns(self, X, batch.rows)
        if batch is not None:
            errors = self._standard_errors(SecondRead(batch, standardization, spectrum))
        elif self._saved_errors is not None and self._saved_errors[0] == self.averaging_:
            errors = self._saved_errors[1]
        else:
            raise ValueError(
                "intervals read the rows again, and this model does not refer to them (it was saved, pickled, learned "
                "from a stream or from more than 128 MB): pass them, coef_interval(level, X, y)."
            )
        rest = max(1.0, (self.n_rows_ if batch is None else len(batch)) - self.degrees_of_freedom())
        reach = errors * float(scipy.special.stdtrit(rest, (1 + share) / 2))
        coef = np.asarray(self.coef_, np.float64)
        return np.stack([coef - reach, coef + reach], axis=-1)

    def _standard_errors(self, read: SecondRead) -> NDArray[np.float64]:
        """Return HC3 standard errors in the user's units, in the shape of `coef_`."""
        with threads(check_jobs(self.n_jobs)):
            errors = robust_standard_errors(read, self.averaging_)
        slopes = errors[:, : len(read.standardization.scale)]
        return np.asarray(read.standardization.user_coefs(slopes), np.float64).reshape(self.coef_.shape)

    def _errors_to_save(self) -> NDArray[np.float64] | None:
        """Return the standard errors that a model file holds, at the average where the model stands."""
        if self._saved_errors is not None and self._saved_errors[0] == self.averaging_:
            return self._saved_errors[1]
        batch = self._rows
        if batch is None or self.solver_ != "gram" or len(batch) * batch.rows.shape[1] ** 2 > MAX_SAVED_PRODUCTS:
            return None
        spectrum, standardization = self._gram("intervals")
        with np.errstate(over="ignore", invalid="ignore"):
            errors = self._standard_errors(SecondRead(batch, standardization, spectrum))
        return errors if np.isfinite(errors).all() else None

    def _gram(self, what: str) -> tuple[Spectrum, Standardization]:
        """Return what the Gram engine left, or say that it did not run."""
        averages = self._fitted().averages
        spectrum = averages.trajectory
        if not isinstance(spectrum, Spectrum) or self.solver_ != "gram":
            raise ValueError(f"{what} need Gram matrices, and solver {self.solver_!r} ran: fit with solver='gram'.")
        return spectrum, averages.standardization

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        if "_rows" in state:
            state["_rows"] = None
        return state

    def _fit_state(self) -> State:
        standing = self._fitted()
        exact, held_out = self._sgd is None, self._held_out if self._unsolved is None else self._unsolved.held_out
        return {
            "solver": self.solver_,
            "reason": self.solver_reason_,
            "n_rows": self.n_rows_,
            "sgd": None if self._sgd is None else self._sgd._fit_state(),
            "wanted": standing.wanted.state() if exact else None,
            "selection": standing.selection.state() if exact and standing.selection is not None else None,
            "averages": standing.averages.state() if exact else None,
            "sums": None if self._sums is None else self._sums.state(),
            "held_out": None if held_out is None else held_out.state(),
            "coef_errors": self._errors_to_save(),
        }

    def _restore(self, stored: Stored) -> None:
        self.solver_, self.solver_reason_ = stored.text("solver", SOLVERS[1:]), stored.text("reason")
        self.n_rows_ = stored.integer("n_rows", 1)
        sgd, sums, selection = stored.optional("sgd"), stored.optional("sums"), stored.optional("selection")
        self._sgd = self._sums = None
        if sgd is not None:
            self._sgd = self._unfitted_sgd()
            self._sgd.n_features_in_ = self.n_features_in_
            self._sgd._restore(sgd)
            self._selected_model = self._sgd._selected_model
            return
        self._sums = None if sums is None else GramSums.from_state(sums)
        averages = Averages.from_state(stored.part("averages"))
        chosen = None if selection is None else Selection.from_state(selection)
        self._selected_model = averages.at(scheme_of(stored.part("wanted")), chosen)
        held_out = stored.optional("held_out")
        n_targets = len(averages.standardization.target_scale)
        self._held_out = None if held_out is None else HeldOut.from_state(held_out, n_targets)
        if "coef_errors" in stored:
            errors = stored.array("coef_errors", self.coef_.shape)
            stored.require(bool((errors >= 0).all()), "coef_errors", "numbers of 0 or more")
            self._saved_errors = self.averaging_, errors
