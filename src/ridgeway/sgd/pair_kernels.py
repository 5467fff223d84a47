"""SGD over dense rows two by two: the steps of one row after the other, in two thirds of the time.

The second row of a pair does not wait for the first one's step. Its prediction is taken before both steps, together
with the first one's, and then corrected by what the first step changes:

    <x_2, w_1> = <x_2, w_0> + gain_1 <x_2, x_1>

So one sweep over the columns serves two rows: it applies the steps of one pair and takes all products of the next.
Coefficients and moments are read and written half as often, and the sums at the end of a sweep are waited for once.
Sweeps over wide rows go forth and back in turn: what the last columns of one left in the nearest cache is where the
next one begins. At 100 columns half of the time goes by between two sweeps, so what is done there is kept short: tests
that nearly all rows pass are made for both at once, and what rows have met stays in registers.

Which rows make a pair depends on the number of their step alone. Where a batch ends between the two, the first row,
its rate and its slope wait in an `OpenPair`; `half_pair` puts such a row through the same compiled loop as all others,
so that the same rows in other batches give the same bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import as_written, compiled, inlined
from ridgeway.lanes import lane_count, lane_sum, lane_sums, lanes, set_lanes, spread
from ridgeway.prefetch import AHEAD, CACHE_LINE, fetch_line, fetch_near
from ridgeway.rows import Float, Scalar
from ridgeway.sgd.guard import (
    EXPLODED,
    FINISHED,
    LIMITED,
    NOT_FINITE,
    SAFE,
    acceptable,
    meet,
    met_before,
    put_back,
)
from ridgeway.sgd.losses import descent
from ridgeway.sgd.task import Look, OpenPair, Task
from ridgeway.trajectory.fold import LOCAL, Memory, Place, fold_chunk, second_at, steps_between

Sums = tuple[Float, Float, Float, Float, Float]
Six = tuple[Float, Float, Float, Float, Float, Float]

BOTH, OPENS, COMPLETES = 0, 1, 2  # rows of a pair that a call of a kernel takes the steps of
WIDE = 2**12  # bytes of a row: of wider ones four, w and its moments do not fit the first-level cache together
LANES_AHEAD = 16  # of wide rows, which the second level has: from there to the first one
UNREMARKABLE = 1e30  # sum of two squared residuals that need no second look while every step is safe


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
    opened: Float,
    second: Float | None,
    look: Look | None,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take an even number of steps, from one to another, that are pairs of one block; or half of a pair.

    X (n, d), y (n,), weight (n,) are read; w (d,), memory, look and tally are changed. Returns a status and the number
    of steps after which the run ended. What is None is compiled away: a kernel that has all of it takes a third longer.

    turn : BOTH; OPENS for one pair whose first row alone has a step, of which rate and slope are written to `opened`
        (2,) and which is not applied; COMPLETES for that pair once its second row is there.
    second : local moments of degree 2 of the memory, (d,), if it has such.
    look : what is to be seen of the rows.
    """
    n_columns, count = X.shape[1], lane_count(X)
    whole = n_columns - n_columns % count
    address, n_bytes = np.intp(X.ctypes.data), n_columns * X.itemsize
    wide = n_bytes > WIDE
    dtype = w.dtype.type
    none = spread(dtype(0))
    room = np.zeros((2 + LOCAL, whole + count), w.dtype)  # w, anchor and local in whole lanes
    room[0, :n_columns], room[1, :n_columns] = w, memory.anchor
    in_room = Memory(memory.moments, room[1], room[2:])
    offset, between = place.offset, steps_between(place.chunk)
    minus = spread(dtype(-between))
    gain1, gain2 = dtype(0), dtype(0)
    met = met_before(tally)
    step, limit = dtype(task.step), dtype(task.limit)
    unremarkable = dtype(UNREMARKABLE if task.limit <= SAFE else -1.0)
    row1, row2 = first_step, first_step + 1
    if order is not None:
        row1, row2 = order[row1], order[row2]
    new1, new2 = n_columns * row1, n_columns * row2
    asked_first, asked_last = address + n_bytes * first_step + AHEAD, address + n_bytes * (X.shape[0] - 2)
    for i in range(first_step, last_step + 1, 2):
        old1, old2 = new1, new2
        if i < last_step:
            row1, row2 = i, i + 1
            if order is not None:
                row1, row2 = order[i], order[i + 1]
            new1, new2 = n_columns * row1, n_columns * row2
        starts = old1, old2, new1, new2
        steps = spread(gain1), spread(gain2)
        seconds = none, none
        if second is not None:
            at1, at2 = second_at(offset, place.chunk), second_at(offset + 1, place.chunk)
            seconds = spread(gain1 * dtype(at1)), spread(gain2 * dtype(at2))
        asked = min(asked_first, asked_last)
        asked_first += 2 * n_bytes
        sums = none, none, none, none, none
        if whole < n_columns:
            if order is None:
                fetch_line(asked)
                asked += CACHE_LINE
            sums = _sweep(X, starts, whole, n_columns - whole, room, second, steps, seconds, sums)
        if wide:
            at, onward = 0, count
            if (place.offset + i - first_step) & 2:
                at, onward = whole - count, -count
            for _ in range(n_columns // count):
                if order is None:
                    fetch_line(asked)
                    asked += CACHE_LINE
                soon = address + (at + LANES_AHEAD * onward) * X.itemsize
                fetch_near(soon + new1 * X.itemsize)
                fetch_near(soon + new2 * X.itemsize)
                sums = _sweep(X, starts, at, None, room, second, steps, seconds, sums)
                at += onward
        else:
            for at in range(0, whole, count):
                if order is None:
                    fetch_line(asked)
                    asked += CACHE_LINE
                sums = _sweep(X, starts, at, None, room, second, steps, seconds, sums)
        if i == first_step:
            room[2:, :n_columns] = memory.local  # only now: no step has been taken yet
        else:
            offset += 2
            if offset & (between - 1) == 0:
                for at in range(0, whole + count, count):
                    _settle(room, at, minus)
            if offset & (place.chunk - 1) == 0:
                fold_chunk(in_room, Place(offset, place.length, place.chunk, place.degree), room[0, :n_columns])
        if i == last_step:
            break
        product1, product2, norm1, cross = lane_sums(sums[0], sums[1], sums[2], sums[4])
        norm2 = lane_sum(sums[3])
        y1, y2 = y[np.uintp(row1)], y[np.uintp(row2)]
        weight1, weight2 = weight[np.uintp(row1)], weight[np.uintp(row2)]
        rate1, rate2 = step * weight1, step * weight2
        slope1, slope2 = dtype(0), dtype(0)
        if turn == COMPLETES:
            rate1, slope1 = opened[0], opened[1]
        else:
            if not rate1 * norm1 <= limit:
                if not np.isfinite(norm1):
                    return NOT_FINITE, i
                tally[LIMITED] += 1
                rate1 = limit / norm1
            met = meet(met, weight1, norm1)
            slope1 = descent(task.loss, y1 - product1)
        gain1 = rate1 * slope1
        if turn != OPENS:
            if not rate2 * norm2 <= limit:
                if not np.isfinite(norm2):
                    return NOT_FINITE, i + 1
                tally[LIMITED] += 1
                rate2 = limit / norm2
            met = meet(met, weight2, norm2)
            slope2 = descent(task.loss, _corrected(y2 - product2, rate1, cross, slope1))
            gain2 = rate2 * slope2
        if not slope1 * slope1 + slope2 * slope2 <= unremarkable:
            if not (np.isfinite(norm1) and np.isfinite(norm2)):
                return NOT_FINITE, i
            put_back(met, tally)
            if turn != COMPLETES and not acceptable(task, slope1, y1, norm1, tally):
                return EXPLODED, i
            if turn != OPENS and not acceptable(task, slope2, y2, norm2, tally):
                return EXPLODED, i + 1
        if look is not None:  # there is time while the next step waits for its sums
            ones = twos = none, none, none, none, none, none
            for at in range(0, whole, count):
                ones, twos = _look_at(X, starts, at, None, look.directions, ones, twos)
            if whole < n_columns:
                ones, twos = _look_at(X, starts, whole, n_columns - whole, look.directions, ones, twos)
            _set_seen(look.seen, row1, y1, ones)
            _set_seen(look.seen, row2, y2, twos)
        if turn == OPENS:
            opened[0], opened[1] = rate1, slope1
            break
    w[:], memory.anchor[:] = room[0, :n_columns], room[1, :n_columns]
    memory.local[:] = room[2:, :n_columns]
    put_back(met, tally)
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
    given = (rows, None, 0, 2, ys, weights, task, w, memory, start, turn, pair.opened, second)
    if look is None:
        status, _ = pair_steps(*given, None, tally)
    else:
        both = Look(look.directions, np.empty((2, look.seen.shape[1]), look.seen.dtype))
        status, _ = pair_steps(*given, both, tally)
        look.seen[row] = both.seen[of_pair]
    return status


@as_written
def _corrected(residual: Scalar, rate: Scalar, cross: Scalar, slope: Scalar) -> Scalar:
    """Take what the first step changes from the residual of the second row; the slope is the last to be known."""
    return residual - rate * cross * slope


@inlined
def _sweep(
    X: Float,
    starts: tuple[int, int, int, int],
    at: int,
    rest: int | None,
    room: Float,
    second: Float | None,
    steps: tuple[Float, Float],
    seconds: tuple[Float, Float],
    sums: Sums,
) -> Sums:
    """Apply the steps of the old pair of rows to some columns, and add the products of the next pair to sums.

    The four rows begin at these places of X; all lanes of them from `at` on are read, or the rest. w, anchor and local
    (see `Memory`) are the rows of room. The sums are lanes of <x_1, w>, <x_2, w>, |x_1|^2, |x_2|^2 and <x_1, x_2>.
    """
    length = room.shape[1]
    u, v = lanes(X, starts[0] + at, rest), lanes(X, starts[1] + at, rest)
    middle = lanes(room, at, None) + steps[0] * u
    new = middle + steps[1] * v
    set_lanes(room, at, new)
    set_lanes(room, 2 * length + at, lanes(room, 2 * length + at, None) + middle + new)
    if second is not None:
        gathered = lanes(room, 4 * length + at, None)
        set_lanes(room, 4 * length + at, gathered + seconds[0] * u + seconds[1] * v)
    a, b = lanes(X, starts[2] + at, rest), lanes(X, starts[3] + at, rest)
    return sums[0] + a * new, sums[1] + b * new, sums[2] + a * a, sums[3] + b * b, sums[4] + a * b


@inlined
def _settle(room: Float, at: int, minus: Float) -> None:
    """Do to some lanes what `settle` does; minus says how many steps there were."""
    length = room.shape[1]
    anchor, total = lanes(room, length + at, None), lanes(room, 2 * length + at, None)
    set_lanes(room, 3 * length + at, lanes(room, 3 * length + at, None) + (total + minus * anchor))
    set_lanes(room, 2 * length + at, spread(room.dtype.type(0)))


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
    seen[row, 2], seen[row, 3], seen[row, 4], seen[row, 5] = lane_sums(
        products[0], products[1], products[2], products[3]
    )
    seen[row, 6], seen[row, 7] = lane_sum(products[4]), lane_sum(products[5])
