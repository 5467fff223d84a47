"""`SGDRun`: one run of SGD, over batches of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway.atomic import shallow_copy
from ridgeway.averaging import Staircase
from ridgeway.messages.user_warning import warn_user
from ridgeway.rows import Batch, DenseRows, check_batch, require_finite_rows
from ridgeway.rows.same_form import require_same_rows, require_same_targets
from ridgeway.sgd.row_products import RowProducts
from ridgeway.sgd.schedule import GrowingStep, Schedule, schedule_of
from ridgeway.sgd.states import RunState, begin_state, state_from
from ridgeway.sgd.states.replay_state import ReplayState
from ridgeway.sgd.states.sketch_state import SketchState
from ridgeway.sgd.step_size import LimitedStep, auto_step
from ridgeway.sgd.stepping import close_batch, take_steps
from ridgeway.storage.state import FLOATS, State, Stored
from ridgeway.trajectory import Layout, Segment, Trajectory
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import counted

MAX_CLIPPED_SHARE = 0.1  # with more clipped rows the user is warned that the automatic step is too large


class SGDRun:
    """SGD for least squares, row by row, from batches of any size.

        w_t = w_{t-1} + eta_t * weight_t * (y_t - <x_t, w_{t-1}>) x_t

    With one step, the same rows in other batches give bit for bit the same trajectory; an automatic step depends on
    the first batch. Rows are not scaled, and there is no intercept. If columns have very different scales, those of
    small scale are learned slowly; standardize first.

    Parameters
    ----------
    step : float, "auto", LimitedStep, GrowingStep or Staircase
        The step eta; it is constant except for the last two. "auto" sets it from the squared row norms of the first
        batch (see `ridgeway.sgd.step_size`) and clips the updates of later rows that are too large for it; eta itself
        never changes. An explicit step is used unchanged. A `GrowingStep` needs ``climb``, because the length of the
        run is not known; it clips rows that are too large for it.
    store : "sketch", "replay" or a Layout
        What the run stores: "sketch" moments of the increments, in memory that grows with log(steps); "replay" one
        scalar per row, and references to the rows, which the caller must not change. A `Layout` is a sketch with given
        blocks.
    batch_size : int
        Rows per step: a mini-batch makes one step along its mean gradient. It may span updates.
    w0 : array of shape (d,) or (targets, d)
        Start, 0 by default.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> run = rw.SGDRun(step=0.1)
    >>> for _ in range(20):
    ...     X = rng.standard_normal((100, 3))
    ...     run.update(X, X @ [1.0, -2.0, 0.5] + rng.standard_normal(100))
    >>> run.end_pass()
    >>> run.trajectory().coef(rw.Geometric(alpha=0.01)).round(1)
    array([ 1. , -2. ,  0.5])
    """

    def __init__(
        self,
        step: float | str | LimitedStep | GrowingStep | Staircase | Schedule = "auto",
        store: str | Layout = "sketch",
        batch_size: int = 1,
        w0: ArrayLike | None = None,
    ) -> None:
        if not isinstance(store, Layout) and not is_name(store, "sketch", "replay"):
            raise ValueError(f"store={store!r}: expected 'sketch', 'replay' or a Layout.")
        self._store = store
        self._batch_size = counted("batch_size", batch_size, "expected an integer of 1 or more rows per step")
        self._schedule = schedule_of(step, batch_size=self._batch_size)
        self._w0 = None if w0 is None else _numbers_of(w0)
        self._state: RunState | None = None

    def __repr__(self) -> str:
        state = self._state
        begun = f", step={state.step_size:.6g}, {state.open_rows} rows of an open mini-batch" if state else ""
        return f"SGDRun(n_steps={self.n_steps}, store={self._store!r}, batch_size={self._batch_size}{begun})"

    @property
    def n_steps(self) -> int:
        """Number of increments so far."""
        return self._state.n_steps if self._state else 0

    def n_steps_after(self, n_rows: int) -> int:
        """Return the number of increments after this many more rows."""
        open_rows = self._state.open_rows if self._state else 0
        return self.n_steps + (open_rows + n_rows) // self._batch_size

    @property
    def limited(self) -> int:
        """Number of rows whose update was clipped."""
        return self._state.limited if self._state else 0

    @property
    def largest_reduction(self) -> float:
        """Largest factor by which the step of a row was clipped; below 1 if no row was."""
        return self._state.largest_reduction if self._state else 0.0

    @property
    def keeps_rows(self) -> bool:
        """Whether the run refers to its rows (a replay) instead of keeping a sketch."""
        return self._store == "replay"

    @property
    def batch_size(self) -> int:
        """Rows per step."""
        return self._batch_size

    @property
    def begun(self) -> bool:
        """Whether the run has seen any row."""
        return self._state is not None

    def update(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        """Take the steps of these rows, in their order. If a batch raises an error, the run is unchanged.

        Parameters
        ----------
        X : (n_rows, d) array, data frame or scipy sparse matrix; float32 stays float32.
        y : (n_rows,) or (n_rows, targets).
        sample_weight : (n_rows,), multiplies each row's gradient; rows of weight 0 make no step.
        """
        batch = check_batch(X, y, sample_weight, dtype=self._state.start.dtype if self._state else None)
        after = self.copy()
        after.advance(batch)
        self._state = after._state

    @property
    def takes_row_products(self) -> bool:
        """Whether the run can fill `RowProducts`: one target, no mini-batches, dense rows in a sketch."""
        return self._batch_size == 1 and not self.keeps_rows

    def advance(
        self,
        batch: Batch,
        order: NDArray[np.intp] | None = None,
        products: RowProducts | None = None,
        split_counts: NDArray[np.int64] | None = None,
        clipped: int = 0,
    ) -> None:
        """Take the steps of a validated batch, in its order or in `order`; `update` validates first.

        `split_counts` holds, for each step of a split row, the number of steps of this row. `clipped` is the number of
        further rows that were split into fewer steps than they needed. `products` are filled if the run
        `takes_row_products`. If a batch raises an error, a run that has begun is half changed.
        """
        if self._state is not None:
            _require_same_shape(self._state, batch)
        if len(batch) == 0:  # every row had weight 0
            return
        if products is not None:
            products.require_shapes(*batch.rows.shape)
        if not (batch.finite or isinstance(batch.rows, DenseRows)):
            require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
        state = self._state
        if state is None:
            schedule = self._schedule or schedule_of(auto_step(batch))
            assert schedule is not None
            _require_representable(schedule, batch)
            state = begin_state(batch, schedule, self._store, self._batch_size, self._w0)
        gains = take_steps(state, batch, order, products)
        state.clipped += clipped
        if split_counts is not None:
            state.count_split(split_counts)
        if isinstance(state, ReplayState):
            state.segments.append(Segment(batch.rows, order))
            state.gains.append(gains)
        self._state = state

    def copy(self) -> SGDRun:
        """Return an independent copy of the run."""
        other = shallow_copy(self)
        other._state = None if self._state is None else self._state.copy()
        return other

    def without_finished_blocks(self) -> SGDRun:
        """Return a copy that can be continued, without finished blocks of moments, which no step reads."""
        other = self.copy()
        if isinstance(other._state, SketchState):
            other._state.finished = []
        return other

    def with_finished_blocks(self, earlier: SGDRun) -> SGDRun:
        """Return this run, a continuation of ``earlier.without_finished_blocks()``, with the blocks of `earlier`."""
        other = shallow_copy(self)
        if isinstance(self._state, SketchState) and isinstance(earlier._state, SketchState):
            state = self._state.copy()
            state.finished = [*earlier._state.finished, *self._state.finished]
            other._state = state
        return other

    def end_pass(self) -> None:
        """End a pass over the data: an incomplete mini-batch makes its step with the rows it has."""
        if self._state is not None and self._state.open_rows:
            self._state = self._closed(self._state)

    def trajectory(self) -> Trajectory:
        """Return the trajectory so far, as if the pass ended here; the run can continue."""
        if self._state is None:
            raise ValueError("the run has seen no rows: call update first.")
        trajectory = self._closed(self._state).trajectory()
        n_rows = trajectory.n_steps * self._batch_size
        if self._schedule is None and trajectory.limited > MAX_CLIPPED_SHARE * n_rows:
            warn_user(
                f"{trajectory.limited} of about {n_rows} rows had their updates clipped: the step of "
                f"{trajectory.step:.3g}, set from the first batch, is too large for later rows. Begin with a larger "
                "batch, or pass a step.",
            )
        return trajectory

    def state(self) -> State:
        """Return everything that the run needs to continue bit for bit; a replay cannot be stored."""
        if self.keeps_rows:
            raise ValueError("a run with store='replay' refers to rows and cannot be stored: run with store='sketch'.")
        return {
            "schedule": None if self._schedule is None else self._schedule.state(),
            "layout": self._store.state() if isinstance(self._store, Layout) else None,
            "batch_size": self._batch_size,
            "w0": self._w0,
            "progress": None if self._state is None else self._state.state(),
        }

    @classmethod
    def from_state(cls, stored: Stored) -> SGDRun:
        """Return the run of a state."""
        # Format 1 had only constant steps, stored as "step".
        schedule = stored.optional("schedule" if "schedule" in stored else "step")
        layout, progress = (stored.optional(name) for name in ("layout", "progress"))
        w0 = stored.raw("w0")
        run = cls(
            "auto" if schedule is None else Schedule.from_state(schedule),
            "sketch" if layout is None else Layout.from_state(layout),
            stored.integer("batch_size", 1),
            None if w0 is None else stored.array("w0", (None,) * np.ndim(w0), FLOATS),
        )
        run._state = None if progress is None else state_from(progress, run._batch_size)
        return run

    def require_form(self, sparse: bool, single_target: bool, n_targets: int, n_columns: int) -> None:
        """Raise an error unless the run has seen rows of this form."""
        state = self._state
        if state is None or state.start.shape != (n_targets, n_columns):
            raise ValueError(
                f"the run has seen no rows of {n_columns} columns and {n_targets} targets: start a new run."
            )
        if (state.sparse, state.single_target) != (sparse, single_target):
            raise ValueError("the run has seen rows or targets of another form: start a new run.")

    def _closed(self, state: RunState) -> RunState:
        """Return the state with the open mini-batch closed; the given state is unchanged."""
        if state.open_rows:
            state = state.copy()
            close_batch(state)
        return state


def _require_same_shape(state: RunState, batch: Batch) -> None:
    n_targets, n_columns = state.start.shape
    if batch.rows.shape[1] != n_columns:
        raise ValueError(f"X has {batch.rows.shape[1]} columns: expected {n_columns}, as in the first batch.")
    require_same_rows(batch, state.sparse)
    require_same_targets(batch.y.shape[1], batch.single_target, n_targets, state.single_target)


def _require_representable(schedule: Schedule, batch: Batch) -> None:
    for size in schedule.sizes.sizes:
        with np.errstate(over="ignore"):
            stored = batch.rows.dtype.type(size)
        if stored == 0 or not np.isfinite(stored):
            raise ValueError(f"step={size} is {stored} in {batch.rows.dtype}: pass another step, or X as float64.")


def _numbers_of(w0: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.array(w0, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"w0={w0!r} is not an array of numbers: expected the start coefficients.") from None
