"""Tables outside of local files: databases, queries, remote files, workbooks and Arrow streams."""

from ridgeway.data.external.base_table import ExternalTable
from ridgeway.data.external.connecting import external_table

__all__ = ["ExternalTable", "external_table"]
