"""Fits and predictions on a dask cluster: the same model, from rows that never leave the workers."""

from importlib.util import find_spec

for _name in ("dask", "distributed"):
    if find_spec(_name) is None:
        raise ModuleNotFoundError(
            f"{_name} is not installed: fits on a cluster need it; pip install 'ridgeway[dask,cli]'.", name=_name
        )

from ridgeway.dask.cluster_error import ClusterError
from ridgeway.dask.fitting import fit
from ridgeway.dask.predicting import predict

__all__ = ["ClusterError", "fit", "predict"]
