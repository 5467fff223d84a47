"""One run over a stream, with the splitting of its outlying rows and the scores of its averages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ridgeway.rows import Batch
from ridgeway.rows.centre import Centre
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import Progressive
from ridgeway.sgd import SGDRun
from ridgeway.sgd.stream_splitting import SplitWindow
from ridgeway.storage.state import State, Stored, state_of


@dataclass
class StreamRun:
    """A run that learns from rows as they come.

    Attributes
    ----------
    run : the run, which may have learned from rows before the stream.
    step : its final step.
    batch_size : rows per step.
    window : splits outlying rows; None for a run that clips them or takes every row as it is.
    progressive : scores of its averages; None when the average is given.
    before : steps of the run before the stream began.
    rows : rows of the stream that it has learned from.
    """

    run: SGDRun
    step: float
    batch_size: int
    window: SplitWindow | None = None
    progressive: Progressive | None = None
    before: int = 0
    rows: int = 0

    @property
    def done(self) -> int:
        """Steps so far, as if no row were split: it does not depend on how the stream is cut."""
        return self.before + self.rows // self.batch_size if self.window else self.run.n_steps

    def expect(self, n_rows: int) -> None:
        """Prepare for `n_rows` more rows, which will follow."""
        if self.progressive is not None:
            whole = self.before + (self.rows + n_rows) // self.batch_size
            self.progressive.expect(whole if self.window else self.run.n_steps_after(n_rows))

    def room(self, centre: Centre) -> int:
        """Return the number of rows until new averages are taken; take them now if they are due."""
        if self.progressive is None:
            return 2**62
        if self.run.begun:
            self.progressive.refresh(self.run, centre, self.done)
        return self.progressive.room(self.done)

    def learn(self, part: Batch) -> None:
        """Learn from rows, at most `room` of them, and predict them by averages taken earlier."""
        steps, counts, clipped = part, None, 0
        if self.window is not None:
            clipped = -self.window.clipped
            steps, counts = self.window.through(part)
            clipped += self.window.clipped
        products = None
        if self.progressive is not None and self.run.takes_row_products and steps is part:
            products = self.progressive.row_products(part)
        self.run.advance(steps, products=products, split_counts=counts, clipped=clipped)
        if self.progressive is not None:
            self.progressive.predict(part, products)
        self.rows += len(part)

    def copy(self) -> StreamRun:
        """Return an independent copy."""
        window = None if self.window is None else self.window.copy()
        progressive = None if self.progressive is None else self.progressive.copy()
        return replace(self, run=self.run.copy(), window=window, progressive=progressive)

    def state(self) -> State:
        """Return everything that the run needs to continue bit for bit."""
        return {
            "run": self.run.state(),
            "final_step": self.step,
            "window": state_of(self.window),
            "progressive": state_of(self.progressive),
            "before": self.before,
            "rows": self.rows,
        }

    @classmethod
    def from_state(cls, stored: Stored, standardization: Standardization, sparse: bool) -> StreamRun:
        """Rebuild the run. `standardization` and `sparse` describe its rows.

        Files of format 1 have no `final_step`, `window`, `before` and `rows`.
        """
        run = SGDRun.from_state(stored.part("run"))
        step = stored.positive("final_step") if "final_step" in stored else stored.part("step").positive("size")
        return cls(
            run,
            step,
            run.batch_size,
            stored.read("window", SplitWindow.from_state, standardization, sparse),
            stored.read("progressive", Progressive.from_state, step, standardization, sparse),
            stored.integer("before") if "before" in stored else 0,
            stored.integer("rows") if "rows" in stored else 0,
        )
