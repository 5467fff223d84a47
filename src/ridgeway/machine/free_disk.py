"""Free disk: how much of it temporary files may take."""

from __future__ import annotations

import shutil
from pathlib import Path

MAX_SHARE_OF_FREE_DISK = 0.5


def usable_bytes(folder: Path) -> int:
    """Return the bytes that temporary files in a folder may take: half of the free space."""
    return int(shutil.disk_usage(folder).free * MAX_SHARE_OF_FREE_DISK)
