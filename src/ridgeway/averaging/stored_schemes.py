"""Averaging schemes from their stored states."""

from __future__ import annotations

from dataclasses import fields

from ridgeway.averaging.exponential import Exponential
from ridgeway.averaging.geometric import Geometric
from ridgeway.averaging.last import Last
from ridgeway.averaging.negative_binomial import NegativeBinomial
from ridgeway.averaging.poisson import Poisson
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.tail import Tail
from ridgeway.averaging.uniform import Uniform
from ridgeway.storage.class_registry import ClassRegistry
from ridgeway.storage.state import Stored

MAX_STORED_ORDER = 1000  # the time that an average takes grows with it
SCHEMES: ClassRegistry[Scheme] = ClassRegistry(
    "scheme", (Geometric, Uniform, Tail, Last, NegativeBinomial, Poisson, Exponential)
)


def scheme_of(stored: Stored) -> Scheme:
    """Return the scheme of a state; the scheme checks its parameters itself.

    Examples
    --------
    >>> from ridgeway.averaging import Tail
    >>> scheme_of(Stored(Tail(0.5).state()))
    Tail(start=0.5)
    """
    kind = SCHEMES.class_of(stored)
    if kind is NegativeBinomial:
        stored.integer("order", 1, MAX_STORED_ORDER)
    return kind(**{field.name: stored.raw(field.name) for field in fields(kind)})
