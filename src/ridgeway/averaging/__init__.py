"""Averaging schemes: the survival functions that turn the increments of a run into an averaged iterate."""

from ridgeway.averaging.exponential import Exponential
from ridgeway.averaging.geometric import Geometric
from ridgeway.averaging.last import Last
from ridgeway.averaging.negative_binomial import NegativeBinomial
from ridgeway.averaging.poisson import Poisson
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase
from ridgeway.averaging.stored_schemes import SCHEMES, scheme_of
from ridgeway.averaging.tail import Tail
from ridgeway.averaging.uniform import Uniform

__all__ = [
    "SCHEMES",
    "Exponential",
    "Geometric",
    "Last",
    "NegativeBinomial",
    "Poisson",
    "Scheme",
    "Staircase",
    "Tail",
    "Uniform",
    "scheme_of",
]
