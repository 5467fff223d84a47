"""Parameters of an estimator as plain values, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ridgeway.averaging import SCHEMES, Scheme, scheme_of
from ridgeway.messages.user_warning import warn_user
from ridgeway.sgd import GrowingStep, LimitedStep
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.trajectory import Layout

OBJECTS: dict[str, tuple[type[Any], Callable[[Stored], Any]]] = {
    "scheme": (Scheme, scheme_of),
    "layout": (Layout, Layout.from_state),
    "step": (LimitedStep, LimitedStep.from_state),
    "growing_step": (GrowingStep, GrowingStep.from_state),
}


def parameters_state(estimator: Any) -> State:
    """Return the parameters of an estimator.

    A parameter that no file can hold (a random generator, a splitter) is replaced by its default, with a warning; it
    matters only for a new fit.
    """
    defaults = type(estimator)().get_params()
    state: State = {}
    for name, value in estimator.get_params(deep=False).items():
        state[name] = _value_state(name, value, defaults[name])
    return state


def parameters_of(stored: Stored, names: Sequence[str], added: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the parameters of these names; those that were `added` later may be missing and then have their values."""
    missing = {name: value for name, value in (added or {}).items() if name not in stored}
    return {**{name: _value_of(stored, name) for name in names if name not in missing}, **missing}


def _value_state(name: str, value: Any, default: Any) -> Any:
    if isinstance(value, Scheme) and type(value) not in SCHEMES.values():
        raise ValueError(
            f"{name}={value!r} cannot be stored: expected {', '.join(SCHEMES)}, which every installation of ridgeway "
            "knows; fit with one of these, or pickle the model."
        )
    for kind, (of_type, _) in OBJECTS.items():
        if isinstance(value, of_type):
            return {kind: value.state()}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    warn_user(
        f"{name}={type(value).__name__} cannot be stored: the saved model has {name}={default!r}, which matters for a "
        "new fit only.",
    )
    return default


def _value_of(stored: Stored, name: str) -> Any:
    value = stored.raw(name)
    if not isinstance(value, dict):
        if not (value is None or isinstance(value, bool | int | float | str)):
            raise StateError(
                f"the parameter {name} is a {type(value).__name__}: expected a number, a text or a scheme."
            )
        return value
    part = stored.part(name)
    for kind, (_, make) in OBJECTS.items():
        if kind in part:
            return make(part.part(kind))
    raise StateError(f"the parameter {name} is of an unknown type: expected {', '.join(OBJECTS)} or a plain value.")
