"""What a command says: text for people or one JSON object for machines, and warnings without a traceback's look."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click

from ridgeway.cli.completion import add_completion


class Console:
    """Where the words of a command go.

    Attributes
    ----------
    quiet : say nothing but errors.
    as_json : print one JSON object at the end, and nothing else.
    debug : show the traceback of an error.
    """

    def __init__(self) -> None:
        self.quiet = self.as_json = self.debug = False
        self.text_to_error = False  # when standard output holds data
        self._warnings: list[str] = []

    def set(self, quiet: bool, as_json: bool, debug: bool) -> None:
        """Take the options that stand before or after the name of the command."""
        self.quiet |= quiet
        self.as_json |= as_json
        self.debug |= debug

    @property
    def progress(self) -> bool:
        """Whether a progress bar is welcome: somebody looks at standard error."""
        return not (self.quiet or self.as_json) and sys.stderr.isatty()

    def say(self, *parts: Any) -> None:
        """Print text, or anything that rich can draw."""
        if self.quiet or self.as_json:
            return
        from rich.console import Console as RichConsole

        RichConsole(stderr=self.text_to_error, highlight=False, soft_wrap=True).print(*parts, markup=False)

    def result(self, values: dict[str, Any]) -> None:
        """Print the JSON object, if it was asked for."""
        if self.as_json:
            print(json.dumps({**values, "warnings": self._warnings}, allow_nan=False))

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn warnings of the library into lines on standard error."""

        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            self._warnings.append(str(message))
            if not (self.quiet or self.as_json):
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
            with console.telling():
                function(console, **options)

        decorated = click.option("--debug", is_flag=True, help="Show the traceback of an error.")(called)
        decorated = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(
            decorated
        )
        decorated = click.option("--quiet", is_flag=True, help="Say nothing but errors.")(decorated)
        made: click.Command = click.command(**settings)(decorated)
        add_completion(made)
        return made

    return make
