"""Lazy exports: names of a package that are imported when they are first used.

If a package imported all its modules at once, a user of one of them would wait for all others: even the message that a
file is missing would wait for the import of scikit-learn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a package.

    Type checkers do not see the names: the package imports them under ``TYPE_CHECKING`` as well.

    Parameters
    ----------
    package : its name.
    homes : for each module of the package, the names that it defines. A module that lists its own name is exported
        itself; no other name may be that of a module, which would hide it.

    Examples
    --------
    >>> get, names = lazy_exports("ridgeway", {"version": ("__version__",), "theory": ("theory",)})
    >>> names()
    ['__version__', 'theory']
    >>> get("theory").__name__
    'ridgeway.theory'
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        home = import_module(f"{package}.{home_of[name]}")
        found = home if name == home_of[name] else getattr(home, name)
        setattr(sys.modules[package], name, found)  # the next look finds it without us
        return found

    def names() -> list[str]:
        return sorted(home_of)

    return get, names
