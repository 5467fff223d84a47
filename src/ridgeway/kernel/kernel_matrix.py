"""Products with a kernel matrix of which one triangle is computed, and as much of it kept as memory allows.

The matrix is symmetric, so a strip of it, some rows against themselves and all rows that follow, serves twice: as it is
and transposed. That halves the memory of the matrix and the time to compute it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.machine.blas import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.kernel.kernel_entries import KernelEntries
    from ridgeway.rows import Float

    Array = NDArray[np.float64]

STRIP_ROWS = 128
TILE_COLUMNS = 1024  # of a strip that are multiplied while they lie in the cache of the processor
N_SUMS = 8  # strips are added up in so many sums, whatever the threads: results do not depend on these


class KernelMatrix:
    """A kernel matrix that vectors are multiplied by.

    Parameters
    ----------
    entries : where its numbers come from.
    cache_bytes : memory for strips that are kept; the others are computed again for each product.
    n_threads : threads that compute and multiply strips.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.kernel.kernel_entries import GivenEntries
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> KernelMatrix(GivenEntries(K), cache_bytes=0).times(np.array([[1.0, 1.0]]))
    array([[3., 3.]])
    """

    def __init__(self, entries: KernelEntries, cache_bytes: float, n_threads: int = 1) -> None:
        self.entries = entries
        self._n_threads = n_threads
        n, itemsize = len(entries), entries.dtype.itemsize
        self._starts = range(0, n, STRIP_ROWS)
        sizes = np.array([itemsize * min(STRIP_ROWS, n - start) * (n - start) for start in self._starts], np.float64)
        self._keeps = np.cumsum(sizes) <= cache_bytes  # decided beforehand: threads come in any order
        self._kept: dict[int, Float] = {}

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the entries, in which products of strips are made; these are added up in float64."""
        return self.entries.dtype

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def nbytes(self) -> int:
        """Memory of the strips that are kept."""
        return sum(strip.nbytes for strip in self._kept.values())

    def times(self, V: Array) -> Array:
        """Return V K for vectors V (k, n): (k, n)."""
        W = np.ascontiguousarray(V.T, self.dtype)  # BLAS multiplies tall arrays in two thirds of the time
        with one_thread():
            if self._n_threads == 1:
                sums = [self._sum(group, W) for group in range(N_SUMS)]
            else:
                with ThreadPoolExecutor(self._n_threads) as pool:
                    sums = list(pool.map(lambda group: self._sum(group, W), range(N_SUMS)))
        product: Array = np.sum(sums, axis=0)
        return np.ascontiguousarray(product.T)

    def _sum(self, group: int, W: Float) -> Array:
        """Return the share of every eighth strip in the product K W, (n, k)."""
        total = np.zeros(W.shape)
        for number in range(group, len(self._starts), N_SUMS):
            start, strip = self._starts[number], self._strip(number)
            stop = start + len(strip)
            for first in range(0, strip.shape[1], TILE_COLUMNS):
                tile = strip[:, first : first + TILE_COLUMNS]
                place = slice(start + first, start + first + tile.shape[1])
                total[start:stop] += tile @ W[place]
                beyond = max(0, len(strip) - first)  # columns of the diagonal block, which serves once
                if beyond < tile.shape[1]:
                    total[place.start + beyond : place.stop] += tile[:, beyond:].T @ W[start:stop]
        return total

    def _strip(self, number: int) -> Float:
        """Return the kernel of some rows with themselves and all that follow."""
        kept = self._kept.get(number)
        if kept is not None:
            return kept
        start = self._starts[number]
        strip = self.entries.strip(start, min(start + STRIP_ROWS, len(self.entries)))
        if self._keeps[number]:
            self._kept[number] = strip
        return strip
