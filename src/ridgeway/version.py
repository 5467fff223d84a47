"""The version of ridgeway."""

__version__ = "0.1.0"
