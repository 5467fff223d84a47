"""The version of ridgeway."""

__version__ = "0.2.0"
