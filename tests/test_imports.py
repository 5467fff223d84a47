"""What the sources import: declared packages, and modules of lower layers."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import ridgeway

SOURCES = Path(ridgeway.__file__).parent
PROJECT = tomllib.loads((SOURCES.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
OPTIONAL = {"pandas"}  # of who asks for a data frame, and is told what to install
IMPORTED_AS = {"scikit-learn": "sklearn"}  # where a package has another name than its module


def imported() -> Iterator[tuple[Path, str]]:
    """Yield every module that a source file imports, by a statement or by name when it is needed."""
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((file, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file}: a relative import"
                yield file, node.module or ""
            else:
                yield from ((file, name) for name in imported_by_name(node))


def imported_by_name(node: ast.AST) -> list[str]:
    """Return the module of a call of import_module."""
    if not isinstance(node, ast.Call) or getattr(node.func, "id", getattr(node.func, "attr", "")) != "import_module":
        return []
    return [arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]


def declared() -> set[str]:
    """Return the modules of the packages that the project says it needs."""
    project = PROJECT["project"]
    needs = [*project["dependencies"], *(need for extra in project["optional-dependencies"].values() for need in extra)]
    names = {re.split(r"[\[<>=!~ ;]", need)[0] for need in needs}
    return {IMPORTED_AS.get(name, name) for name in names}


def layer_of(module: str) -> int:
    """Return the layer of a module, counted from above."""
    layers = [line.replace(" ", "").split("|") for line in PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]]
    found = [i for i, names in enumerate(layers) for name in names if f"{module}.".startswith(f"{name}.")]
    assert found, f"{module} is in no layer"
    return found[0]


# Law: whatever is imported is in the standard library, our own, or declared as needed.
def test_declared() -> None:
    known = {*sys.stdlib_module_names, *declared(), *OPTIONAL, "ridgeway"}
    assert [(file.name, module) for file, module in imported() if module.split(".")[0] not in known] == []


# Law: modules that are imported by name when they are needed, which import-linter does not see, are of lower layers.
def test_hidden_imports_go_down() -> None:
    for file in SOURCES.rglob("*.py"):
        module = ".".join(("ridgeway", *file.relative_to(SOURCES).with_suffix("").parts)).removesuffix(".__init__")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for name in imported_by_name(node):
                if name.startswith("ridgeway."):
                    same = module.split(".")[:2] == name.split(".")[:2]
                    assert same or layer_of(module) < layer_of(name), f"{module} imports {name}"


# Law: from the root modules import the compiled core and nothing else: public names are for users, and import-linter
# does not look at imports from there.
def test_root_is_imported_for_the_core_only() -> None:
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "ridgeway" and file != SOURCES / "__init__.py":
                assert [alias.name for alias in node.names] == ["_core"], file
