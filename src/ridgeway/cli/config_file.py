"""Options of a command in a TOML file: ``--config`` reads them, ``--write-config`` writes them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ridgeway.data.address import shown, without_password

LEFT_OUT = ("config", "write_config", "debug", "quiet", "as_json", "help")  # not about the fit
ENDING = ".toml"


def config_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--config`` and ``--write-config`` to a command."""
    function = click.option(
        "--write-config", metavar="FILE", expose_value=False, callback=_write,
        help="Write DATA and all options to this file (.toml), and stop.",
    )(function)  # fmt: skip
    return click.option(
        "--config", metavar="FILE", is_eager=True, expose_value=False, callback=_read,
        help="Read DATA and options from this file (.toml); those on the command line take precedence.",
    )(function)  # fmt: skip


def _read(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
    """Make the entries of the file the defaults of the command."""
    if path is None:
        return
    try:
        entries = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise click.BadParameter(f"{path}: no such file: expected a .toml file; check the path.") from None
    except OSError as error:
        raise click.BadParameter(
            f"{path}: cannot be read: {error.strerror}: expected a readable .toml file; check its permissions."
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise click.BadParameter(
            f'{path}: not a TOML file: {error}: expected lines such as target = "price"; correct it.'
        ) from None
    known = {key_of(option): option for option in ctx.command.params if option.name not in LEFT_OUT}
    defaults = {}
    for key, value in entries.items():
        option = known.get(key.replace("_", "-"))
        if option is None:
            raise click.BadParameter(f"{path}: there is no option {key!r}: {_hint(key, list(known))}")
        defaults[str(option.name)] = _checked(option, key, value, path)
        if isinstance(value, str):
            shown(value)  # a password in an address is never printed
    ctx.default_map = {**(ctx.default_map or {}), **defaults}


def key_of(option: click.Parameter) -> str:
    """Return the key of an option in a file: its long name without dashes in front."""
    return max(option.opts, key=len).lstrip("-")


def _hint(key: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key.replace("_", "-").lower(), known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}."


def _checked(option: click.Parameter, key: str, value: Any, path: str) -> Any:
    """Return the value of an entry as the command line would give it."""
    multiple = bool(getattr(option, "multiple", False))
    if isinstance(value, dict) and multiple:  # [kind] with one line for each column
        value = [f"{name}={text}" for name, text in value.items()]
    if getattr(option, "is_flag", False):
        if not isinstance(value, bool):
            raise _wrong(path, key, value, "true or false")
        return value
    values = value if multiple and isinstance(value, list) else [value]
    for entry in values:
        if isinstance(entry, bool) or not isinstance(entry, str | int | float):
            raise _wrong(path, key, value, "a text, a number, or a list of texts" if multiple else "a text or a number")
    texts = [entry if isinstance(entry, str) else repr(entry) for entry in values]
    return texts if multiple else texts[0]


def _wrong(path: str, key: str, value: Any, expected: str) -> click.BadParameter:
    return click.BadParameter(f"{path}: {key} = {json.dumps(value, default=str)}: expected {expected}; correct it.")


def _write(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
    """Note the file to write; `write_config` writes it when all options are known."""
    if path is None:
        return
    if not path.lower().endswith(ENDING):
        raise click.BadParameter(f"{path}: expected a path that ends in {ENDING}; give another one.")
    ctx.meta[__name__] = path


def write_config(ctx: click.Context) -> str | None:
    """Write the file of ``--write-config`` and return its path; None if the option is not given.

    Options that were not given are written as comments with their defaults. Passwords in an address are left out.
    """
    path: str | None = ctx.meta.get(__name__)
    if path is None:
        return None
    from ridgeway.storage.atomic_file import atomic_file

    lines = [f"# Options of `ridgeway {ctx.info_name}`. Run: ridgeway {ctx.info_name} --config {Path(path).name}"]
    for option in ctx.command.params:
        if option.name in LEFT_OUT:
            continue
        key, value = key_of(option), ctx.params.get(str(option.name))
        given = ctx.get_parameter_source(str(option.name)) is not click.core.ParameterSource.DEFAULT
        help_text = getattr(option, "help", None) or "The file, folder, pattern or address to read."
        lines += ["", f"# {help_text}", f"{'' if given else '# '}{key} = {_written(option, value)}"]
    with atomic_file(path) as file:
        file.write(("\n".join(lines) + "\n").encode())
    return path


def _written(option: click.Parameter, value: Any) -> str:
    """Return a value in TOML."""
    if isinstance(value, dict):  # kinds of columns
        value = [f"{name}={kind}" for name, kind in value.items()]
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(option, entry) for entry in value) + "]"
    if value is None:
        return '""'
    text = value if isinstance(value, str) else _scheme_text(value)
    if option.name == "data":
        text = without_password(text)
    return json.dumps(text, ensure_ascii=False)


def _scheme_text(scheme: Any) -> str:
    """Return a scheme as `Average` reads it."""
    return f"{type(scheme).__name__.lower()}:{','.join(map(repr, vars(scheme).values()))}"
