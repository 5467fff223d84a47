"""`ExternalTable`: a table that is not a local file; its rows are copied to this machine when they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any


class ExternalTable(ABC):
    """A table outside of local files: a query, a remote file, a workbook or an Arrow stream.

    Its rows are read once, into a temporary file (a workbook: into memory), because a fit reads them several times and
    in random order. The table may change meanwhile: every pass sees the same rows. The file is removed when the object
    is.

    Attributes
    ----------
    name : name in messages; it holds no user, password or parameter of an address.
    """

    name: str
    keeps: Any = None  # whatever must live as long as this table, such as its temporary files

    @abstractmethod
    def schema(self) -> Any:
        """Return the Arrow schema; None if it is known only after `local` has copied the rows."""

    @abstractmethod
    def local(self, columns: Sequence[str] | None) -> Any:
        """Copy the rows to this machine, and return the path of a file or folder, or an Arrow table.

        Parameters
        ----------
        columns : names of the columns that are needed, None for all; others may be left out.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"
