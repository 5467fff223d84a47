"""Available memory: of the machine and of its containers, by files as Linux writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ridgeway.machine import available_memory as module
from ridgeway.machine.available_memory import available_memory, default_memory, require_memory

GB = 2**30
MEMINFO = "MemTotal: 16777216 kB\nMemFree: 1048576 kB\nMemAvailable: 8388608 kB\nCached: 10485760 kB\n"


def machine(root: Path, **files: Any) -> Path:
    """Write files; two underscores stand for a slash, and one before max, current, stat and limit for a dot."""
    for name, text in {"proc__meminfo": MEMINFO, **files}.items():
        path = root / name.replace("__", "/").replace("memory_", "memory.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(text))
    return root


# Law: what is available is MemAvailable, not free memory and not the caches.
def test_machine(tmp_path: Path) -> None:
    assert available_memory(machine(tmp_path)) == 8 * GB


# Law: the limit of a container holds where it leaves less; its caches of files count as free.
def test_control_groups(tmp_path: Path) -> None:
    root = machine(
        tmp_path,
        proc__self__cgroup="0::/a/b\n",
        sys__fs__cgroup__a__b__memory_max="max\n",
        sys__fs__cgroup__a__b__memory_current=3 * GB,
        sys__fs__cgroup__a__memory_max=5 * GB,
        sys__fs__cgroup__a__memory_current=4 * GB,
        sys__fs__cgroup__a__memory_stat=f"anon 7\ninactive_file {GB}\nfile 3\n",
    )
    assert available_memory(root) == 2 * GB
    machine(tmp_path, sys__fs__cgroup__a__memory_max=3 * GB)
    assert available_memory(root) == 0
    machine(tmp_path, sys__fs__cgroup__a__memory_max=99 * GB)
    assert available_memory(root) == 8 * GB


# Law: the same with control groups of version 1, also where the container sees its own group as the root.
@pytest.mark.parametrize("group", ["", "docker__c0__"])
def test_control_groups_of_version_1(group: str, tmp_path: Path) -> None:
    folder = f"sys__fs__cgroup__memory__{group}memory_"
    root = machine(
        tmp_path,
        proc__self__cgroup="5:cpu,cpuacct:/\n4:memory,hugetlb:/docker/c0\n0::/\n",
        **{
            folder + "limit_in_bytes": 4 * GB,
            folder + "usage_in_bytes": 3 * GB,
            folder + "stat": f"inactive_file 5\ntotal_inactive_file {GB // 2}\n",
        },
    )
    assert available_memory(root) == 1.5 * GB


# Law: on this machine there is some memory, a quarter of which is the default; too large a need is refused.
def test_here(monkeypatch: pytest.MonkeyPatch) -> None:
    there = available_memory()
    assert there is None or there > 0
    monkeypatch.setattr(module, "available_memory", lambda: 2 * GB)
    assert default_memory() == GB // 2
    require_memory(GB, "rows", "take fewer")
    with pytest.raises(MemoryError, match=r"rows need 3,072 MB, and 2,048 MB are available: take fewer\."):
        require_memory(3 * GB, "rows", "take fewer")
    monkeypatch.setattr(module, "available_memory", lambda: None)
    assert default_memory() == GB // 4
    require_memory(1e30, "rows", "take fewer")
