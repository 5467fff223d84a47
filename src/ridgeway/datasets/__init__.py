"""Embedded real data, for examples, tests and measurements without a network."""

from ridgeway.datasets.flights import Flights, load_flights

__all__ = ["Flights", "load_flights"]
