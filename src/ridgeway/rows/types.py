"""Names of the types that rows and everything made of them share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.floating[Any]]
Scalar: TypeAlias = Any  # a number in the precision of the rows
Order: TypeAlias = NDArray[np.intp] | range  # numbers of rows, in turn; a range for neighbours in their own order
FLOAT64 = np.dtype(np.float64)
