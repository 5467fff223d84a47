"""Fits and predictions on a dask cluster: the same model, from rows that never leave the workers."""

from ridgeway.dask.cluster_error import ClusterError
from ridgeway.dask.fitting import fit
from ridgeway.dask.predicting import predict

__all__ = ["ClusterError", "fit", "predict"]
