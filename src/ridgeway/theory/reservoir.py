"""A uniform sample of the rows of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Reservoir:
    """A uniform random sample of the rows of a stream: the rows with the smallest random keys.

    Parameters
    ----------
    most : number of rows to keep.
    rng : random numbers for the keys.

    Attributes
    ----------
    rows, labels : the sample so far, in the order of the stream; None before the first row.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.theory.reservoir import Reservoir
    >>> kept = Reservoir(3, np.random.default_rng(0))
    >>> for start in (0, 10):
    ...     kept.add(np.arange(start, start + 10.0)[:, None], np.arange(start, start + 10.0))
    >>> kept.rows.shape, len(kept.labels)
    ((3, 1), 3)
    """

    def __init__(self, most: int, rng: np.random.Generator) -> None:
        self.most, self._rng = most, rng
        self.rows: Any = None
        self.labels: NDArray[np.float64] = np.empty(0)
        self._keys: NDArray[np.float64] = np.empty(0)

    def add(self, rows: Any, labels: NDArray[np.float64]) -> None:
        """Add the next rows of the stream, an array or a CSR matrix, and their labels."""
        sparse = scipy.sparse.issparse(rows)
        if self.rows is not None:
            rows = scipy.sparse.vstack([self.rows, rows], format="csr") if sparse else np.concatenate([self.rows, rows])
        labels = np.concatenate([self.labels, labels])
        keys = np.concatenate([self._keys, self._rng.random(len(labels) - len(self._keys))])
        kept = np.sort(np.argsort(keys, kind="stable")[: self.most])
        self.rows, self.labels, self._keys = rows[kept], labels[kept], keys[kept]
