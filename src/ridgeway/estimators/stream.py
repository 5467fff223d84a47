"""A stream: runs that continue batch after batch; offsets, scales and steps come from the first batch."""

from __future__ import annotations

from ridgeway.atomic import shallow_copy
from ridgeway.estimators.averages import Averages
from ridgeway.estimators.noisy_strengths import NoisyStrengths
from ridgeway.estimators.stream_run import StreamRun
from ridgeway.estimators.weighted_sums import WeightedSums
from ridgeway.messages.progress import Progress
from ridgeway.messages.user_warning import warn_user
from ridgeway.rows import Batch, DenseRows, Order
from ridgeway.rows.centre import Centre
from ridgeway.rows.feed import Feed
from ridgeway.rows.same_form import require_same_rows, require_same_targets
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import Outcome, Progressive
from ridgeway.selection.plan import MAX_ROWS_TO_FOLD
from ridgeway.sgd import GrowingStep, LimitedStep, SGDRun
from ridgeway.sgd.stream_splitting import SplitWindow
from ridgeway.storage.state import State, StateError, Stored, state_of
from ridgeway.trajectory import Layout

MIN_ROWS_TO_CHOOSE_AGAIN = 1000  # rows of a stream from which the choice of a fit before it may be replaced
MIN_STEPS_TO_WARN, CLIPPED_SHARE_TO_WARN = 200, 0.2  # steps, and the share of clipped ones that is worth a warning
MIN_REDUCTION_TO_WARN = 100  # by which the step of a single row is reduced


class Stream:
    """One pass over rows that come in batches.

    A run learns little while its step is still small. So a stream begins with two runs. The run of constant step
    answers until twice the rows of the climb have come; then it is dropped, and the run whose step has grown answers. A
    fit in which a constant step was chosen continues with two runs, too; its growing run answers for ridge strengths.

    Parameters
    ----------
    standardization : fixed by the first batch.
    answering : the run that answers.
    sparse : whether the rows are sparse.
    single_target : True when y is 1-D.
    weight : sum of the weights of the rows of an earlier fit, whose means are the offsets.
    growing : a run beside it that takes over; None if there is none.
    takes_over : number of rows after which it takes over.
    """

    def __init__(
        self,
        standardization: Standardization,
        answering: StreamRun,
        sparse: bool,
        single_target: bool,
        weight: float = 0.0,
        growing: StreamRun | None = None,
        takes_over: int = 0,
    ) -> None:
        self.standardization = standardization
        self._answering, self._growing, self._takes_over = answering, growing, takes_over
        self.sparse = sparse
        self.single_target = single_target
        self._sums = WeightedSums(standardization, sparse, weight)
        self.continued = weight > 0
        self._told = False

    @classmethod
    def begin(
        cls,
        feed: Feed,
        step: LimitedStep,
        growing: GrowingStep | None,
        store: str | Layout,
        batch_size: int,
        family: str | None,
    ) -> Stream:
        """Begin a stream with its first batch, whose rows are not learned from yet.

        Parameters
        ----------
        feed : the first batch.
        step : a constant step.
        growing : the growing step, which predicts once it has grown; None if there is none.
        store, batch_size : options of the runs.
        family : the averages to choose from; None if the average is given.
        """
        sparse = not isinstance(feed.source.rows, DenseRows)

        def scores(step: float, after: int = 0) -> Progressive | None:
            return None if family is None else Progressive(family, step, feed.standardization, sparse, after)

        answering = StreamRun(SGDRun(step, store, batch_size), step.size, batch_size, None, scores(step.size))
        beside, takes_over = None, 0
        if growing is not None and growing.climb is not None:
            takes_over = 2 * growing.climb * batch_size
            run, window = SGDRun(growing, store, batch_size), SplitWindow(growing.size, batch_size)
            beside = StreamRun(run, growing.size, batch_size, window, scores(growing.size, growing.climb))
        return cls(feed.standardization, answering, sparse, feed.source.single_target, 0.0, beside, takes_over)

    @classmethod
    def after(
        cls, outcome: Outcome, averages: Averages, n_rows: int, family: str | None, splits: bool
    ) -> Stream | None:
        """Continue after a fit; None where it made several runs.

        Where a constant step was chosen, it answers until 100,000 rows have come in all, as in a stream.

        Parameters
        ----------
        outcome : of the fit.
        averages : of the chosen run.
        n_rows : rows of the fit.
        family : what competes; None when the average is given.
        splits : whether the step of the fit grows, and outlying rows are split.
        """
        if outcome.run is None:
            return None
        standardization, sparse = averages.standardization, averages.sparse

        def going_on(run: SGDRun, size: float, splits: bool) -> StreamRun:
            window = SplitWindow(size, run.batch_size) if splits else None
            scores = None if family is None else Progressive(family, size, standardization, sparse)
            return StreamRun(run, size, run.batch_size, window, scores, before=run.n_steps)

        run = going_on(outcome.run, outcome.trajectory.step, splits and outcome.ridge is None)
        beside, takes_over = None, 0
        if outcome.ridge is not None and outcome.ridge.run is not None:
            beside = going_on(outcome.ridge.run, outcome.ridge.trajectory.step, splits)
            takes_over = max(MAX_ROWS_TO_FOLD - n_rows, MIN_ROWS_TO_CHOOSE_AGAIN)
        return cls(standardization, run, sparse, averages.single_target, float(n_rows), beside, takes_over)

    @property
    def run(self) -> SGDRun:
        """The run that answers."""
        return self._answering.run

    @property
    def progressive(self) -> Progressive | None:
        """The scores of its averages."""
        return self._answering.progressive

    @property
    def _runs(self) -> list[StreamRun]:
        return [self._answering] if self._growing is None else [self._answering, self._growing]

    @property
    def centre(self) -> Centre:
        """Means of the rows learned from."""
        return self._sums.centre

    def learn(self, batch: Batch) -> None:
        """Learn from the rows of a standardized batch, in their order, and predict them by averages taken before."""
        first = 0
        while first < len(batch):
            room = min(run.room(self.centre) for run in self._runs)
            if self._growing is not None:
                room = min(room, self._takes_over - self._growing.rows)
            part = batch.between(first, min(first + room, len(batch)))
            for run in self._runs:
                run.learn(part)
            self._sums.add(part)
            first += len(part)
            if self._growing is not None and self._growing.rows >= self._takes_over:
                self.take_over()

    def learn_all(self, feed: Feed, order: Order, progress: Progress | None = None) -> None:
        """Learn from the rows of a feed in this order, piece by piece."""
        for run in self._runs:
            run.expect(len(order))
        for piece in feed.pieces(order, shared=self._reads_again):
            self.learn(feed.take(piece.numbers) if piece.batch is feed.kept else piece.batch)
            if progress is not None:
                progress.add(len(piece.numbers))

    @property
    def _reads_again(self) -> bool:
        """Whether rows are read more than once: to predict them, unless the run does that, and to average them."""
        in_passing = self.run.takes_row_products and not self.sparse and self.single_target and self._growing is None
        return self.standardization.constant != 0 or (self.progressive is not None and not in_passing)

    def require_alike(self, batch: Batch) -> None:
        """Refuse a batch whose form differs from that of the first."""
        require_same_rows(batch, self.sparse)
        n_targets = len(self.standardization.target_scale)
        require_same_targets(batch.y.shape[1], batch.single_target, n_targets, self.single_target)

    def averages(self) -> Averages:
        """All averages of the answering run so far."""
        return self._averages_of(self._answering)

    def ridge(self) -> Averages | None:
        """Return the averages that answer ridge strengths, if they are not those of the answering run."""
        if self._growing is None or not self.continued:
            return None
        return self._averages_of(self._growing)

    def noisy_strengths(self) -> NoisyStrengths | None:
        """Return the strengths that a constant step answers with noise; None once the step has grown, or will not."""
        if self._growing is None or self.continued:
            return None
        rows, until = self._answering.rows, self._takes_over
        return NoisyStrengths(self._answering, self._growing, self.standardization, self.sparse, rows, until)

    def _averages_of(self, run: StreamRun) -> Averages:
        trajectory = run.run.trajectory()
        return Averages(trajectory, self.standardization, self.sparse, self.centre, self.single_target)

    def take_over(self) -> None:
        """Let the growing run answer, and drop the other."""
        if self._growing is not None:
            self._answering, self._growing, self._takes_over = self._growing, None, 0

    def tell_clipped(self) -> None:
        """Warn, once, when the step of the first batch turns out to be too large for later rows.

        A constant step is meant to clip rows that are somewhat too large. The user should know of many, and of a single
        one that is far too large.
        """
        n_steps, clipped = self.run.n_steps, self.run.limited
        some = clipped > 0 and (
            self._answering.window is not None or self.run.largest_reduction > MIN_REDUCTION_TO_WARN
        )
        many = n_steps >= MIN_STEPS_TO_WARN and clipped > CLIPPED_SHARE_TO_WARN * n_steps
        if self._told or self.continued or not (some or many):
            return
        self._told = True
        warn_user(
            f"updates from {clipped} of {self._answering.rows:,} rows were clipped, as these rows are far larger than "
            "those of the first batch, which set scale and step: the averages are not ridge there. Begin with a larger "
            "batch, or look at such rows."
        )

    def state(self) -> State:
        """Return everything that the stream needs to continue bit for bit."""
        return {
            "standardization": self.standardization.state(),
            **self._answering.state(),
            "growing": state_of(self._growing),
            "takes_over": self._takes_over,
            "sparse": self.sparse,
            "single_target": self.single_target,
            **self._sums.state(),
            "continued": self.continued,
            "told": self._told,
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Stream:
        """Return the stream of a state."""
        standardization = Standardization.from_state(stored.part("standardization"))
        sparse, single_target = stored.flag("sparse"), stored.flag("single_target")
        n_targets = len(standardization.target_scale)
        if single_target and n_targets != 1:
            raise StateError(f"a single target has {n_targets} scales: expected one.")
        answering = StreamRun.from_state(stored, standardization, sparse)
        beside = stored.read("growing", StreamRun.from_state, standardization, sparse)
        for run in (answering, beside):
            if run is not None and run.run.begun:
                run.run.require_form(sparse, single_target, n_targets, standardization.n_columns)
        answering.run.require_form(sparse, single_target, n_targets, standardization.n_columns)
        takes_over = stored.integer("takes_over") if beside is not None else 0
        if beside is not None and beside.rows >= takes_over:
            raise StateError(f"a run that takes over after {takes_over} rows has seen {beside.rows}.")
        stream = cls(standardization, answering, sparse, single_target, 0.0, beside, takes_over)
        stream._sums = WeightedSums.from_state(stored, standardization, sparse)
        stream.continued, stream._told = stored.flag("continued"), stored.flag("told")
        return stream

    def copy(self) -> Stream:
        """Return an independent copy."""
        other = shallow_copy(self)
        other._answering = self._answering.copy()
        other._growing = None if self._growing is None else self._growing.copy()
        other._sums = self._sums.copy()
        return other
