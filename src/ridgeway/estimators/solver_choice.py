"""Which engine solves a problem: Gram, Krylov or SGD, by what each would cost.

The constants are seconds of one core (x86-64-v4, OpenBLAS on one thread), measured once. What matters are their ratios:
a choice is wrong only where two engines cost about the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ridgeway.estimators.solver_facts import AS_REQUESTED
from ridgeway.machine.available_memory import available_memory
from ridgeway.messages.quantity import quantity
from ridgeway.rows import Batch, SparseRows

# A dense row of d numbers has d^2 products for a Gram matrix, a sparse one the square of the numbers it stores.
GRAM_SECONDS_PER_DENSE_PRODUCT = 3.2e-11
GRAM_SECONDS_PER_SPARSE_PRODUCT = 1.5e-8
GRAM_SECONDS_PER_NUMBER = 1.5e-8  # standardization, folds and a second read that rates outliers
EIGEN_SECONDS_PER_CUBE = 3e-10  # a decomposition of d columns takes d^3 of these
# The costs of a product are for each column of the recurrence: one for each fold and target, and those of all rows.
KRYLOV_SECONDS_PER_DENSE_NUMBER = 4e-10
KRYLOV_SECONDS_PER_SPARSE_NUMBER = 1.5e-9
KRYLOV_SECONDS_PER_VECTOR_NUMBER = 4e-9  # orthogonalization against one earlier vector
KRYLOV_PRODUCTS = 25  # a fit typically takes these: 5 to 10 for similar columns, more for weak strengths
KRYLOV_HELD_PRODUCTS = 80  # the vectors of this many products have to fit into memory
MIN_KRYLOV_PRODUCTS = 25  # a fit makes at least these before it turns to Gram matrices
# The costs of a step are for six runs and their sketches.
SGD_SECONDS_PER_STEP = 5e-7
SGD_SECONDS_PER_DENSE_NUMBER = 6e-9
SGD_SECONDS_PER_SPARSE_NUMBER = 3e-7
MIN_SGD_STEPS = 1_000_000
MIN_SGD_SPEEDUP = 2.0  # SGD is not exact: it is chosen only if it is this many times as fast as the exact engines
# The Gram engine solves every strength and takes more rows later, so it is preferred to a faster one while it is short.
# With more rows than columns, where Krylov solves the best strength only, it may take longer: up to twice as long as
# Krylov.
MAX_PREFERRED_GRAM_SECONDS, MAX_PREFERRED_GRAM_SECONDS_TALL = 0.02, 0.1
MAX_GRAM_TIMES_KRYLOV = 2.0
SOLVER_MEMORY_SHARE = 0.5  # an engine may take this share of the available memory
MAX_STREAM_COLUMNS = 2000  # a stream of more columns keeps no Gram matrices


@dataclass(frozen=True)
class ProblemSize:
    """What the costs depend on.

    Attributes
    ----------
    n_rows, n_columns, n_targets : numbers of these.
    n_stored : numbers stored in all rows.
    sparse : whether rows are sparse.
    n_folds : models beside the one of all rows.
    itemsize : bytes of a number.
    """

    n_rows: int
    n_columns: int
    n_targets: int
    n_stored: int
    sparse: bool
    n_folds: int
    itemsize: int

    @classmethod
    def of(cls, batch: Batch, n_folds: int) -> ProblemSize:
        """Return the size of a batch."""
        rows = batch.rows
        n, d = rows.shape
        sparse = isinstance(rows, SparseRows)
        n_stored = int(rows.indptr[-1] - rows.indptr[0]) if isinstance(rows, SparseRows) else n * d
        return cls(n, d, batch.y.shape[1], n_stored, sparse, n_folds, rows.dtype.itemsize)

    @property
    def gram_seconds(self) -> float:
        """Time of the Gram engine."""
        products = GRAM_SECONDS_PER_DENSE_PRODUCT * self.n_rows * self.n_columns**2
        if self.sparse:
            products = GRAM_SECONDS_PER_SPARSE_PRODUCT * self.n_stored**2 / self.n_rows
        return (
            products
            + GRAM_SECONDS_PER_NUMBER * self.n_stored
            + (self.n_folds + 1) * EIGEN_SECONDS_PER_CUBE * self.n_columns**3
        )

    @property
    def krylov_seconds(self) -> float:
        """Time of the Krylov engine; a space has no more directions than there are rows or columns."""
        products = min(KRYLOV_PRODUCTS, self.n_rows, self.n_columns)
        return products * (self._product_seconds + self._orthogonal_seconds * products)

    @property
    def _product_seconds(self) -> float:
        """Time of a product with the rows."""
        rows = (KRYLOV_SECONDS_PER_SPARSE_NUMBER if self.sparse else KRYLOV_SECONDS_PER_DENSE_NUMBER) * self.n_stored
        return (self.n_folds + 1) * self.n_targets * rows

    @property
    def _orthogonal_seconds(self) -> float:
        """Time to make the vectors of a product orthogonal to those of one product before."""
        return (self.n_folds + 1) * self.n_targets * KRYLOV_SECONDS_PER_VECTOR_NUMBER * self.n_columns

    def krylov_products(self, seconds: float) -> int:
        """Return how many products the Krylov engine makes in `seconds`."""
        a, b = self._orthogonal_seconds, self._product_seconds
        return int(2 * seconds / (b + math.sqrt(b**2 + 4 * a * seconds)))

    @property
    def sgd_seconds(self) -> float:
        """Time of SGD."""
        number = SGD_SECONDS_PER_SPARSE_NUMBER if self.sparse else SGD_SECONDS_PER_DENSE_NUMBER
        return (
            max(self.n_rows, MIN_SGD_STEPS)
            * self.n_targets
            * (SGD_SECONDS_PER_STEP + number * self.n_stored / self.n_rows)
        )

    @property
    def gram_bytes(self) -> int:
        """Memory of the Gram engine: matrices of each fold and of its complement."""
        return 8 * (3 * self.n_folds + 4) * self.n_columns**2

    @property
    def krylov_bytes(self) -> int:
        """Memory of the Krylov engine: standardized rows, vectors of all columns, products at held-out rows."""
        columns, products = (self.n_folds + 1) * self.n_targets, KRYLOV_HELD_PRODUCTS
        vectors = columns * (products * self.n_columns + 3 * self.n_rows) + self.n_targets * products * self.n_rows
        return self.n_stored * (self.itemsize + 4 * self.sparse) + 8 * vectors


class SolverChoice(NamedTuple):
    """The engine, and one sentence on why it is this one."""

    solver: str
    reason: str


def choose_solver(size: ProblemSize, memory: int | None = None) -> SolverChoice:
    """Return the engine that solves a problem of rows in memory soonest within the memory there is.

    SGD is not exact, so it is taken only where it is at least twice as fast, or where nothing else fits.

    Parameters
    ----------
    size : of the problem.
    memory : bytes; half of what is available by default.
    """
    memory = _free_memory() if memory is None else memory
    rows = quantity(size.n_rows, f"{'sparse ' if size.sparse else ''}row")
    form = f"{rows} of {quantity(size.n_columns, 'column')}"
    seconds = {"gram": size.gram_seconds, "krylov": size.krylov_seconds}
    fits = {"gram": size.gram_bytes <= memory, "krylov": size.krylov_bytes <= memory}
    exact = [name for name in seconds if fits[name]]
    if not exact:
        return SolverChoice(
            "sgd", f"{form}: neither Gram matrices nor a Krylov space fit into {memory / 2**20:,.0f} MB"
        )
    best = "gram" if fits["gram"] and _prefers_gram(size) else min(exact, key=seconds.__getitem__)
    if MIN_SGD_SPEEDUP * size.sgd_seconds < seconds[best]:
        return SolverChoice("sgd", f"{form}: SGD takes about {size.sgd_seconds / seconds[best]:.0%} of the time")
    why = f"{form} fit into Gram matrices in one read" if best == "gram" else f"a few products with {form} cost least"
    return SolverChoice(best, why)


def _prefers_gram(size: ProblemSize) -> bool:
    seconds = size.gram_seconds
    if seconds < MAX_PREFERRED_GRAM_SECONDS:
        return True
    tall = size.n_rows > size.n_columns
    return tall and seconds < min(MAX_PREFERRED_GRAM_SECONDS_TALL, MAX_GRAM_TIMES_KRYLOV * size.krylov_seconds)


def max_krylov_products(size: ProblemSize, memory: int | None = None) -> int | None:
    """Return after how many products a fit should turn to Gram matrices; None where these do not fit into memory.

    How many products a fit takes depends on the data. If it gives up when Gram matrices would have been done, it takes
    at most about twice the time of the better engine.

    Parameters
    ----------
    size : of the problem.
    memory : bytes; half of what is available by default.
    """
    fits = size.gram_bytes <= (_free_memory() if memory is None else memory)
    return max(MIN_KRYLOV_PRODUCTS, size.krylov_products(size.gram_seconds)) if fits else None


def _free_memory() -> int:
    there = available_memory()
    return 2**62 if there is None else int(SOLVER_MEMORY_SHARE * there)


def choose_stream_solver(solver: str, n_columns: int) -> SolverChoice:
    """Return the engine of a stream, which sees each row once.

    Parameters
    ----------
    solver : that can learn from streams, or "auto", which means Gram matrices as long as columns are few.
    n_columns : number of columns.
    """
    if solver != "auto":
        return SolverChoice(solver, AS_REQUESTED)
    if n_columns <= MAX_STREAM_COLUMNS:
        return SolverChoice(
            "gram", f"a stream of {quantity(n_columns, 'column')}: matrices add up, in any order of the rows"
        )
    return SolverChoice("sgd", f"a stream of {quantity(n_columns, 'column')}: too many for Gram matrices")
