"""Packages whose names are imported when they are first used: their three lists agree, and no module hides a name."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import ridgeway
from ridgeway.lazy_exports import lazy_exports

SOURCES = Path(ridgeway.__file__).parent
LAZY = [file for file in sorted(SOURCES.rglob("__init__.py")) if "= lazy_exports(" in file.read_text(encoding="utf-8")]


def package_of(file: Path) -> str:
    """Return the name of the package of an __init__ file."""
    return ".".join(("ridgeway", *file.parent.relative_to(SOURCES).parts))


def homes_of(tree: ast.Module) -> dict[str, set[str]]:
    """Return the names by their modules, as they are given to lazy_exports."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (call,) = (node for node in calls if getattr(node.func, "id", None) == "lazy_exports")
    return {home: set(names) for home, names in ast.literal_eval(call.args[1]).items()}


def typed_homes_of(tree: ast.Module, package: str) -> dict[str, set[str]]:
    """Return the names by their modules, as type checkers see them."""
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    homes: dict[str, set[str]] = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            home = alias.name if node.module == package else str(node.module).removeprefix(f"{package}.")
            homes.setdefault(home, set()).add(alias.name)
    return homes


# Law: what is imported when it is used, what type checkers see, and __all__ are the same names, and each is there.
@pytest.mark.parametrize("file", LAZY, ids=package_of)
def test_lists_agree(file: Path) -> None:
    package, tree = package_of(file), ast.parse(file.read_text(encoding="utf-8"))
    homes, module = homes_of(tree), import_module(package)
    assert homes == typed_homes_of(tree, package)
    exported = {name for names in homes.values() for name in names}
    assert exported - {"__version__"} == set(module.__all__)
    assert set(dir(module)) == exported
    for home, names in homes.items():
        defining = import_module(f"{package}.{home}")
        for name in names:
            assert getattr(module, name) is (defining if name == home else getattr(defining, name))


# Law: no module has the name of something that its package exports from elsewhere, as importing it would replace that.
@pytest.mark.parametrize("file", LAZY, ids=package_of)
def test_no_module_hides_a_name(file: Path) -> None:
    homes = homes_of(ast.parse(file.read_text(encoding="utf-8")))
    modules = {path.stem for path in file.parent.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert not modules & {name for home, names in homes.items() for name in names if name != home}


# Law: a name that is not exported is missing in the words of Python.
def test_unknown_name() -> None:
    get, _ = lazy_exports("ridgeway", {})
    with pytest.raises(AttributeError, match=r"^module 'ridgeway' has no attribute 'Ridge'$") as caught:
        get("Ridge")
    assert (caught.value.name, caught.value.obj) == ("Ridge", ridgeway)
