"""Packages of the extras, which are imported when a source needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load_extra(module: str, package: str, extra: str, purpose: str) -> Any:
    """Import a module of an extra, or say how to install it.

    Parameters
    ----------
    module : name of the module.
    package : name of the package that has it.
    extra : the extra of ridgeway that installs the package.
    purpose : what needs the package, the beginning of the message.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in (module.partition(".")[0], "adbc_driver_manager"):
            raise
        raise ModuleNotFoundError(
            f"{purpose} needs {package}, which is not installed: pip install 'ridgeway[{extra}]'.", name=error.name
        ) from None
