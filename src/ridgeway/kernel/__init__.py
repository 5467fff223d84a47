"""Kernels: runs and averages of functions, each given by one coefficient per row."""
