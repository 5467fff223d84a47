"""A state split into its arrays by name, and JSON that refers to each array by its name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.storage.state import State, StateError

ARRAY = "$array"
AXES = "$axes"  # how the axes of an array lay in memory, which sums depend on in their last bits


def split(state: State) -> tuple[State, dict[str, NDArray[Any]]]:
    """Return JSON and arrays of a state.

    Examples
    --------
    >>> import numpy as np
    >>> json, arrays = split({"step": 0.5, "chain": {"start": np.zeros(2)}})
    >>> json
    {'step': 0.5, 'chain': {'start': {'$array': 'chain.start'}}}
    >>> list(arrays)
    ['chain.start']
    """
    arrays: dict[str, NDArray[Any]] = {}

    def part(value: Any, name: str) -> Any:
        if isinstance(value, np.ndarray):
            return _named_array(value, name, arrays)
        if isinstance(value, dict):
            return {key: part(entry, f"{name}.{key}" if name else key) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return [part(entry, f"{name}.{i}") for i, entry in enumerate(value)]
        return value

    return part(state, ""), arrays


def with_arrays(json: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return the state of JSON and arrays; an array that is not referred to exactly once is an error."""
    waiting = dict(arrays)

    def part(value: Any) -> Any:
        if isinstance(value, list):
            return [part(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        if ARRAY not in value:
            return {key: part(entry) for key, entry in value.items()}
        name = value[ARRAY]
        if not isinstance(name, str) or name not in waiting:
            raise StateError(f"the array {name!r} is missing, or is named twice.")
        return _laid_out(waiting.pop(name), value.get(AXES))

    state = part(json)
    if waiting:
        raise StateError(f"nothing refers to the array {min(waiting)!r}.")
    return state


def _named_array(array: NDArray[Any], name: str, arrays: dict[str, NDArray[Any]]) -> State:
    axes = sorted(range(array.ndim), key=lambda axis: (-array.strides[axis], axis))
    ordered = array.transpose(axes)
    if axes == list(range(array.ndim)) or not ordered.flags.c_contiguous or array.flags.c_contiguous:
        arrays[name] = np.ascontiguousarray(array)
        return {ARRAY: name}
    arrays[name] = ordered
    return {ARRAY: name, AXES: axes}


def _laid_out(array: NDArray[Any], axes: Any) -> NDArray[Any]:
    """Return the array with its axes in their places, in the memory order that it was stored in."""
    if axes is None:
        return array
    if not isinstance(axes, list) or sorted(map(repr, axes)) != sorted(map(repr, range(array.ndim))):
        raise StateError(f"{axes!r} are not the axes of an array of {array.ndim} dimensions.")
    return array.transpose(np.argsort(axes))
