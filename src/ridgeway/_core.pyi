"""
Compiled loops over plain arrays. Python validates; nothing here is checked twice.
"""

import enum
from typing import Any

import numpy.typing

def level() -> str:
    """Instruction set of the loops over rows: v2, v3, v4 or baseline."""

class Csr:
    """
    CSR rows to read: data and unsigned indices (entries,), indptr (n + 1,).
    """

    def __init__(
        self, data: numpy.typing.NDArray[Any], indices: numpy.typing.NDArray[Any], indptr: numpy.typing.NDArray[Any]
    ) -> None: ...

class NewCsr:
    """
    CSR rows to fill: data and unsigned indices (entries,); indptr (n + 1,) is known.
    """

    def __init__(
        self, data: numpy.typing.NDArray[Any], indices: numpy.typing.NDArray[Any], indptr: numpy.typing.NDArray[Any]
    ) -> None: ...

def squared_norms(X: numpy.typing.NDArray[Any], norms: numpy.typing.NDArray[Any]) -> None:
    """Fill norms (n,) with the squared norms of the rows of X (n, d)."""

def squared_norms_of(
    X: numpy.typing.NDArray[Any], order: numpy.typing.NDArray[Any], norms: numpy.typing.NDArray[Any]
) -> None:
    """
    Fill norms (m,) with the squared norms of the rows order (m,) of X (n, d).
    """

def csr_squared_norms(rows: Csr, norms: numpy.typing.NDArray[Any]) -> None:
    """Fill norms (n,) with the squared norms of CSR rows (n, d)."""

def row_products(
    X: numpy.typing.NDArray[Any],
    y: numpy.typing.NDArray[Any],
    directions: numpy.typing.NDArray[Any],
    out: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill out (n, 2 + r) with 1, y (n,) and the products of X (n, d) and directions (r, d).
    """

def column_sums(
    X: numpy.typing.NDArray[Any],
    weight: numpy.typing.NDArray[Any],
    origin: numpy.typing.NDArray[Any],
    gauge: numpy.typing.NDArray[Any],
    sums: numpy.typing.NDArray[Any],
    squares: numpy.typing.NDArray[Any],
) -> None:
    """
    Add sums of weight_i u_i and weight_i u_i^2, u_i = (x_i - origin) * gauge, to sums and squares (d,).
    """

def weighted_sum(
    X: numpy.typing.NDArray[Any], weight: numpy.typing.NDArray[Any], sums: numpy.typing.NDArray[Any]
) -> None:
    """
    Add weight_i x_i to sums (d,), row after row: splitting X (n, d) otherwise gives the same bits.
    """

def csr_weighted_sum(rows: Csr, weight: numpy.typing.NDArray[Any], sums: numpy.typing.NDArray[Any]) -> None:
    """Add weight_i x_i of CSR rows (n, d) to sums (d,), row after row."""

def csr_column_sums(
    rows: Csr, weight: numpy.typing.NDArray[Any], sums: numpy.typing.NDArray[Any], largest: numpy.typing.NDArray[Any]
) -> None:
    """
    Add weight_i x_i to sums (d,), and raise largest (d,) to the largest absolute entry of each column.
    """

def csr_fault(
    indices: numpy.typing.NDArray[Any], indptr: numpy.typing.NDArray[Any], n_entries: int, n_columns: int
) -> int:
    """
    Check CSR indices (int32 or int64): 0 valid, 1 unsorted or repeated columns in a row, 2 out of range.
    """

def gather_csr(rows: Csr, order: numpy.typing.NDArray[Any], gathered: NewCsr) -> None:
    """Copy the CSR rows order (m,) one after the other into gathered (m, d)."""

def standardize_csr(
    rows: Csr, order: numpy.typing.NDArray[Any], inverse: numpy.typing.NDArray[Any], constant: float, out: NewCsr
) -> None:
    """
    Copy the CSR rows order (m,), entries times inverse (d,), with a last column of constant unless it is 0.
    """

def standardize_rows(
    X: numpy.typing.NDArray[Any],
    order: numpy.typing.NDArray[Any],
    offset: numpy.typing.NDArray[Any],
    inverse: numpy.typing.NDArray[Any],
    constant: float,
    out: numpy.typing.NDArray[Any],
) -> bool:
    """
    Fill out (m, d or d + 1) with (x - offset) * inverse and constant; return whether every number is finite.
    """

def standardized_norms(
    X: numpy.typing.NDArray[Any],
    offset: numpy.typing.NDArray[Any],
    inverse: numpy.typing.NDArray[Any],
    constant: float,
    norms: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill norms (n,) with the squared norms of the rows that standardize_rows makes of X (n, d).
    """

def centre_rows(
    X: numpy.typing.NDArray[Any],
    order: numpy.typing.NDArray[Any],
    offset: numpy.typing.NDArray[Any],
    inverse: numpy.typing.NDArray[Any],
    share: numpy.typing.NDArray[Any],
    root: numpy.typing.NDArray[Any],
    out: numpy.typing.NDArray[Any],
    origin: numpy.typing.NDArray[Any],
    shift: numpy.typing.NDArray[Any],
    largest: numpy.typing.NDArray[Any],
) -> bool:
    """
    Fill out (m, d) with root (m,) times (x - offset) * inverse - origin - shift: the first row, and the mean.
    """

def target_moments(
    y: numpy.typing.NDArray[Any],
    weight: numpy.typing.NDArray[Any],
    total: float,
    mean: numpy.typing.NDArray[Any],
    spread: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill mean and spread (targets,) with sum weight y / total and sum weight (y - mean)^2 of y (n, targets).
    """

def standardize_targets(
    y: numpy.typing.NDArray[Any],
    offset: numpy.typing.NDArray[Any],
    scale: numpy.typing.NDArray[Any],
    out: numpy.typing.NDArray[Any],
) -> float:
    """
    Fill out (n, targets) with (y - offset) / scale, and return the sum of their squares.
    """

class End(enum.Enum):
    """How a loop of steps ended."""

    FINISHED = 0
    """All steps were made."""

    NOT_FINITE = 1
    """
    A row has an entry that is not finite, or a squared norm that overflows.
    """

    EXPLODED = 2
    """A residual has grown beyond everything that the targets explain."""

class Problem:
    """The step, the largest step * weight * |x|^2 of a row, and |w_0|^2."""

    def __init__(self, *, step: float, limit: float, start_square: float) -> None: ...

class Place:
    """
    Where a run stands in its block: offset of length steps, in chunks of a degree.
    """

    def __init__(self, *, offset: int, length: int, chunk: int, degree: int) -> None: ...

class DenseRows:
    """X (n, d), y (n,), weight (n,), and the order of the steps or None."""

    def __init__(
        self,
        *,
        X: numpy.typing.NDArray[Any],
        y: numpy.typing.NDArray[Any],
        weight: numpy.typing.NDArray[Any],
        order: numpy.typing.NDArray[Any] | None = None,
    ) -> None: ...

class SparseRows:
    """CSR rows, y (n,), weight (n,), and the order of the steps or None."""

    def __init__(
        self,
        *,
        data: numpy.typing.NDArray[Any],
        indices: numpy.typing.NDArray[Any],
        indptr: numpy.typing.NDArray[Any],
        y: numpy.typing.NDArray[Any],
        weight: numpy.typing.NDArray[Any],
        order: numpy.typing.NDArray[Any] | None = None,
    ) -> None: ...

class DenseSketch:
    """Changing arrays of a dense run of one target that keeps a sketch."""

    def __init__(
        self,
        *,
        w: numpy.typing.NDArray[Any],
        anchor: numpy.typing.NDArray[Any],
        local: numpy.typing.NDArray[Any],
        moments: numpy.typing.NDArray[Any],
        pair_rows: numpy.typing.NDArray[Any],
        pair_opened: numpy.typing.NDArray[Any],
        tally: numpy.typing.NDArray[Any],
    ) -> None: ...

class SparseRun:
    """Changing arrays of a run over sparse rows of one target."""

    def __init__(
        self,
        *,
        w: numpy.typing.NDArray[Any],
        moments: numpy.typing.NDArray[Any],
        product: numpy.typing.NDArray[Any],
        tally: numpy.typing.NDArray[Any],
        centre: numpy.typing.NDArray[Any],
        centre_square: float,
    ) -> None: ...

class MiniBatch:
    """An open mini-batch: rows of its size are in gradient (d,)."""

    def __init__(self, *, size: int, rows: int, gradient: numpy.typing.NDArray[Any]) -> None: ...

class Touched:
    """Columns that an open mini-batch of sparse rows has touched."""

    def __init__(self, *, marked: numpy.typing.NDArray[Any], listed: numpy.typing.NDArray[Any], count: int) -> None: ...

class RowProducts:
    """Directions (k, d); products (n, 2 + k) gets 1, y and <x, direction>."""

    def __init__(self, *, directions: numpy.typing.NDArray[Any], products: numpy.typing.NDArray[Any]) -> None: ...

def scatter_steps(
    order: numpy.typing.NDArray[Any],
    steps: numpy.typing.NDArray[Any],
    places: numpy.typing.NDArray[Any],
    out: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill out (m + k,) with order (m,) and steps (k,), each after the first places (k,) rows of order.
    """

def sketch_steps(
    rows: DenseRows,
    problem: Problem,
    sketch: DenseSketch,
    blocks: numpy.typing.NDArray[Any],
    products: RowProducts | None = None,
) -> tuple[End, int]:
    """
    Take a step per dense row through blocks (b, 5) and add the increments to the sketch.
    """

def close_chunk(sketch: DenseSketch, place: Place, open_pair: bool) -> None:
    """
    Add the step of an open pair and the open chunk to the moments, as if the run ended here.
    """

def replay_steps(
    rows: DenseRows,
    problem: Problem,
    w: numpy.typing.NDArray[Any],
    gains: numpy.typing.NDArray[Any],
    tally: numpy.typing.NDArray[Any],
) -> tuple[End, int]:
    """Take a step per dense row and keep its gain."""

def sketch_batches(
    rows: DenseRows,
    problem: Problem,
    batch: MiniBatch,
    sketch: DenseSketch,
    place: Place,
    gains: numpy.typing.NDArray[Any],
) -> tuple[End, int]:
    """Take a step per mini-batch of dense rows within one block of a sketch."""

def close_sketch_batch(batch: MiniBatch, sketch: DenseSketch, place: Place) -> None:
    """Take the step of an open mini-batch of dense rows."""

def replay_batches(
    rows: DenseRows,
    problem: Problem,
    batch: MiniBatch,
    w: numpy.typing.NDArray[Any],
    gains: numpy.typing.NDArray[Any],
    tally: numpy.typing.NDArray[Any],
) -> tuple[End, int]:
    """Take a step per mini-batch of dense rows and keep the gains."""

def csr_steps(
    rows: SparseRows, problem: Problem, run: SparseRun, place: Place, gains: numpy.typing.NDArray[Any]
) -> tuple[End, int]:
    """Take a step per sparse row within one block."""

def csr_batches(
    rows: SparseRows,
    problem: Problem,
    run: SparseRun,
    batch: MiniBatch,
    touched: Touched,
    place: Place,
    gains: numpy.typing.NDArray[Any],
) -> tuple[End, int, int]:
    """
    Take a step per mini-batch of sparse rows within one block; also returns the columns touched.
    """

def close_csr_batch(run: SparseRun, batch: MiniBatch, touched: Touched, place: Place) -> None:
    """Take the step of an open mini-batch of sparse rows."""

class GrowthSums:
    """Minus the logarithms of discounts, of L strengths, at marks."""

    def __init__(
        self,
        growth: numpy.typing.NDArray[Any],
        past: numpy.typing.NDArray[Any],
        left: numpy.typing.NDArray[Any],
        total: numpy.typing.NDArray[Any],
    ) -> None: ...

class SeriesBlocks:
    """Columns of raw steps; column, half length, stair, shares of blocks."""

    def __init__(
        self,
        raw_columns: numpy.typing.NDArray[Any],
        first_columns: numpy.typing.NDArray[Any],
        halves: numpy.typing.NDArray[Any],
        stair: numpy.typing.NDArray[Any],
        shares: numpy.typing.NDArray[Any],
    ) -> None: ...

def fill_ridge_series(
    sums: GrowthSums,
    blocks: SeriesBlocks,
    nodes: numpy.typing.NDArray[Any],
    transform: numpy.typing.NDArray[Any],
    flat: float,
    coefficients: numpy.typing.NDArray[Any],
    errors: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill coefficients (L, columns) and errors (L,) with the Chebyshev series of geometric averages.
    """

def keep_series(
    series: numpy.typing.NDArray[Any],
    shares: numpy.typing.NDArray[Any],
    first_columns: numpy.typing.NDArray[Any],
    coefficients: numpy.typing.NDArray[Any],
    errors: numpy.typing.NDArray[Any],
) -> None:
    """
    Put series (L, blocks, nodes) into the columns of coefficients (L, columns); fill errors (L,).
    """

def add_dense_rows(
    X: numpy.typing.NDArray[Any],
    gains: numpy.typing.NDArray[Any],
    factors: numpy.typing.NDArray[Any],
    sums: numpy.typing.NDArray[Any],
) -> None:
    """
    sums[s, q] += sum_i factors[i, s] gains[i, q] X[i]; X (n, d), gains (n, k), factors (n, m), sums (m, k, d).
    """

def add_csr_rows(
    data: numpy.typing.NDArray[Any],
    indices: numpy.typing.NDArray[Any],
    indptr: numpy.typing.NDArray[Any],
    gains: numpy.typing.NDArray[Any],
    factors: numpy.typing.NDArray[Any],
    sums: numpy.typing.NDArray[Any],
) -> None:
    """
    sums[c, q, s] += sum_i factors[i, s] gains[i, q] x_ic; gains (n, k), factors (n, m), sums (d, k, m).
    """

def add_mixed(part: numpy.typing.NDArray[Any], mix: numpy.typing.NDArray[Any], sums: numpy.typing.NDArray[Any]) -> None:
    """
    sums += part @ mix, each row by itself; part (n, m), mix (m, L) finite, sums (n, L).
    """

def fill_geometric_survival(
    past: numpy.typing.NDArray[Any],
    left: numpy.typing.NDArray[Any],
    total: numpy.typing.NDArray[Any],
    flat: float,
    values: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill values (L, J) with the survival of geometric averages whose total (L,) is not below flat.
    """

class EventStairs:
    """Steps of a run: of each stair log(eta / (1 + x)) and log(1 + x), (S,)."""

    def __init__(
        self, log_rates: numpy.typing.NDArray[Any], growths: numpy.typing.NDArray[Any], log_alpha: float
    ) -> None: ...

class EventLaws:
    """
    Laws of counts: masses before and left (n + 1, m), past (S - n, m); tails.
    """

    def __init__(
        self,
        before: numpy.typing.NDArray[Any],
        left: numpy.typing.NDArray[Any],
        left_tails: numpy.typing.NDArray[Any],
        past: numpy.typing.NDArray[Any],
        past_tails: numpy.typing.NDArray[Any],
    ) -> None: ...

def fill_event_laws(
    stairs: EventStairs, lengths: numpy.typing.NDArray[Any], tops: numpy.typing.NDArray[Any], laws: EventLaws
) -> None:
    """
    Fill laws, which hold -inf, from the lengths of the stairs that end and their log tails at m, (S - 1,).
    """

def log_events_between(
    stairs: EventStairs,
    laws: EventLaws,
    stair: numpy.typing.NDArray[Any],
    done: numpy.typing.NDArray[Any],
    to_do: numpy.typing.NDArray[Any],
    tops: numpy.typing.NDArray[Any],
    values: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill values (J,) with log P(j <= G <= T) / alpha^m at places on stairs up to T + 1.
    """

def log_events_beyond(
    stairs: EventStairs,
    laws: EventLaws,
    stair: numpy.typing.NDArray[Any],
    done: numpy.typing.NDArray[Any],
    tops: numpy.typing.NDArray[Any],
    values: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill values (J,) with log P(T < G < j) / alpha^m at places on stairs beyond T + 1.
    """

def log_waiting_probabilities(
    lengths: numpy.typing.NDArray[Any],
    sizes: numpy.typing.NDArray[Any],
    stair: numpy.typing.NDArray[Any],
    done: numpy.typing.NDArray[Any],
    ahead: numpy.typing.NDArray[Any],
    time: float,
    kind: int,
    floor: float,
    values: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill values (J,) with log P(X <= t), log P(X > t) or the log density (kind 0, 1, 2) of sums of Gamma times.
    """

class RiskState:
    """What risk_backwards carries from step to step: arrays (d,)."""

    def __init__(
        self,
        g: numpy.typing.NDArray[Any],
        u: numpy.typing.NDArray[Any],
        gains: numpy.typing.NDArray[Any] | None = None,
        discounted_gains: numpy.typing.NDArray[Any] | None = None,
    ) -> None: ...

def risk_backwards(
    weights: numpy.typing.NDArray[Any],
    s: numpy.typing.NDArray[Any],
    fall: numpy.typing.NDArray[Any],
    share: float,
    excess_kurtosis: float,
    state: RiskState,
) -> float:
    """
    Carry the risk of an average back through steps of one size, with weights (n,); s and fall (d,).
    """

def add_squared_gains(
    weights: numpy.typing.NDArray[Any],
    fall: numpy.typing.NDArray[Any],
    share: float,
    g: numpy.typing.NDArray[Any],
    sums: numpy.typing.NDArray[Any],
) -> None:
    """
    Add to sums (d,) share times the squares of g_j over steps with weights (n,); fall and g (d,).
    """

def squared_sums(
    x_powers: numpy.typing.NDArray[Any],
    y_powers: numpy.typing.NDArray[Any],
    n: int,
    sums: numpy.typing.NDArray[Any],
    powers: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill sums and powers (K, d) with sums of squared geometric sums; x_powers (K, levels), y_powers (levels, d).
    """

def regularised_steps(
    X: numpy.typing.NDArray[Any],
    y: numpy.typing.NDArray[Any],
    alpha: float,
    step: float,
    centre: numpy.typing.NDArray[Any],
    iterates: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill iterates (n + 1, d) from its first row on, one step of ridge SGD for each row of X (n, d).
    """

class Words:
    """
    Words of n rows: row i has buckets and values starts[i] to ends[i] - 1.
    """

    def __init__(
        self,
        starts: numpy.typing.NDArray[Any],
        ends: numpy.typing.NDArray[Any],
        buckets: numpy.typing.NDArray[Any],
        values: numpy.typing.NDArray[Any],
    ) -> None: ...

class OpenRows:
    """CSR rows to append to: the next entry of row i goes to places[i]."""

    def __init__(
        self, places: numpy.typing.NDArray[Any], indices: numpy.typing.NDArray[Any], data: numpy.typing.NDArray[Any]
    ) -> None: ...

def hash_strings(
    data: numpy.typing.NDArray[Any], offsets: numpy.typing.NDArray[Any], buckets: int, out: numpy.typing.NDArray[Any]
) -> None:
    """
    Fill out (n,) with the bucket of each string: its 64-bit FNV-1a hash, spread, modulo buckets.
    """

def count_words(
    data: numpy.typing.NDArray[Any], offsets: numpy.typing.NDArray[Any], out: numpy.typing.NDArray[Any]
) -> None:
    """Fill out (n,) with the number of words of each string."""

def hash_words(
    data: numpy.typing.NDArray[Any],
    offsets: numpy.typing.NDArray[Any],
    starts: numpy.typing.NDArray[Any],
    buckets: int,
    out: numpy.typing.NDArray[Any],
) -> None:
    """
    Fill out[starts[i]:starts[i + 1]] with the buckets of the words of string i, in increasing order.
    """

def join_words(
    buckets: numpy.typing.NDArray[Any],
    starts: numpy.typing.NDArray[Any],
    ends: numpy.typing.NDArray[Any],
    values: numpy.typing.NDArray[Any],
) -> None:
    """
    Join equal buckets of each row in place; values become counts over their norm, ends[i] where row i ends.
    """

def fill_dense(
    codes: numpy.typing.NDArray[Any], values: numpy.typing.NDArray[Any], out: numpy.typing.NDArray[Any]
) -> None:
    """
    Put values (slots, n) into the columns codes (slots, n) of out (n, d); a code of -1 is no entry.
    """

def fill_dense_words(words: Words, first: int, out: numpy.typing.NDArray[Any]) -> None:
    """
    Put the words of each row into the columns of out (n, d) from first on.
    """

def fill_sparse(codes: numpy.typing.NDArray[Any], values: numpy.typing.NDArray[Any], rows: OpenRows) -> None:
    """
    Append the entries that are not 0, of codes and values (slots, n), to rows (n, d).
    """

def fill_sparse_words(words: Words, first: int, rows: OpenRows) -> None:
    """
    Append the words of each row to rows (n, d), in the columns from first on.
    """

class BlockSteps:
    """
    A block's rows, gram (b, n) with their own columns from first on, and their steps: order and begins (b,), rates (b, runs).
    """

    def __init__(
        self,
        gram: numpy.typing.NDArray[Any],
        first: int,
        order: numpy.typing.NDArray[Any],
        begins: numpy.typing.NDArray[Any],
        rates: numpy.typing.NDArray[Any],
    ) -> None: ...

def substitute(block: BlockSteps, residuals: numpy.typing.NDArray[Any], gains: numpy.typing.NDArray[Any]) -> None:
    """
    Step through the rows of a block: change residuals (b, runs, targets) in place and fill gains.
    """
