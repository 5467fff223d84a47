"""Print the oldest supported versions of our dependencies, as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

# These are pinned, too: later versions warn about the oldest ones, and warnings are errors in the tests.
COMPANIONS = ("pandas<3", "polars<1.40", "pyparsing<3.3", "pytest<9")
NAME_AND_BOUND = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([0-9.]+)$")


def oldest(project: Path) -> dict[str, str]:
    """Return the lower bounds of the dependencies of the package and its extras, by name."""
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    needs = [
        *declared["dependencies"],
        *(need for extra in declared["optional-dependencies"].values() for need in extra),
    ]
    bounds = {}
    for need in needs:
        if (found := NAME_AND_BOUND.match(need)) is not None:
            bounds[found.group(1)] = found.group(2)
        elif not need.startswith("ridgeway["):
            raise ValueError(f"{need!r} has no lower bound: expected NAME>=VERSION.")
    return bounds


if __name__ == "__main__":
    for name, version in oldest(Path(__file__).parent.parent / "pyproject.toml").items():
        print(f"{name}=={version}")
    print("\n".join(COMPANIONS))
