"""The tree of the sources: one meaning for a name, a room for everything, constants that say what they count."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

import ridgeway

SOURCES = Path(ridgeway.__file__).parent
MODULES = sorted(file for file in SOURCES.rglob("*.py") if file.name != "__init__.py")
PACKAGES = sorted(file.parent for file in SOURCES.rglob("__init__.py"))

MAX_ROOT_MODULES = 6
FORBIDDEN_ROOMS = {"utils", "util", "helpers", "helper", "misc", "common", "shared", "tools"}

# File names that two folders may share, and why.
SHARED_STEMS = {
    "__main__": "Python runs a package by this name",
}
# Files that CONTRIBUTING makes up to explain how to add one.
EXAMPLE_FILES = {"src/ridgeway/averaging/linear.py"}

QUANTITY_WORDS = {
    "ALL", "AMPLE", "BIG", "BIGGEST", "CLOSE", "COARSE", "EARLY", "ENOUGH", "EVERY", "FAR", "FEW", "FEWEST", "FULL",
    "GREATEST", "HIGH", "HUGE", "LARGE", "LARGEST", "LATE", "LEAST", "LESS", "LITTLE", "LONG", "LONGEST", "LOW", "MANY",
    "MAX", "MIN", "MORE", "MOST", "MUCH", "NEAR", "ROOM", "SHORT", "SHORTEST", "SMALL", "SMALLEST", "SOME", "THIN",
    "TINY", "WIDE",
}  # fmt: skip


def constants_of(file: Path, of_module: bool = False) -> set[str]:
    """Return the names in capitals that a module assigns, or only those outside of its classes and functions."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = set()
    for node in tree.body if of_module else ast.walk(tree):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            found |= {name.id for name in names if isinstance(name, ast.Name) and name.id.isupper()}
    return found


# Law: no file name has two homes, but those that are listed with their reason.
def test_stems_are_unique() -> None:
    homes = defaultdict(list)
    for file in MODULES:
        homes[file.stem].append(str(file.relative_to(SOURCES)))
    twice = {stem: files for stem, files in homes.items() if len(files) > 1}
    unlisted = {stem: files for stem, files in twice.items() if stem not in SHARED_STEMS}
    assert unlisted == {}


# Law: the root holds the public face and at most a handful of modules; everything else has a room with a name.
def test_root() -> None:
    loose = [file.stem for file in SOURCES.glob("*.py") if file.stem not in ("__init__", "__main__")]
    assert len(loose) <= MAX_ROOT_MODULES, loose
    assert not {folder.name for folder in PACKAGES} & FORBIDDEN_ROOMS


# Law: every room says in one sentence what it holds, and the architecture page lists it.
def test_rooms_are_described() -> None:
    page = (SOURCES.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    for folder in PACKAGES:
        assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))), folder
        if folder.parent == SOURCES:
            assert f"{folder.name}/" in page, f"docs/architecture.md does not name {folder.name}/"


# Law: the layers that import-linter checks are those of the architecture page, line by line.
def test_layers_are_those_of_the_page() -> None:
    root = SOURCES.parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    layers = [
        [name.strip().removeprefix("ridgeway.") for name in layer.split("|")]
        for layer in project["tool"]["importlinter"]["contracts"][0]["layers"]
    ]
    shown = [
        "    " + "  ".join(f"{name}{'/' if (SOURCES / name).is_dir() else '.py'}" for name in row) for row in layers
    ]
    assert "\n".join(shown) in (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert {name for row in layers for name in row} == {
        path.stem for path in SOURCES.iterdir() if path in PACKAGES or (path in MODULES and path.stem != "__main__")
    }


# Law: no function takes the place of a module of its package: a package exports no name that one of its modules has.
@pytest.mark.parametrize("package", PACKAGES, ids=lambda folder: folder.name)
def test_no_name_hides_a_module(package: Path) -> None:
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    exported = {
        entry.value
        for node in tree.body
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets)
        for entry in getattr(node.value, "elts", [])
    }
    modules = {path.stem for path in package.iterdir() if path.suffix == ".py"}
    assert not exported & modules


# Law: a constant says what it counts: its name is not a quantity word alone.
def test_constants_have_nouns() -> None:
    named = {
        (file.relative_to(SOURCES).parts[0], name)
        for file in MODULES
        for name in constants_of(file)
        if set(name.strip("_").split("_")) <= QUANTITY_WORDS
    }
    assert named == set()


# Law: a constant has one home: no two modules define a constant of one name, be it with one value or with several. The
# claims of the paper stand for themselves, as the scripts of a collection do.
def test_constants_have_one_home() -> None:
    homes = defaultdict(list)
    for file in MODULES:
        place = file.relative_to(SOURCES)
        if place.parts[0] != "paper":
            for name in constants_of(file, of_module=True):
                if len(name) > 1:  # type variables
                    homes[name].append(str(place))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


# Law: CONTRIBUTING and the architecture page name only files that exist, and "`NAME` in `file`" is true of the file.
@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_pages_name_what_exists(page: str) -> None:
    root = SOURCES.parents[1]
    text = re.sub(r"\s+", " ", (root / page).read_text(encoding="utf-8"))
    homes = (root, SOURCES, root / "core", root / "docs")
    file_names = {path.name for home in (SOURCES, root / "core", root / "tests") for path in home.rglob("*.*")}
    for name in re.findall(r"`([\w./]+\.(?:py|hpp|cpp|md|rst|toml|pyi|js))`", text):
        found = any((home / name).exists() for home in homes) or ("/" not in name and name in file_names)
        assert found or name in EXAMPLE_FILES, f"{page} names {name}, which does not exist"
    for names, file in re.findall(r"((?:`\w+`(?:, | and )?)+) in `([\w/]+\.py)`", text):
        source = next((home / file for home in homes if (home / file).exists()), None)
        assert source is not None, f"{page} names {file}, which does not exist"
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            assert name in source.read_text(encoding="utf-8"), f"{page}: {file} has no {name}"
