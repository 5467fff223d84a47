"""Output of a command: text, or one JSON object, and warnings as single lines."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click

from ridgeway.cli.completion import add_completion
from ridgeway.messages.progress import clear_announcement

PIPED_COLUMNS = 160  # of tables that are written to a file or a pipe, unless COLUMNS is set


class Console:
    """Print the output of a command.

    Attributes
    ----------
    quiet : print errors only.
    as_json : print one JSON object at the end, and nothing else.
    debug : print the traceback of an error.
    """

    def __init__(self) -> None:
        self.quiet = self.as_json = self.debug = False
        self.text_to_error = False  # when standard output holds data
        self._warnings: list[str] = []

    def set(self, quiet: bool, as_json: bool, debug: bool) -> None:
        """Set options; they may be given before or after the name of the command."""
        self.quiet |= quiet
        self.as_json |= as_json
        self.debug |= debug

    @property
    def progress(self) -> bool:
        """Whether to draw a progress bar: standard error is a terminal."""
        return not (self.quiet or self.as_json) and sys.stderr.isatty()

    def say(self, *parts: Any) -> None:
        """Print text, or anything that rich can draw."""
        if self.quiet or self.as_json:
            return
        from rich.console import Console as RichConsole

        class ClosablePipe(RichConsole):
            def on_broken_pipe(self) -> None:
                raise BrokenPipeError  # the command ends quietly: `ridgeway show MODEL | head` is no error

        clear_announcement(self.progress)
        stream = sys.stderr if self.text_to_error else sys.stdout
        width = None if stream.isatty() or "COLUMNS" in os.environ else PIPED_COLUMNS
        ClosablePipe(file=stream, width=width, highlight=False, soft_wrap=True).print(*parts, markup=False)

    def result(self, values: dict[str, Any]) -> None:
        """Print the JSON object, if --json is given."""
        if self.as_json:
            print(json.dumps({**values, "warnings": self._warnings}, allow_nan=False))

    @contextmanager
    def warnings_as_lines(self) -> Iterator[None]:
        """Print warnings of the library as lines on standard error."""

        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            self._warnings.append(str(message))
            if not (self.quiet or self.as_json):
                clear_announcement(self.progress)
                print(f"Warning: {message}", file=sys.stderr)

        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show
            yield


def command(**settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function a command with ``--quiet``, ``--json`` and ``--debug``; its first argument is the console."""

    def make(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        @click.pass_obj
        def called(console: Console, /, quiet: bool, as_json: bool, debug: bool, **options: Any) -> None:
            console.set(quiet, as_json, debug)
            with console.warnings_as_lines():
                function(console, **options)

        decorated = click.option("--debug", is_flag=True, help="Show the traceback of an error.")(called)
        decorated = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(
            decorated
        )
        decorated = click.option("--quiet", is_flag=True, help="Print errors only.")(decorated)
        made: click.Command = click.command(**settings)(decorated)
        add_completion(made)
        return made

    return make
