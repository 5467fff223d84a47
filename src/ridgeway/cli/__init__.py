"""The command line. Commands import what they need when they run, so that help prints at once."""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    """Run the command line and exit. The help lists the exit codes."""
    try:
        run = import_module("ridgeway.cli.commands").run
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        sys.exit(f"Error: the command line needs {error.name}: pip install 'ridgeway[cli]'.")
    sys.exit(run(sys.argv[1:]))
