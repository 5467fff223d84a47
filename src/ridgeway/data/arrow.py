"""pyarrow, which reads files and holds tables; its absence is said in plain words."""

from __future__ import annotations

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pcsv
    import pyarrow.parquet as pq
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "pyarrow is not installed: files and tables are read with it; pip install 'ridgeway[cli]'."
    ) from None

__all__ = ["pa", "pc", "pcsv", "pq"]
