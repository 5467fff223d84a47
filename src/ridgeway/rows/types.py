"""Names of the types that rows and everything made of them share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.floating[Any]]
Scalar: TypeAlias = Any  # a number in the precision of the rows
Order: TypeAlias = NDArray[np.intp] | range  # numbers of rows, in turn; a range for neighbours in their own order
FLOAT64 = np.dtype(np.float64)


def numbered(order: Order) -> NDArray[np.intp]:
    """Return the numbers of an order as an array; numpy makes one of a range at a fiftieth of the speed."""
    return np.arange(order.start, order.stop, order.step) if isinstance(order, range) else order
