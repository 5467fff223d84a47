"""Import pyarrow, which reads files and holds tables; if it is missing, the error says how to install it."""

from __future__ import annotations

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pcsv
    import pyarrow.parquet as pq
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "pyarrow is not installed: files and tables need it; pip install 'ridgeway[cli]'."
    ) from None

__all__ = ["pa", "pc", "pcsv", "pq"]
