"""Documented parameters and defaults against signatures."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import ridgeway as rw
import ridgeway.dask
import ridgeway.data
import ridgeway.report
import ridgeway.tables
import ridgeway.theory

SECTION = re.compile(r"\nParameters\n-+\n(.*?)(?=\n[A-Z][A-Za-z ]+\n-{3,}|\Z)", re.DOTALL)
MODULES = (rw, rw.theory, rw.data, rw.tables, rw.report, rw.dask)


def documented(thing: Any) -> dict[str, str]:
    """Return the entries of the section on parameters, by name."""
    found = SECTION.search(inspect.cleandoc(thing.__doc__ or ""))
    entries: dict[str, str] = {}
    names: list[str] = []
    for line in found.group(1).splitlines() if found else ():
        if " : " in line and not line.startswith(" "):
            names = [name.strip(" *") for name in line.split(" : ")[0].split(",")]
            entries.update(dict.fromkeys(names, line.split(" : ", 1)[1]))
        else:
            entries.update({name: f"{entries[name]} {line.strip()}" for name in names})
    return entries


def public() -> list[Any]:
    things = {f"{module.__name__}.{name}": getattr(module, name) for module in MODULES for name in module.__all__}
    return [pytest.param(thing, id=name) for name, thing in things.items() if callable(thing) and documented(thing)]


# Law: what is documented is what can be given.
@pytest.mark.parametrize("thing", public())
def test_documented_parameters_are_those_of_the_signature(thing: Any) -> None:
    assert set(documented(thing)) == set(inspect.signature(thing).parameters) - {"self"}


# Law: a default that is documented is the one of the signature; alternatives begin with it where it is among them.
@pytest.mark.parametrize("thing", public())
def test_documented_defaults_are_those_of_the_signature(thing: Any) -> None:
    for name, parameter in inspect.signature(thing).parameters.items():
        if (default := parameter.default) is inspect.Parameter.empty:
            continue
        entry = documented(thing)[name]
        for said in re.findall(r"default=([\w.]+)|\b([\d.,]+|None|True|False) by default", entry):
            value = (said[0] or said[1]).replace(",", "")
            if default is not None:  # None stands for a default that is described
                assert value in (repr(default), str(default), getattr(default, "__name__", ""))
        alternatives = re.match(r'"(\w+)",|None,', entry)
        if alternatives:
            assert default == alternatives.group(1)


def test_there_is_something_to_test() -> None:
    assert len(public()) > 40
