"""`AveragedSGDRegressor`: least squares by SGD; one fit gives every average of its iterates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ridgeway.atomic import atomic
from ridgeway.averaging import Tail, Uniform
from ridgeway.estimators.averaged_estimator import AveragedEstimator
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.estimators.convergence import warn_of_short_run
from ridgeway.estimators.options import (
    check_averaging,
    check_loss,
    check_store,
    fit_options,
    generator,
    require_rows,
)
from ridgeway.estimators.sgd_fit import choose
from ridgeway.estimators.steps import automatic_steps, stream_steps
from ridgeway.estimators.stored_fit import fit_from, fit_state
from ridgeway.estimators.stream import Stream
from ridgeway.estimators.streamed_model import StreamedModel
from ridgeway.machine.blas import one_thread
from ridgeway.messages.progress import Progress
from ridgeway.rows import FLOAT64, DenseRows, check_batch
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import Averaging, FitOptions, HeldOut, Outcome, Plan, decide_plan
from ridgeway.selection.plan import decide_passes, linear_passes
from ridgeway.sgd import GrowingStep
from ridgeway.validation.columns import remember_columns, require_columns_of_fit
from ridgeway.validation.scalars import counted

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike

    from ridgeway.storage.state import State, Stored


class AveragedSGDRegressor(AveragedEstimator[Averages]):
    """Linear least squares by SGD, regularized by averaging its iterates; every ridge strength from one fit.

    Averaging the iterates w_0 .. w_T with geometric weights gives, in expectation and for long runs, the minimiser of

        (1/W) sum_i c_i (y_i - b - x_i . w)^2 + alpha |D w|^2

    for the weights c_i of sum W and the scales D of the columns: ``Ridge(alpha=W * alpha)`` on features divided by D. D
    holds the standard deviations, for columns of sparse X that are mostly 0 the largest absolute values, and 1 with
    ``scale=False`` or for sparse rows of one Euclidean length. The fit keeps what every alpha and every tail average
    needs, chooses among them on rows that were not learned from, and answers for any other later, without the data.

    The automatic step grows over the first quarter of the fit (half, if it has few passes), so that every alpha up to
    1000 rests on many rows: over six data sets the predictions of the path are within about 1% of those of exact ridge
    for alpha from 0.01 to 100 (one pass over a million rows: 1 to 3%; noisy targets: more). Rows too large for the step
    take several smaller steps instead. It assumes rows in no particular order, or ``shuffle=True``: SGD forgets the
    beginning of sorted data. Very badly conditioned features need many passes for a weak alpha; a warning says when the
    error was still falling, and `ExactRidgePath` solves such problems exactly as long as columns are few.

    Parameters
    ----------
    averaging : "auto", "geometric", "tail", "uniform", "last" or a scheme
        What to average by. "auto" lets geometric averages of every alpha, tails, the uniform average and the last
        iterate compete; "geometric" and "tail" only these.
    alpha : "auto" or float
        Ridge strength of a geometric average, 0 or more; "auto" chooses it.
    passes : "auto" or int
        Number of passes over the rows. "auto": once when they are many, about a million steps in all when they are
        few, fewer if the held-out error settles before, up to four times as many while it still falls.
    step : "auto", float, LimitedStep or GrowingStep
        Step size, in units of standardized features. "auto" grows to half the inverse of the mean squared row norm
        (`GrowingStep`) and splits outlying rows. A number is a constant step that is used as it is; one that explodes
        raises `DivergenceError`. A `LimitedStep` is constant and clips outlying rows: a robust estimator rather than
        ridge.
    chains : int
        Cut the rows into this many contiguous segments, run each afresh and average them; with a growing step one
        chain is usually closest to ridge, and chains serve to use several cores or machines.
    batch_size : int
        Rows per step.
    shuffle : bool
        Read the rows in a new random order in each pass. `partial_fit` never shuffles.
    cv : "auto", int, "holdout", "progressive", "gcv", splitter or iterable of (train, test)
        How the average is chosen. An int: that many folds, whose chains share each reading of the rows. "holdout": a
        tenth of the rows, at most 10,000, from which the run learns after it was scored. "progressive": every row is
        predicted before it is learned from, in one pass. "gcv": the error of the fit, corrected for degrees of freedom.
        "auto": 5 folds up to 100,000 rows, "holdout" beyond, "progressive" for `partial_fit`.
    one_standard_error : bool
        Choose the largest alpha whose error is within one standard error of the best.
    scale : bool
        Penalise coefficients of standardized features: columns are divided by their standard deviations, sparse ones
        that are 0 in most rows by their largest absolute values. Sparse rows that all have the same Euclidean length,
        as tf-idf rows do (empty rows apart), keep the scales of their columns. Reported coefficients are always in the
        user's units.
    fit_intercept : bool
        Fit an intercept, which is not penalised; sparse X stays sparse.
    loss : "squared"
    store : "auto", "sketch", "replay" or a Layout
        What the fit stores; "auto" is the sketch. "replay" keeps a standardized copy of the rows and answers for any
        scheme exactly.
    n_jobs : int or None
        Threads over which the chains of the folds are spread; None means 1.
    random_state : int, Generator, RandomState or None
        Seed of orders and folds.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    coef_ : (n_features,), or (n_targets, n_features) when y was 2-D.
    intercept_ : float, or (n_targets,) when y was 2-D.
    averaging_ : the selected average, which `coef_` and `predict` use.
    alpha_ : its ridge strength; 0 for the uniform average, None for tails and the last iterate.
    step_ : the step size; the last one, if steps grow.
    n_steps_ : number of steps made.
    n_split_ : number of outlying rows that took several smaller steps.
    n_clipped_ : number of outlying rows whose updates were clipped: with a `LimitedStep`, or in a stream.
    selection_ : table of candidates and their errors; None when nothing was chosen.
    held_out_ : a sample of rows with predictions made before they were learned from; None where nothing was held out.
    n_rows_ : rows learned from.
    passes_ : passes over them.
    trajectory_ : the run that was chosen, over standardized rows; that of the path is ``at(alpha).trajectory_``.
    n_features_in_, feature_names_in_ : columns of X.

    Notes
    -----
    ``check_estimator`` passes with all defaults. With a given alpha its two checks that a weight of 2 equals a repeated
    row cannot pass: the one is a step of twice the length, the other two steps, which agree in expectation only.

    In one pass over up to 100,000 rows constant steps compete with the growing one, which loses time while it climbs;
    `selection_` lists the candidates of all of them. If one wins, the model is an average of its run, while `path`,
    `predict_path` and `at` with a number answer from the growing run, as these mean ridge. A stream, whose length is
    not known, grows its step over 50,000 rows; until 100,000 rows have come, a second run of constant step answers.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 4)) * [1.0, 100.0, 0.01, 1.0] + 5.0
    >>> y = X @ [1.0, 0.02, 300.0, 0.0] + rng.standard_normal(500)
    >>> model = rw.AveragedSGDRegressor(random_state=0).fit(X, y)
    >>> print(f"{model.score(X, y):.2f}")
    0.94
    >>> stronger = model.at(1.0)
    >>> stronger.alpha_, bool(abs(stronger.coef_[0]) < abs(model.coef_[0]))
    (1.0, True)
    >>> model.path([0.01, 0.1, 1.0])
    PathResult(3 alphas from 0.01 to 1, 4 features)
    """

    _stream: Stream | None
    n_rows_: int
    passes_: float
    n_features_in_: int
    _held_out: HeldOut | None  # of a fit; a stream keeps its own
    _streamed: StreamedModel | None = None  # after partial_fit

    def __init__(
        self,
        *,
        averaging: Any = "auto",
        alpha: Any = "auto",
        passes: Any = "auto",
        step: Any = "auto",
        chains: int = 1,
        batch_size: int = 1,
        shuffle: bool = True,
        cv: Any = "auto",
        one_standard_error: bool = False,
        scale: bool = True,
        fit_intercept: bool = True,
        loss: str = "squared",
        store: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.averaging = averaging
        self.alpha = alpha
        self.passes = passes
        self.step = step
        self.chains = chains
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.store = store
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Run over the rows and choose the average; discard any previous fit.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features); float32 stays float32.
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row. Only their ratios matter.
        """
        check_loss(self.loss)
        batch = check_batch(X, y, sample_weight, target_dtype=FLOAT64)
        require_rows(batch)
        standardization = Standardization.of(batch, bool(self.scale), bool(self.fit_intercept))
        options = fit_options(self)
        several_passes = decide_passes(options, linear_passes(len(batch))).planned > 1
        feed = Feed(batch, standardization, keep=options.store == "replay", several_passes=several_passes)
        self._fit_feed(feed, options, X, y)
        remember_columns(self, X)
        return self

    def _fit_feed(self, feed: Feed, options: FitOptions, X: Any, y: Any) -> None:
        """Fit to the rows of a feed; X and y, as the user gave them, are for splitters."""
        batch, standardization, n_rows = feed.source, feed.standardization, len(feed)
        plan = decide_plan(
            options,
            *batch.rows.shape,
            lambda: automatic_steps(feed),
            chains=min(counted("chains", self.chains), n_rows),
            rng=generator(self.random_state),
            progress=Progress(decide_passes(options, linear_passes(n_rows)).planned * n_rows, shown=bool(self.verbose)),
        )
        try:
            with one_thread():
                outcome = choose(feed, plan, X, y)
        finally:
            plan.progress.close()
        sparse = not isinstance(batch.rows, DenseRows)
        self._end_with(outcome, plan, standardization, sparse, batch.single_target, len(batch))

    def _end_with(
        self,
        outcome: Outcome,
        plan: Plan,
        standardization: Standardization,
        sparse: bool,
        single_target: bool,
        n_rows: int,
    ) -> None:
        """Set the fitted state from the outcome of the runs, local or on a cluster."""
        if plan.scheme is not None:
            outcome.trajectory.coef(plan.scheme)  # warns if it has to move the scheme, or refuses it
        averages = Averages.about_means(outcome.trajectory, standardization, sparse, single_target)
        ridge = None if outcome.ridge is None else averages.of_run(outcome.ridge.trajectory)
        self._selected_model, self._streamed = averages.at(outcome.scheme, outcome.selection, ridge), None
        self._held_out, self.n_rows_, self.passes_ = outcome.held_out, n_rows, outcome.passes
        family = check_averaging(self.averaging, self.alpha).family
        self._stream = Stream.after(outcome, averages, n_rows, family, isinstance(plan.step, GrowingStep))
        self._warn_if_short(outcome.falling)

    def _warn_if_short(self, falling: bool = False) -> None:
        """Warn if the run was too short, as `fit` does; in `partial_fit` more rows may follow.

        Parameters
        ----------
        falling : whether the held-out error was seen to fall until the end.
        """
        selected = self._fitted()
        warn_of_short_run(
            selected.ridge.trajectory,
            family=None if selected.selection is None else check_averaging(self.averaging, self.alpha).family,
            scheme=selected.scheme,
            falling=falling,
            passes=self.passes_,
            n_columns=len(selected.averages.standardization.scale),
        )

    @atomic
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from more rows, once and in their order; offsets, scales and steps are those of the first batch.

        While the average is chosen automatically, every row is predicted by all candidates before it is learned from
        (``cv="progressive"``), and the selected average is the uniform one or what is surely better so far. An error
        leaves the model as it was.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_rows, n_features).
        y : (n_rows,) or (n_rows, n_targets).
        sample_weight : (n_rows,), each 0 or more; None means 1 for every row.
        """
        check_loss(self.loss)
        begun: Stream | None = getattr(self, "_stream", None)
        if begun is None and self.__sklearn_is_fitted__():
            raise ValueError(
                "partial_fit cannot continue a fit of several chains, one chosen by 'gcv', or one with "
                "store='replay' that was saved: fit with chains=1, another cv and store='auto', or start again with "
                "clone(model)."
            )
        dtype = None if begun is None else self._selected_model.averages.trajectory.dtype
        batch = check_batch(X, y, sample_weight, dtype=dtype, target_dtype=FLOAT64)
        if begun is not None:
            require_columns_of_fit(self, X, batch.rows)
        asked = check_averaging(self.averaging, self.alpha)
        if begun is None:
            require_rows(batch)
            standardization = Standardization.of(batch, bool(self.scale), bool(self.fit_intercept))
            feed = Feed(batch, standardization)
            store, batch_size = check_store(self.store), counted("batch_size", self.batch_size)
            stream = Stream.begin(feed, *stream_steps(self.step, feed, store), store, batch_size, asked.family)
        else:
            begun.require_alike(batch)
            if len(batch) == 0:
                return self
            feed = Feed(batch, begun.standardization)
            stream = begun.copy()
        with one_thread():
            stream.learn_all(feed, range(len(batch)))
        if begun is None and asked.scheme is not None and not isinstance(asked.scheme, Tail):
            stream.run.trajectory().coef(asked.scheme)  # refuses one that a sketch cannot answer; tails move
        self._stream = stream
        if begun is None:
            self._held_out, self._selected_model = None, stream.averages().at(Uniform(), None)
            remember_columns(self, X)
            self.passes_ = 1.0
        self._streamed = self._after_batch(stream, asked)
        self.n_rows_ = len(batch) + (0 if begun is None else self.n_rows_)
        stream.tell_clipped()
        return self

    def _after_batch(self, stream: Stream, asked: Averaging) -> StreamedModel:
        """Return the model of a stream; where parameters have changed, the choice before is settled first."""
        before, rule = self._streamed, bool(self.one_standard_error)
        if before is not None and (before.asked, before.one_standard_error) == (asked, rule):
            return replace(before, stream=stream)
        held_out = self._held_out if before is None else before.selected.held_out
        selected = self._selected_model if before is None else before.selected.model
        return StreamedModel(stream, asked, rule, selected.wanted, selected.selection, held_out)

    @property
    def n_split_(self) -> int:
        """Number of outlying rows that took several smaller steps."""
        return round(self.trajectory_.split / max(1.0, self.passes_))

    @property
    def n_clipped_(self) -> int:
        """Number of outlying rows whose updates were clipped."""
        return round(self.trajectory_.limited / max(1.0, self.passes_))

    @property
    def held_out_(self) -> HeldOut | None:
        """A sample of rows with the predictions of the chosen average before they were learned from."""
        held_out = self._held_out if self._streamed is None else self._streamed.selected.held_out
        selection, stream = self.selection_, self._stream
        if held_out is not None or selection is None or stream is None or stream.progressive is None:
            return held_out
        return stream.progressive.held_out(selection.chosen.scheme)

    def _fitted(self) -> SelectedModel[Averages]:
        """Return the selected model; that of a stream is selected when it is read, not at every batch."""
        selected = super()._fitted()
        return selected if self._streamed is None else self._streamed.selected.model

    def _move(self, selected: SelectedModel[Averages]) -> None:
        to_ridge = selected.averages is not self._fitted().averages
        if self._streamed is not None:
            self._held_out, self._streamed = self._streamed.selected.held_out, None
        self._stream = None if self._stream is None else self._stream.copy()
        if to_ridge and self._stream is not None:
            self._stream.take_over()
        if to_ridge and self._held_out is not None:
            # The copy answers from the growing run, with the rows that this run has held out.
            self._held_out = replace(self._held_out, path=self._held_out.ridge_path, ridge_path=None)
        self._selected_model = selected

    def _fit_state(self) -> State:
        held_out = self._held_out if self._streamed is None else self._streamed.selected.held_out
        return fit_state(self._fitted(), self._stream, held_out, self.n_rows_, self.passes_)

    def _restore(self, stored: Stored) -> None:
        fit = fit_from(stored)
        self._stream, self._held_out, self.n_rows_, self.passes_ = fit.stream, fit.held_out, fit.n_rows, fit.passes
        self._selected_model = fit.selected
