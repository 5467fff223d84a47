"""`run_sgd`: SGD over data in memory, in one call."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ridgeway.averaging import Staircase
from ridgeway.rows import Batch, check_batch, largest_norm
from ridgeway.sgd.divergence import DivergenceError
from ridgeway.sgd.run import SGDRun
from ridgeway.sgd.schedule import GrowingStep, schedule_of
from ridgeway.sgd.shuffle import shuffled_order
from ridgeway.sgd.splitting import Splitting
from ridgeway.sgd.step_size import LimitedStep, auto_step, check_step, guess, step_for
from ridgeway.trajectory import Layout, Trajectory, join
from ridgeway.validation.scalars import counted

MIN_GUESSED_BYTES = 2**25  # for larger data the step is guessed from a sample, which saves one reading of the rows


def run_sgd(
    X: Any,
    y: ArrayLike,
    step: float | str | LimitedStep | GrowingStep | Staircase = "auto",
    passes: int = 1,
    batch_size: int = 1,
    shuffle: bool = False,
    chains: int = 1,
    sample_weight: ArrayLike | None = None,
    w0: ArrayLike | None = None,
    store: str | Layout = "replay",
    n_jobs: int = 1,
    random_state: int | np.random.Generator | None = None,
) -> Trajectory:
    """Run SGD for least squares over the rows of X, and store what every average of its iterates needs.

        w_t = w_{t-1} + eta_t * weight_t * (y_t - <x_t, w_{t-1}>) x_t

    Averaging the iterates geometrically, `t.coef(Geometric(alpha))`, gives ridge regression of strength alpha in
    expectation. Rows are not scaled, and there is no intercept. Standardize columns of different scales first;
    otherwise columns of small scale are learned slowly.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        float32 and float64 are used as they are (row-major; other layouts are copied once), float32 in means float32
        out.
    y : (n,) or (n, targets)
    step : float, "auto", LimitedStep, GrowingStep or Staircase
        The step eta; it is constant except for the last two. "auto" takes it from the squared norms of all rows and
        clips the updates of the few rows too large for it (`ridgeway.sgd.step_size` has the rule and its reason). A
        number or a staircase is used unchanged: if the run diverges, `DivergenceError` is raised. A `GrowingStep`
        brings the averages of all ridge strengths close to ridge; it splits rows that are too large for it into several
        steps, so that `n_steps` is more than the number of rows.
    passes : int
        Number of passes over the rows.
    batch_size : int
        Rows per step; a mini-batch makes one step along its mean gradient, and a pass may end with a shorter one.
    shuffle : bool
        Read the rows in a new random order in each pass, instead of their own order.
    chains : int
        Cut the rows into this many contiguous segments, run each from w0 and average the runs: this has lower variance
        if eta * alpha * n / chains is above about 4.
    sample_weight : (n,)
        Multiplies each row's gradient, used as given; rows of weight 0 make no step.
    w0 : (d,) or (targets, d)
        Start, 0 by default; the averages are then ridge centred at w0.
    store : "replay", "sketch" or a Layout
        "replay" stores one scalar per row and refers to the rows, and gives every average exactly; "sketch" stores
        moments of the increments and no longer needs the rows.
    n_jobs : int
        Threads over which the chains are spread; -1 means one per chain.
    random_state : int, numpy Generator or None
        Seed for shuffling and for the places of the steps of split rows.

    Returns
    -------
    Trajectory
        A `Replay`, a `Sketch`, or `Chains` of them.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5000, 4))
    >>> y = X @ [3.0, 0.0, -1.0, 2.0] + rng.standard_normal(5000)
    >>> t = rw.run_sgd(X, y)
    >>> t.n_steps, t.limited
    (5000, 70)
    >>> t.path([0.0, 0.01]).round(1)
    array([[ 3., -0., -1.,  2.],
           [ 3.,  0., -1.,  2.]])
    """
    passes, chains = counted("passes", passes), counted("chains", chains)
    threads = chains if n_jobs == -1 else counted("n_jobs", n_jobs, "expected -1 or an integer of 1 or more")
    fixed = step if isinstance(step, GrowingStep | Staircase) else check_step(step)
    batch = check_batch(X, y, sample_weight)
    if len(batch) == 0:
        raise ValueError("all sample weights are 0: expected at least one row of positive weight.")
    if chains > len(batch):
        raise ValueError(f"chains={chains} but there are only {len(batch)} rows: each chain needs at least one.")
    edges = np.linspace(0, len(batch), chains + 1).astype(int)
    segments = [batch.between(first, last) for first, last in pairwise(edges.tolist())]
    # A stream of random numbers per chain: for orders of the rows, and for the places of rows that are split.
    rng = np.random.default_rng(random_state if shuffle or random_state is not None else 0)
    streams = [rng] if chains == 1 else rng.spawn(chains)

    def run_all(steps: LimitedStep | GrowingStep | Staircase) -> list[Trajectory]:
        def run_one(segment: Batch, stream: np.random.Generator) -> Trajectory:
            return _run_one(segment, steps, store, batch_size, w0, passes, shuffle, stream)

        if threads == 1:
            return [run_one(segment, stream) for segment, stream in zip(segments, streams, strict=True)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(run_one, segments, streams))

    if fixed is None and passes == chains == 1 and not shuffle and batch.rows.nbytes > MIN_GUESSED_BYTES:
        guessed = guess(batch)
        if guessed is not None:
            (trajectory,) = run_all(guessed)
            if step_for(trajectory.r2) == guessed.size:
                return trajectory
    try:
        return join(run_all(fixed or auto_step(batch)))
    except DivergenceError as error:  # a chain has seen only some of the rows
        raise DivergenceError(error.step, 1 / largest_norm(batch), error.at_step) from None


def _run_one(
    rows: Batch,
    step: LimitedStep | GrowingStep | Staircase,
    store: str | Layout,
    batch_size: int,
    w0: ArrayLike | None,
    passes: int,
    shuffle: bool,
    rng: np.random.Generator,
) -> Trajectory:
    """Run over the rows, in passes; a growing step splits outlying rows."""
    if not isinstance(step, GrowingStep):
        run = SGDRun(step, store, batch_size, w0)
        for _ in range(passes):
            run.advance(rows, shuffled_order(rows.rows, rng) if shuffle else None)
            run.end_pass()
        return run.trajectory()
    splitting = Splitting.of_batch(rows, step.size, batch_size)
    steps_per_pass = -(-splitting.steps_per_pass // batch_size)
    run = SGDRun(schedule_of(step, passes * steps_per_pass, batch_size) or "auto", store, batch_size, w0)
    if not splitting.none:
        rows = replace(rows, weight=splitting.step_weights(rows.weight))
    for _ in range(passes):
        order = splitting.order(shuffled_order(rows.rows, rng) if shuffle else range(len(rows)), rng)
        run.advance(rows, None if isinstance(order, range) else order, split_counts=splitting.split_counts_of_pass)
        run.end_pass()
    return run.trajectory()
