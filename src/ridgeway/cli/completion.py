"""Shell completion: files, folders, and the columns of the data file given earlier on the line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, shell_complete
from click.types import StringParamType

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE = "_RIDGEWAY_COMPLETE"  # set by the shell, as click defines it
MAX_OFFERED_COLUMNS = 200  # columns that are offered


class FileName(StringParamType):
    """A text that the shell completes with files, or with folders.

    Parameters
    ----------
    kind : "file" or "dir".
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the item that makes the shell offer files or folders."""
        return [CompletionItem(incomplete, type=self._kind)]


class ColumnName(StringParamType):
    """A text parameter, completed with the column names of DATA."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that complete the text; none if DATA is not on the line yet, or cannot be read."""
        for data in (ctx.params.get("data"), *ctx.args):  # click leaves DATA in args when an option lacks its value
            if isinstance(data, str) and os.path.exists(data):
                names = [name for name in _columns(data) if name.startswith(incomplete)]
                return [CompletionItem(name) for name in names[:MAX_OFFERED_COLUMNS]]
        return []


TYPES = {
    "FILE": FileName("file"),
    "DATA": FileName("file"),
    "MODEL": FileName("file"),
    "FOLDER": FileName("dir"),
    "COLUMN": ColumnName(),
}


def add_completion(command: click.Command) -> None:
    """Set the completion of the texts of a command by their metavar, or by the name of an argument."""
    for param in command.params:
        shown = param.metavar or (param.name or "").upper()
        if type(param.type) is StringParamType and shown in TYPES:
            param.type = TYPES[shown]


def completed(group: click.Group, name: str) -> int | None:
    """Print completions if the shell asks for them and return the exit code; None if it does not ask.

    Parameters
    ----------
    group : the command line.
    name : the name of the program.
    """
    instruction = os.environ.get(VARIABLE)
    return None if not instruction else shell_complete(group, {}, name, VARIABLE, instruction)


def _columns(data: str) -> Sequence[str]:
    from ridgeway.data.opening import column_names

    try:
        found = column_names(data)
    except Exception:  # a completion must not print errors of the file
        return []
    return [] if found is None else found.names
