"""SGD over dense rows two by two: the steps of one row after the other, in two thirds of the time.

The second row of a pair does not wait for the first one's step. Its prediction is taken before both steps, together
with the first one's, and then corrected by what the first step changes:

    <x_2, w_1> = <x_2, w_0> + gain_1 <x_2, x_1>

So one sweep over the columns serves two rows: it applies the steps of one pair and takes all products of the next.
Coefficients and moments are read and written half as often, and the sums at the end of a sweep are waited for once.
Sweeps over wide rows go forth and back in turn: what the last columns of one left in the nearest cache is where the
next one begins.

Which rows make a pair depends on the number of their step alone. Where a batch ends between the two, the first row and
its gain wait in an `OpenPair`; `half_pair` puts such a row through the same compiled loop as all others, so that the
same rows in other batches give the same bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled, inlined
from ridgeway.lanes import lane_count, lane_sum, lanes, set_lanes, spread
from ridgeway.prefetch import AHEAD, CACHE_LINE, fetch_line, fetch_near
from ridgeway.rows import Float, Scalar
from ridgeway.sgd.guard import EXPLODED, FINISHED, NOT_FINITE, acceptable, admit
from ridgeway.sgd.losses import descent
from ridgeway.sgd.task import Look, OpenPair, Task
from ridgeway.trajectory.fold import Memory, Place, chunk_places, fold_chunk

Sums = tuple[Float, Float, Float, Float, Float]
Six = tuple[Float, Float, Float, Float, Float, Float]

BOTH, OPENS, COMPLETES = 0, 1, 2  # rows of a pair that a call of a kernel takes the steps of
WIDE = 2**12  # bytes of a row: of wider ones four, w and its moments do not fit the first-level cache together
LANES_AHEAD = 16  # of wide rows, which the second level has: from there to the first one


@compiled
def pair_steps(
    X: Float,
    order: NDArray[np.intp] | None,
    first_step: int,
    last_step: int,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    place: Place,
    turn: int,
    gain: Float,
    second: Float | None,
    look: Look | None,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take an even number of steps, from one to another, that are pairs of one block; or half of a pair.

    X (n, d), y (n,), weight (n,) are read; w (d,), memory, look and tally are changed. Returns a status and the number
    of steps after which the run ended. What is None is compiled away: a kernel that has all of it takes a third longer.

    turn : BOTH; COMPLETES for one pair whose first row has had its step: its gain (1,) is given; OPENS for one pair
        whose first row alone has a step, of which the gain is told and which is not applied.
    second : local moments of degree 2 of the memory, (d,), if it has such.
    look : what is to be seen of the rows.
    """
    n_columns, count = X.shape[1], lane_count(X)
    whole = n_columns - n_columns % count
    address, n_bytes = np.intp(X.ctypes.data), n_columns * X.itemsize
    wide = n_bytes > WIDE
    zero = w.dtype.type(0)
    none = spread(zero)
    first = memory.local[0]
    places = chunk_places(place.chunk).astype(w.dtype)
    offset, within = place.offset, place.chunk - 1
    gain1, gain2 = zero, zero
    if look is not None:
        directions, seen = look.directions, look.seen
    for i in range(first_step, last_step + 1, 2):
        old, new = max(i - 2, first_step), min(i, last_step - 2)
        row1, row2 = new, new + 1
        starts = n_columns * old, n_columns * old + n_columns, n_columns * new, n_columns * new + n_columns
        if order is not None:
            row1, row2 = order[new], order[new + 1]
            starts = n_columns * order[old], n_columns * order[old + 1], n_columns * row1, n_columns * row2
        now = offset & within
        steps = spread(gain1), spread(gain2)
        local1 = spread(gain1 * places[0, now]), spread(gain2 * places[0, now + 1])
        local2 = spread(gain1 * places[1, now]), spread(gain2 * places[1, now + 1])
        asked = address + min(n_bytes * i + AHEAD, n_bytes * (X.shape[0] - 2))
        sums = none, none, none, none, none
        if wide:
            at, onward = 0, count
            if (place.offset + i - first_step) & 2:
                at, onward = whole - count, -count
            for _ in range(n_columns // count):
                if order is None:
                    fetch_line(asked)
                    asked += CACHE_LINE
                soon = address + (at + LANES_AHEAD * onward) * X.itemsize
                fetch_near(soon + starts[2] * X.itemsize)
                fetch_near(soon + starts[3] * X.itemsize)
                sums = _sweep(X, starts, at, None, w, first, second, steps, local1, local2, sums)
                at += onward
        else:
            for at in range(0, whole, count):
                if order is None:
                    fetch_line(asked)
                    asked += CACHE_LINE
                sums = _sweep(X, starts, at, None, w, first, second, steps, local1, local2, sums)
        if whole < n_columns:
            if order is None:
                fetch_line(asked)
            sums = _sweep(X, starts, whole, n_columns - whole, w, first, second, steps, local1, local2, sums)
        if i > first_step:
            offset += 2
            if offset & within == 0:
                fold_chunk(memory, Place(offset, place.length, place.chunk, place.degree), w)
        if i == last_step:
            break
        norm1, norm2 = lane_sum(sums[2]), lane_sum(sums[3])
        if not (np.isfinite(norm1) and np.isfinite(norm2)):
            return NOT_FINITE, i
        if turn == COMPLETES:
            gain1 = gain[0]
        else:
            rate = w.dtype.type(admit(task, weight[row1], norm1, tally))
            slope = descent(task.loss, y[row1] - lane_sum(sums[0]))
            if not acceptable(task, slope, y[row1], norm1, tally):
                return EXPLODED, i
            gain1 = w.dtype.type(rate * slope)
        if turn != OPENS:
            rate = w.dtype.type(admit(task, weight[row2], norm2, tally))
            slope = descent(task.loss, y[row2] - lane_sum(sums[1]) - gain1 * lane_sum(sums[4]))
            if not acceptable(task, slope, y[row2], norm2, tally):
                return EXPLODED, i + 1
            gain2 = w.dtype.type(rate * slope)
        if look is not None:  # there is time while the next step waits for its sums
            ones = twos = none, none, none, none, none, none
            for at in range(0, whole, count):
                ones, twos = _look_at(X, starts, at, None, directions, ones, twos)
            if whole < n_columns:
                ones, twos = _look_at(X, starts, whole, n_columns - whole, directions, ones, twos)
            _set_seen(seen, row1, y[row1], ones)
            _set_seen(seen, row2, y[row2], twos)
        if turn == OPENS:
            gain[0] = gain1
            break
    return FINISHED, last_step


@compiled
def half_pair(
    X: Float,
    order: NDArray[np.intp] | None,
    step: int,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    place: Place,
    pair: OpenPair,
    second: Float | None,
    look: Look | None,
    tally: NDArray[np.float64],
) -> int:
    """Take the step of one row: open a pair with it, or complete the one that is open. Returns a status."""
    row = step if order is None else order[step]
    of_pair = place.offset & 1
    pair.rows[of_pair:] = X[row]
    pair.labels[0, of_pair:], pair.labels[1, of_pair:] = y[row], weight[row]
    rows, ys, weights = pair.read
    turn = COMPLETES if of_pair else OPENS
    start = Place(place.offset - of_pair, place.length, place.chunk, place.degree)
    given = (rows, None, 0, 2, ys, weights, task, w, memory, start, turn, pair.gain, second)
    if look is None:
        status, _ = pair_steps(*given, None, tally)
    else:
        both = Look(look.directions, np.empty((2, look.seen.shape[1]), look.seen.dtype))
        status, _ = pair_steps(*given, both, tally)
        look.seen[row] = both.seen[of_pair]
    return status


@inlined
def _sweep(
    X: Float,
    starts: tuple[int, int, int, int],
    at: int,
    rest: int | None,
    w: Float,
    first: Float,
    second: Float | None,
    steps: tuple[Float, Float],
    local1: tuple[Float, Float],
    local2: tuple[Float, Float],
    sums: Sums,
) -> Sums:
    """Apply the steps of the old pair of rows to some columns, and add the products of the next pair to sums.

    The four rows begin at these places of X. Lanes of w, first and second from `at` on are changed, all of them or the
    rest. The sums are lanes of <x_1, w>, <x_2, w>, |x_1|^2, |x_2|^2 and <x_1, x_2>.
    """
    u, v = lanes(X, starts[0] + at, rest), lanes(X, starts[1] + at, rest)
    new = lanes(w, at, rest) + steps[0] * u + steps[1] * v
    set_lanes(w, at, rest, new)
    set_lanes(first, at, rest, lanes(first, at, rest) + local1[0] * u + local1[1] * v)
    if second is not None:
        set_lanes(second, at, rest, lanes(second, at, rest) + local2[0] * u + local2[1] * v)
    a, b = lanes(X, starts[2] + at, rest), lanes(X, starts[3] + at, rest)
    return sums[0] + a * new, sums[1] + b * new, sums[2] + a * a, sums[3] + b * b, sums[4] + a * b


@inlined
def _look_at(
    X: Float,
    starts: tuple[int, int, int, int],
    at: int,
    rest: int | None,
    directions: Float,
    ones: Six,
    twos: Six,
) -> tuple[Six, Six]:
    """Add products of the next pair of rows with six directions, over some columns, to lanes of them."""
    n_columns = X.shape[1]
    a, b = lanes(X, starts[2] + at, rest), lanes(X, starts[3] + at, rest)
    d0, d1, d2 = (
        lanes(directions, at, rest),
        lanes(directions, n_columns + at, rest),
        lanes(directions, 2 * n_columns + at, rest),
    )
    d3, d4 = lanes(directions, 3 * n_columns + at, rest), lanes(directions, 4 * n_columns + at, rest)
    d5 = lanes(directions, 5 * n_columns + at, rest)
    return (
        (ones[0] + a * d0, ones[1] + a * d1, ones[2] + a * d2, ones[3] + a * d3, ones[4] + a * d4, ones[5] + a * d5),
        (twos[0] + b * d0, twos[1] + b * d1, twos[2] + b * d2, twos[3] + b * d3, twos[4] + b * d4, twos[5] + b * d5),
    )


@inlined
def _set_seen(seen: Float, row: int, target: Scalar, products: Six) -> None:
    seen[row, 0], seen[row, 1] = 1, target
    seen[row, 2], seen[row, 3] = lane_sum(products[0]), lane_sum(products[1])
    seen[row, 4], seen[row, 5] = lane_sum(products[2]), lane_sum(products[3])
    seen[row, 6], seen[row, 7] = lane_sum(products[4]), lane_sum(products[5])
