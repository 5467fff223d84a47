"""Kernels: the same runs and averages over functions, told by one coefficient per row."""
