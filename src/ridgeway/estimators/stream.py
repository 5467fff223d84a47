"""A stream: a run that goes on batch after batch, with what was learned from the first one."""

from __future__ import annotations

from ridgeway.atomic import shallow_copy
from ridgeway.estimators.averages import Averages
from ridgeway.estimators.weighted_sums import WeightedSums
from ridgeway.progress import Progress
from ridgeway.rows import Batch, DenseRows, Order
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import Progressive
from ridgeway.selection.trial import Centre
from ridgeway.sgd import LimitedStep, SGDRun
from ridgeway.state import State, StateError, Stored
from ridgeway.trajectory import Layout
from ridgeway.user_warning import warn_user

MANY, SHARE = 200, 0.2  # steps, and limited ones among them, from which the user should know


class Stream:
    """One pass over rows that come in batches.

    Parameters
    ----------
    standardization : fixed by the first batch.
    run : the run, which may have gone through rows before.
    step : its step.
    sparse : whether the rows are.
    single_target : True when y is 1-D.
    family : what competes; None when the average is given.
    weight : sum of the weights of the rows that the run has gone through before, whose means are the offsets.
    """

    def __init__(
        self,
        standardization: Standardization,
        run: SGDRun,
        step: LimitedStep,
        sparse: bool,
        single_target: bool,
        family: str | None,
        weight: float = 0.0,
    ) -> None:
        self.standardization = standardization
        self.run = run
        self.sparse = sparse
        self.single_target = single_target
        self._sums = WeightedSums(standardization, sparse, weight)
        self._step = step
        self.continued = weight > 0
        self._told = False
        self.progressive = None if family is None else Progressive(family, step.size, standardization, sparse)

    @classmethod
    def begin(
        cls,
        feed: Feed,
        step: LimitedStep,
        store: str | Layout,
        batch_size: int,
        family: str | None,
    ) -> Stream:
        """Begin with the first batch, whose rows are still to be learned from."""
        sparse = not isinstance(feed.source.rows, DenseRows)
        run = SGDRun(step, store, batch_size)
        return cls(feed.standardization, run, step, sparse, feed.source.single_target, family)

    @property
    def centre(self) -> Centre:
        """Means of the rows learned from."""
        return self._sums.centre

    def learn(self, batch: Batch) -> None:
        """Learn from the rows of a standardized batch, in their order, and predict them by averages taken before."""
        if self.progressive is None:
            self.run.advance(batch)
            self._sums.add(batch)
            return
        first = 0
        while first < len(batch):
            if self.run.begun:
                self.progressive.refresh(self.run, self.centre)
            part = batch.between(first, min(first + self.progressive.room(self.run.n_steps), len(batch)))
            look = self.progressive.look(part) if self.run.looks else None
            self.run.advance(part, look=look)
            self.progressive.predict(part, look)
            self._sums.add(part)
            first += len(part)

    def learn_all(self, feed: Feed, order: Order, progress: Progress | None = None) -> None:
        """Learn from the rows of a feed in this order, piece by piece."""
        if self.progressive is not None:
            self.progressive.expect(self.run.n_steps_after(len(order)))
        for piece in feed.pieces(order, shared=self._reads_again):
            self.learn(feed.take(piece.numbers) if piece.batch is feed.kept else piece.batch)
            if progress is not None:
                progress.add(len(piece.numbers))

    @property
    def _reads_again(self) -> bool:
        """Whether rows are read more than once: to predict them, unless the run looks at them, and to average them."""
        in_passing = self.run.looks and not self.sparse and self.single_target
        return self.standardization.constant != 0 or (self.progressive is not None and not in_passing)

    def require_alike(self, batch: Batch) -> None:
        """Compare the form of a batch with that of the first."""
        if self.sparse == isinstance(batch.rows, DenseRows):
            got, expected = ("dense", "sparse") if self.sparse else ("sparse", "dense")
            raise ValueError(f"X is {got}: expected {expected} rows, as in the first batch; convert it.")
        n_targets = len(self.standardization.target_scale)
        if batch.y.shape[1] != n_targets or batch.single_target != self.single_target:
            got = "1-D" if batch.single_target else f"2-D with {batch.y.shape[1]} targets"
            wanted = "1-D" if self.single_target else f"2-D with {n_targets} targets"
            raise ValueError(f"y is {got}: expected {wanted}, as in the first batch.")

    def averages(self) -> Averages:
        """Everything that has been learned so far."""
        return Averages(self.run.trajectory(), self.standardization, self.sparse, self.centre, self.single_target)

    def tell_limited(self) -> None:
        """Warn, once, when the step of the first batch turns out to be too large for later rows."""
        n_steps, limited = self.run.n_steps, self.run.limited
        if self._told or self.continued or n_steps < MANY or limited <= SHARE * n_steps:
            return
        self._told = True
        warn_user(
            f"{limited} of about {n_steps} rows had their own step limited: scale and step were "
            "set from the first batch, which was too small or unlike the others. Begin with a larger batch.",
        )

    def state(self) -> State:
        """Return everything that the stream needs to go on, bit for bit."""
        return {
            "standardization": self.standardization.state(),
            "run": self.run.state(),
            "step": self._step.state(),
            "sparse": self.sparse,
            "single_target": self.single_target,
            **self._sums.state(),
            "continued": self.continued,
            "told": self._told,
            "progressive": None if self.progressive is None else self.progressive.state(),
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Stream:
        """Return the stream of a state."""
        standardization = Standardization.from_state(stored.part("standardization"))
        run, step = SGDRun.from_state(stored.part("run")), LimitedStep.from_state(stored.part("step"))
        sparse, single_target = stored.flag("sparse"), stored.flag("single_target")
        n_targets = len(standardization.target_scale)
        if single_target and n_targets != 1:
            raise StateError(f"a single target has {n_targets} scales: expected one.")
        run.require_form(sparse, single_target, n_targets, standardization.n_columns)
        stream = cls(standardization, run, step, sparse, single_target, None)
        stream._sums = WeightedSums.from_state(stored, standardization, sparse)
        stream.continued, stream._told = stored.flag("continued"), stored.flag("told")
        if (progressive := stored.optional("progressive")) is not None:
            stream.progressive = Progressive.from_state(progressive, step.size, standardization, sparse)
        return stream

    def copy(self) -> Stream:
        """Return a stream that goes on by itself."""
        other = shallow_copy(self)
        other.run = self.run.copy()
        other._sums = self._sums.copy()
        other.progressive = None if self.progressive is None else self.progressive.copy()
        return other
