"""ClusterError: what went wrong on the cluster, at which partition, and what to do about it."""

from __future__ import annotations


class ClusterError(RuntimeError):
    """The cluster cannot do the work; the message names the partition, got, expected and remedy."""
