"""SGD over dense rows two by two: the steps of one row after the other, in two thirds of the time.

The second row of a pair does not wait for the first one's step. Its prediction is taken before both steps, together
with the first one's, and then corrected by what the first step changes:

    <x_2, w_1> = <x_2, w_0> + gain_1 <x_2, x_1>

So one sweep over the columns serves two rows: it applies the steps of one pair and takes all products of the next.
Coefficients and moments are read and written half as often, and the sums at the end of a sweep are waited for once.

Which rows make a pair depends on the number of their step alone. Where a batch ends between the two, the first row and
its gain wait in an `OpenPair`; `half_pair` puts such a row through the same compiled loop as all others, so that the
same rows in other batches give the same bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled, inlined
from ridgeway.prefetch import AHEAD, CACHE_LINE, fetch_line
from ridgeway.rows import Float, Scalar
from ridgeway.sgd.guard import EXPLODED, FINISHED, NOT_FINITE, acceptable, admit
from ridgeway.sgd.losses import descent
from ridgeway.sgd.task import Look, OpenPair, Task
from ridgeway.trajectory.fold import Memory, Place, chunk_places, fold_chunk

BOTH, OPENS, COMPLETES = 0, 1, 2  # rows of a pair that a call of a kernel takes the steps of
NARROW = 1024  # bytes of the widest row that is gone through in one piece
PIECE = 1024  # bytes of wider ones, after each of which as much is asked for: all at once would keep memory waiting


def piece_of(n_columns: int, itemsize: int) -> int | None:
    """Return how many columns of rows of this width are gone through at a time, None if all of them."""
    return None if n_columns * itemsize <= NARROW else PIECE // itemsize


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
    piece: int | None,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take an even number of steps, from one to another, that are pairs of one block; or half of a pair.

    X (n, d), y (n,), weight (n,) are read; w (d,), memory, look and tally are changed. Returns a status and the number
    of steps after which the run ended. What is None is compiled away: a kernel that has all of it takes a third longer.

    turn : BOTH; COMPLETES for one pair whose first row has had its step: its gain (1,) is given; OPENS for one pair
        whose first row alone has a step, of which the gain is told and which is not applied.
    second : local moments of degree 2 of the memory, (d,), if it has such.
    look : what is to be seen of the rows.
    piece : columns that are gone through at a time, None for all of them; see `piece_of`.
    """
    n_columns, n_bytes = X.shape[1], np.uintp(X.shape[1] * X.itemsize)
    until = np.uintp(X.ctypes.data) + n_bytes * np.uintp(last_step if order is None else 0)  # rows to ask for
    ahead = np.uintp(X.ctypes.data) + np.uintp(AHEAD)
    zero = w.dtype.type(0)
    first = memory.local[0]
    places = chunk_places(place.chunk).astype(w.dtype)
    offset, within = place.offset, place.chunk - 1
    gain1, gain2 = zero, zero
    for i in range(first_step, last_step + 1, 2):
        old, new = max(i - 2, first_step), min(i, last_step - 2)
        if order is None:
            old1, old2, row1, row2 = old, old + 1, new, new + 1
        else:
            old1, old2, row1, row2 = order[old], order[old + 1], order[new], order[new + 1]
        asked = ahead + n_bytes * np.uintp(i)
        now = offset & within
        steps = gain1, gain2, gain1 * places[0, now], gain2 * places[0, now + 1]
        more = gain1 * places[1, now], gain2 * places[1, now + 1]
        if piece is not None:
            sums = zero, zero, zero, zero, zero
            for start in range(0, n_columns, piece):
                size = min(piece, n_columns - start)
                asked = _ask_for(asked, np.uintp(2 * size * X.itemsize), until)
                at = np.uintp(start)
                if second is None:
                    part = _sweep1(X, old1, old2, row1, row2, at, size, w, first, steps)
                else:
                    part = _sweep2(X, old1, old2, row1, row2, at, size, w, first, second, steps, more)
                sums = sums[0] + part[0], sums[1] + part[1], sums[2] + part[2], sums[3] + part[3], sums[4] + part[4]
            inner1, inner2, norm1, norm2, product = sums
        else:
            asked = _ask_for(asked, n_bytes + n_bytes, until)
            at = np.uintp(0)
            if second is None:
                inner1, inner2, norm1, norm2, product = _sweep1(
                    X, old1, old2, row1, row2, at, n_columns, w, first, steps
                )
            else:
                inner1, inner2, norm1, norm2, product = _sweep2(
                    X, old1, old2, row1, row2, at, n_columns, w, first, second, steps, more
                )
        if i > first_step:
            offset += 2
            if offset & within == 0:
                fold_chunk(memory, Place(offset, place.length, place.chunk, place.degree), w)
        if i == last_step:
            break
        if not (np.isfinite(norm1) and np.isfinite(norm2)):
            return NOT_FINITE, i
        if turn == COMPLETES:
            gain1 = gain[0]
        else:
            rate = w.dtype.type(admit(task, weight[row1], norm1, tally))
            slope = descent(task.loss, y[row1], inner1)
            if not acceptable(task, slope, y[row1], norm1, tally):
                return EXPLODED, i
            gain1 = w.dtype.type(rate * slope)
        if turn != OPENS:
            rate = w.dtype.type(admit(task, weight[row2], norm2, tally))
            slope = descent(task.loss, y[row2], inner2 + gain1 * product)
            if not acceptable(task, slope, y[row2], norm2, tally):
                return EXPLODED, i + 1
            gain2 = w.dtype.type(rate * slope)
        if look is not None:
            _look_at(X, row1, row2, y, look)
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
    piece: int | None,
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
        status, _ = pair_steps(*given, None, piece, tally)
    else:
        both = Look(look.directions, np.empty((2, look.seen.shape[1]), look.seen.dtype))
        status, _ = pair_steps(*given, both, piece, tally)
        look.seen[row] = both.seen[of_pair]
    return status


@inlined
def _ask_for(asked: Scalar, size: Scalar, until: Scalar) -> Scalar:
    """Ask for so many bytes from where it was asked for last, but not beyond the last row; return where it ends."""
    end = min(asked + size, until)
    while asked < end:
        fetch_line(asked)
        asked += np.uintp(CACHE_LINE)
    return asked


@inlined
def _sweep1(
    X: Float,
    old1: int,
    old2: int,
    row1: int,
    row2: int,
    at: Scalar,
    size: int,
    w: Float,
    first: Float,
    steps: tuple[Scalar, Scalar, Scalar, Scalar],
) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
    """Apply the steps of the old pair of rows to some columns, and return products of those of the next.

    Columns `at` .. `at + size` of w and first are changed; an unsigned number cannot count from the end of an array,
    so the compiler need not look whether it does. Returns <x_1, w>, <x_2, w>, |x_1|^2, |x_2|^2 and <x_1, x_2>.
    """
    gain1, gain2, local1, local2 = steps
    zero = w.dtype.type(0)
    inner1, inner2, norm1, norm2, product = zero, zero, zero, zero, zero
    for k in range(size):
        c = np.uintp(k) + at
        u, v = X[old1, c], X[old2, c]
        new = w[c] + gain1 * u + gain2 * v
        w[c] = new
        first[c] = first[c] + local1 * u + local2 * v
        a, b = X[row1, c], X[row2, c]
        inner1 += a * new
        inner2 += b * new
        norm1 += a * a
        norm2 += b * b
        product += a * b
    return inner1, inner2, norm1, norm2, product


@inlined
def _sweep2(
    X: Float,
    old1: int,
    old2: int,
    row1: int,
    row2: int,
    at: Scalar,
    size: int,
    w: Float,
    first: Float,
    second: Float,
    steps: tuple[Scalar, Scalar, Scalar, Scalar],
    more: tuple[Scalar, Scalar],
) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
    """Do what `_sweep1` does, for local moments of degree 2."""
    gain1, gain2, local1, local2 = steps
    more1, more2 = more
    zero = w.dtype.type(0)
    inner1, inner2, norm1, norm2, product = zero, zero, zero, zero, zero
    for k in range(size):
        c = np.uintp(k) + at
        u, v = X[old1, c], X[old2, c]
        new = w[c] + gain1 * u + gain2 * v
        w[c] = new
        first[c] = first[c] + local1 * u + local2 * v
        second[c] = second[c] + more1 * u + more2 * v
        a, b = X[row1, c], X[row2, c]
        inner1 += a * new
        inner2 += b * new
        norm1 += a * a
        norm2 += b * b
        product += a * b
    return inner1, inner2, norm1, norm2, product


@inlined
def _look_at(X: Float, row1: int, row2: int, y: Float, look: Look) -> None:
    """Fill what is seen of two rows; six products of each cost less here than in a loop of their own.

    The rows are at hand, and there is time while the next step waits for its sums.
    """
    directions, seen = look.directions, look.seen
    zero = directions.dtype.type(0)
    s0, s1, s2, s3, s4, s5 = zero, zero, zero, zero, zero, zero
    t0, t1, t2, t3, t4, t5 = zero, zero, zero, zero, zero, zero
    for c in range(X.shape[1]):
        a, b = X[row1, c], X[row2, c]
        s0 += a * directions[0, c]
        s1 += a * directions[1, c]
        s2 += a * directions[2, c]
        s3 += a * directions[3, c]
        s4 += a * directions[4, c]
        s5 += a * directions[5, c]
        t0 += b * directions[0, c]
        t1 += b * directions[1, c]
        t2 += b * directions[2, c]
        t3 += b * directions[3, c]
        t4 += b * directions[4, c]
        t5 += b * directions[5, c]
    seen[row1, 0], seen[row1, 1], seen[row1, 2], seen[row1, 3] = 1, y[row1], s0, s1
    seen[row1, 4], seen[row1, 5], seen[row1, 6], seen[row1, 7] = s2, s3, s4, s5
    seen[row2, 0], seen[row2, 1], seen[row2, 2], seen[row2, 3] = 1, y[row2], t0, t1
    seen[row2, 4], seen[row2, 5], seen[row2, 6], seen[row2, 7] = t2, t3, t4, t5
