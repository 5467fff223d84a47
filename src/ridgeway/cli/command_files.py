"""Check the files of a command, its inputs and outputs, before any of them is read or written."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ridgeway.cli.pipes import copy_of_pipe, file_behind
from ridgeway.data.external import external_table
from ridgeway.data.files import find_files, format_of, reads


@contextmanager
def command_files(
    inputs: Mapping[str, str], outputs: Mapping[str, str | None], only_files: str | None = None
) -> Iterator[dict[str, str]]:
    """Check the files of a command, and yield the paths from which to read its inputs.

    No output may be an input, another output, or a file that an input folder or pattern would read as data in the
    next run. These are usage errors, raised before anything is read. Links are followed. Pipes are copied to
    temporary files, which are removed at the end.

    Parameters
    ----------
    inputs : paths of files, folders, patterns or pipes, by the names of their arguments.
    outputs : paths of the files to write, by their options; None for those that are not written.
    only_files : the options that do not accept a pipe as input, as text for a message; None if pipes are accepted.
    """
    written = {option: path for option, path in outputs.items() if path is not None}
    for option, path in written.items():
        _require_replaceable(option, path)
    found = {name: file_behind(path) for name, path in inputs.items()}
    pipes = [name for name, path in found.items() if path is None]
    if pipes and only_files is not None:
        raise click.UsageError(
            f"{inputs[pipes[0]]} is a pipe, which can be read only once, and {only_files} reads it several times: "
            "expected a file; write the rows to a file and give its path."
        )
    if len(pipes) > len({inputs[name] for name in pipes}):
        raise click.UsageError(f"{' and '.join(pipes)} are the same pipe: expected two files, or a file and a pipe.")
    _require_apart({name: path for name, path in found.items() if path is not None}, written)
    for option, path in written.items():
        _require_writable(option, path)
    if not pipes:
        yield {name: str(path) for name, path in found.items()}
        return
    with tempfile.TemporaryDirectory(prefix="ridgeway-") as folder:
        copies: dict[str, Path] = {}
        for number, name in enumerate(pipes):
            place = Path(folder) / str(number)
            place.mkdir()
            copies[name] = copy_of_pipe(inputs[name], place)
        with _pipes_named_as_given({str(copy): inputs[name] for name, copy in copies.items()}):
            yield {name: str(copies.get(name, path)) for name, path in found.items()}


def require_data(path: str | None, query: str | None = None, table: str | None = None) -> Any:
    """Return what to read: a path that holds data in a known format, or the table of a database, query or address.

    For a path, nothing heavy is imported.

    Parameters
    ----------
    path : a file, folder, pattern or address; None if the query names its files.
    query, table : see `ridgeway.data.external.external_table`.
    """
    found = external_table(path, query=query, table=table)
    if found is not None:
        return found
    assert path is not None
    format_of(find_files(path)[:1])
    return path


def _require_apart(inputs: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Raise an error if an output is an input, would be read as part of one, or is another output."""
    for option, path in outputs.items():
        for name, read in inputs.items():
            if _same_file(path, read):
                raise click.UsageError(
                    f"{option} {path} is the input {name} and would overwrite it: expected another file; give another "
                    f"path with {option}."
                )
            if reads(read, path):
                raise click.UsageError(
                    f"{option} {path} is one of the files of {name} {read} and would be read as data: expected a file "
                    f"outside of it; give another path with {option}."
                )
    options = list(outputs)
    for place, option in enumerate(options):
        for other in options[:place]:
            if _same_file(outputs[option], outputs[other]):
                raise click.UsageError(
                    f"{other} and {option} are the same file, {outputs[option]}: expected two files; give another path "
                    f"with {option}."
                )


def _same_file(one: str, other: str) -> bool:
    one, other = os.path.expanduser(one), os.path.expanduser(other)
    try:
        if os.path.samefile(one, other):
            return True
    except OSError:  # one of them does not exist yet
        pass
    return os.path.realpath(one) == os.path.realpath(other)


def _require_replaceable(option: str, path: str) -> None:
    """Raise an error for pipes and devices, which a file cannot replace."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise click.UsageError(
            f"{option} {path} is a pipe or a device: expected the path of a file, which is written completely or not "
            f"at all; give another path, or leave out {option} if it is optional."
        )


def _require_writable(option: str, path: str) -> None:
    """Raise an error before the work begins if a file cannot be written."""
    folder = Path(os.path.realpath(path)).parent
    if Path(path).is_dir():
        raise IsADirectoryError(21, "is a folder", path)
    if not folder.is_dir():
        named = folder if (given := Path(path).parent).is_dir() else given  # a link leads to another folder
        raise FileNotFoundError(
            f"{option} {path}: there is no folder {named}: create it (mkdir) or choose another path."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(
            f"{option} {path}: no permission to write to {folder}: choose another path, or change the mode of "
            "the folder."
        )


@contextmanager
def _pipes_named_as_given(names: Mapping[str, str]) -> Iterator[None]:
    """Replace the paths of temporary copies in error messages by the paths that the user gave."""
    try:
        yield
    except Exception as error:
        if error.args and isinstance(error.args[0], str):
            text = error.args[0]
            for copy, name in names.items():
                text = text.replace(copy, name)
            error.args = (text, *error.args[1:])
        raise
