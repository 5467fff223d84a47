"""`Origin`: where the rows of temporary files come from, and how errors about these files name it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Origin:
    """Where the rows of temporary files come from.

    Attributes
    ----------
    name : name in messages.
    copy : path of the temporary file or folder.
    keeper : object with which the temporary files are removed.
    """

    name: str
    copy: str
    keeper: Any

    @contextmanager
    def named(self) -> Iterator[None]:
        """Replace the path of the temporary file in errors by the name."""
        try:
            yield
        except Exception as error:
            if error.args and isinstance(error.args[0], str):
                error.args = (error.args[0].replace(self.copy, self.name), *error.args[1:])
            raise

    def content(self, paths: Sequence[Path]) -> list[str]:
        """Return a hash of the content of each file."""
        hashes = []
        for path in paths:
            with path.open("rb") as file:
                hashes.append(hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest())
        return hashes
