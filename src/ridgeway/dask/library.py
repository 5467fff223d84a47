"""dask and distributed, which run the tasks; if they are missing, the error says how to install them."""

from __future__ import annotations

try:
    import dask.array as dask_array
    import distributed

    import dask
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"{error.name} is not installed: fits on a cluster need it; pip install 'ridgeway[dask,cli]'.", name=error.name
    ) from None

__all__ = ["dask", "dask_array", "distributed"]
