"""The group of commands. Each command has its own file, which is imported when the command is called."""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import click

from ridgeway.cli.completion import completed
from ridgeway.cli.console import Console
from ridgeway.cli.failure import message_and_code
from ridgeway.data.address import hidden, shown
from ridgeway.messages.progress import clear_announcement
from ridgeway.version import __version__

COMMANDS = {
    "fit": "Learn from a CSV, Parquet, Feather or LIBSVM file of any size.",
    "predict": "Predict the rows of another file.",
    "evaluate": "Compare predictions with the actual values of a file.",
    "show": "Print what a model file holds: comparison, coefficients, path.",
    "report": "Write the report of a model file as one HTML page.",
    "export": "Export the selected model to ONNX.",
    "demo": "Run every step on embedded data, in under a minute.",
    "paper": "Check the claims of the paper behind the method.",
}
HELP = """\b
ridgeway: the whole regularization path from one fit.

Give `fit` a table and the name of the column to predict. One fit learns every ridge strength and selects the best one
on held-out rows. The model file keeps all other strengths: they are available later, without the data.

\b
  ridgeway demo
  ridgeway fit flights.csv --target arr_delay --model flights.safetensors --report flights.html
  ridgeway predict flights.safetensors new.csv --out predictions.parquet
  ridgeway predict flights.safetensors new.csv --out stronger.parquet --alpha 0.3
  ridgeway evaluate flights.safetensors held_out.csv
  ridgeway show flights.safetensors

Text goes to standard output, progress and warnings to standard error.

\b
Exit codes:
  0   success
  1   a file is missing, or a file or a value cannot be used; the message says what was found, expected, and what to do
  2   wrong usage: an unknown option, options that exclude each other, or an output that would overwrite an input
  70  a bug of ridgeway; --debug prints the traceback
  130 interrupted by Ctrl-C; each output is complete or as it was before
"""


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and lists the commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"ridgeway.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called; for another word, suggest commands that are spelled alike."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS)
            hint = (
                f"did you mean {' or '.join(map(repr, near))}?" if near else f"expected one of {', '.join(COMMANDS)}."
            )
            ctx.fail(f"No such command {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup, help=HELP, context_settings={"max_content_width": 120, "help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="ridgeway %(version)s")
@click.option("--quiet", is_flag=True, help="Print errors only.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_obj
def ridgeway(console: Console, quiet: bool, as_json: bool, debug: bool) -> None:
    """Set the options that every command shares."""
    console.set(quiet, as_json, debug)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. Error messages go to standard error."""
    answer = completed(ridgeway, "ridgeway")
    if answer is not None:
        return answer
    console = Console()
    for argument in arguments:
        shown(argument)  # a password in an address is never printed
    try:
        with ridgeway.make_context("ridgeway", list(arguments), obj=console) as ctx:
            ridgeway.invoke(ctx)
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.ClickException as error:  # usage
        clear_announcement(console.progress)
        usage = io.StringIO()
        error.show(usage)
        print(hidden(usage.getvalue()), end="", file=sys.stderr)
        return int(error.exit_code)
    except BrokenPipeError:  # the reader of standard output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BaseException as error:
        message, code = message_and_code(error)
        message = hidden(message)
        clear_announcement(console.progress)
        if console.debug:
            print(hidden("".join(traceback.format_exception(error))), end="", file=sys.stderr)
        print(message, file=sys.stderr)
        if "--json" in arguments:
            print(json.dumps({"error": message.removeprefix("Error: ")}))
        return code
    return 0
