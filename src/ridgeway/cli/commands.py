"""The commands, each in a file of its own that is imported when it is called."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import click

from ridgeway.cli.completion import completed
from ridgeway.cli.console import Console
from ridgeway.cli.failure import explained
from ridgeway.version import __version__

COMMANDS = {
    "fit": "Learn from a CSV, Parquet, Feather or LIBSVM file of any size.",
    "predict": "Predict the rows of another file.",
    "show": "Say what a model file holds: choices, coefficients, path.",
    "report": "Write the report of a model file as one HTML page.",
    "export": "Export the chosen model to ONNX.",
    "demo": "The whole story on embedded data, in under a minute.",
    "paper": "Check the claims of the paper behind the method.",
}
HELP = """\b
ridgeway: the whole regularization path from one pass of SGD.

Point `fit` at a table and name the column to predict. Every ridge strength is learned at once, the best one is chosen
on rows that were not learned from, and any other stays available from the model file, without the data.

\b
  ridgeway demo
  ridgeway fit flights.csv --target arr_delay --model flights.safetensors --report flights.html
  ridgeway predict flights.safetensors new.csv --out predictions.parquet
  ridgeway predict flights.safetensors new.csv --out stronger.parquet --alpha 0.3
  ridgeway show flights.safetensors

Text goes to standard output, progress and warnings to standard error. Exit codes: 0 fine, 1 the data or the model is
wrong (the message says what was found, what was expected and what to do), 2 the command was, 70 a bug of ridgeway
(--debug shows where).
"""


class LazyGroup(click.Group):
    """Commands that are imported when they are called; their help is known without."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the story."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"ridgeway.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup, help=HELP, context_settings={"max_content_width": 120, "help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="ridgeway %(version)s")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_obj
def ridgeway(console: Console, quiet: bool, as_json: bool, debug: bool) -> None:
    """Hold what every command shares."""
    console.set(quiet, as_json, debug)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; what is wrong with data or models is told on standard error."""
    answer = completed(ridgeway, "ridgeway")
    if answer is not None:
        return answer
    console = Console()
    try:
        with ridgeway.make_context("ridgeway", list(arguments), obj=console) as ctx:
            ridgeway.invoke(ctx)
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.ClickException as error:  # usage
        error.show()
        return int(error.exit_code)
    except BrokenPipeError:  # who reads standard output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BaseException as error:
        message, code = explained(error)
        if console.debug:
            traceback.print_exception(error, file=sys.stderr)
        print(message, file=sys.stderr)
        if "--json" in arguments:
            print(json.dumps({"error": message.removeprefix("Error: ")}))
        return code
    return 0
