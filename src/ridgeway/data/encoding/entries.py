"""Entries of rows, slot by slot: in slot s, row i has ``values[s, i]`` in column ``codes[s, i]``, or nothing at -1."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
Values: TypeAlias = NDArray[Any]
Places: TypeAlias = NDArray[np.int64]
