"""Collection of doctests in sources: a source file is a part of its package, as it is for those who import it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent


# pytest would load a file that nobody has imported yet once more by its path, after its package has; the module would
# then take the place of a public function of the same name, such as `ridgeway.theory.compare`.
@pytest.hookimpl(tryfirst=True)
def pytest_collect_file(file_path: Path) -> None:
    """Import the package of a source file before the file."""
    package = file_path.parent.relative_to(SOURCES).parts
    if package and file_path.suffix == ".py":
        import_module(".".join(package))
