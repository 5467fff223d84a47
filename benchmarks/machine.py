"""Facts about the machine that a result depends on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def facts() -> dict[str, str]:
    """Return processor, cores, versions and date."""
    packages = {name: version(name) for name in ("numpy", "scikit-learn", "scipy")}
    return {
        "cpu": _cpu_model(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **packages,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _cpu_model() -> str:
    """Return the name of the processor: from Linux, or else from Python."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
