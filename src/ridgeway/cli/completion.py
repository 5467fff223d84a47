"""Completion in shells: files, folders, and the columns of the data that stand before on the line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, shell_complete
from click.types import StringParamType

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE = "_RIDGEWAY_COMPLETE"  # set by the shell: click's protocol
MAX_COLUMNS = 200  # offered


class FileName(StringParamType):
    """A text that the shell completes by files, or by folders.

    Parameters
    ----------
    kind : "file" or "dir".
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell offer them."""
        return [CompletionItem(incomplete, type=self._kind)]


class ColumnName(StringParamType):
    """A text that is completed by the columns of DATA."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the columns; none where DATA is not on the line yet, or cannot be read at once."""
        for data in (ctx.params.get("data"), *ctx.args):  # click leaves DATA in args when an option lacks its value
            if isinstance(data, str) and os.path.exists(data):
                names = [name for name in _columns(data) if name.startswith(incomplete)]
                return [CompletionItem(name) for name in names[:MAX_COLUMNS]]
        return []


TYPES = {
    "FILE": FileName("file"),
    "DATA": FileName("file"),
    "MODEL": FileName("file"),
    "FOLDER": FileName("dir"),
    "COLUMN": ColumnName(),
}


def add_completion(command: click.Command) -> None:
    """Let plain texts of a command be completed by what their metavar (or the name of an argument) says they are."""
    for param in command.params:
        shown = param.metavar or (param.name or "").upper()
        if type(param.type) is StringParamType and shown in TYPES:
            param.type = TYPES[shown]


def completed(group: click.Group, name: str) -> int | None:
    """Answer the shell if it asks for completions; None if it does not.

    Parameters
    ----------
    group : the command line.
    name : what it is called by.
    """
    instruction = os.environ.get(VARIABLE)
    return None if not instruction else shell_complete(group, {}, name, VARIABLE, instruction)


def _columns(data: str) -> Sequence[str]:
    from ridgeway.data.opening import column_names

    try:
        found = column_names(data)
    except Exception:  # whatever is wrong with the file, a shell wants no words
        return []
    return [] if found is None else found.names
