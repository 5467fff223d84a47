"""The files that a command reads and writes: compared with each other before any of them is touched."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from ridgeway.cli.pipes import copy_of_pipe, file_behind
from ridgeway.data.files import find_files, format_of, reads


@contextmanager
def command_files(
    inputs: Mapping[str, str], outputs: Mapping[str, str | None], only_files: str | None = None
) -> Iterator[dict[str, str]]:
    """Check the files of a command, and give the paths to read its inputs from.

    No output may be an input, another output, or a file that an input folder or pattern would read as data the next
    time: these are errors of usage, found before anything is read. Links are followed. Pipes are copied to temporary
    files, which are removed at the end.

    Parameters
    ----------
    inputs : paths of files, folders, patterns or pipes, by the names of their arguments.
    outputs : paths of the files to write, by their options; None for those that are not written.
    only_files : the options that cannot work with a pipe as input, in words; None where pipes are welcome.
    """
    written = {option: path for option, path in outputs.items() if path is not None}
    for option, path in written.items():
        _require_replaceable(option, path)
    found = {name: file_behind(path) for name, path in inputs.items()}
    pipes = [name for name, path in found.items() if path is None]
    if pipes and only_files is not None:
        raise click.UsageError(
            f"{inputs[pipes[0]]} is a pipe, which can be read only once: expected a file with {only_files}; write the "
            "rows to a file and name that."
        )
    if len(pipes) > len({inputs[name] for name in pipes}):
        raise click.UsageError(f"{' and '.join(pipes)} are one pipe: expected two files, or a file and a pipe.")
    _require_apart({name: path for name, path in found.items() if path is not None}, written)
    for path in written.values():
        _require_writable(path)
    if not pipes:
        yield {name: str(path) for name, path in found.items()}
        return
    with tempfile.TemporaryDirectory(prefix="ridgeway-") as folder:
        copies: dict[str, Path] = {}
        for number, name in enumerate(pipes):
            place = Path(folder) / str(number)
            place.mkdir()
            copies[name] = copy_of_pipe(inputs[name], place)
        with _telling_pipes({str(copy): inputs[name] for name, copy in copies.items()}):
            yield {name: str(copies.get(name, path)) for name, path in found.items()}


def require_data(path: str) -> None:
    """Raise an error unless there are data at a path, in a format that is read; nothing heavy is imported for it."""
    format_of(find_files(path)[:1])


def _require_apart(inputs: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Refuse an output that is an input, would be read with one, or is another output."""
    for option, path in outputs.items():
        for name, read in inputs.items():
            if _same_file(path, read):
                raise click.UsageError(
                    f"{option} {path} is the file of {name}, which would be overwritten: expected another file; name "
                    f"one by {option}."
                )
            if reads(read, path):
                raise click.UsageError(
                    f"{option} {path} is among the files that {name} {read} stands for, and would be read as data: "
                    f"expected a file outside of it; name one by {option}."
                )
    options = list(outputs)
    for place, option in enumerate(options):
        for other in options[:place]:
            if _same_file(outputs[option], outputs[other]):
                raise click.UsageError(
                    f"{other} and {option} name the same file, {outputs[option]}: expected two files; name another "
                    f"one by {option}."
                )


def _same_file(one: str, other: str) -> bool:
    one, other = os.path.expanduser(one), os.path.expanduser(other)
    try:
        if os.path.samefile(one, other):
            return True
    except OSError:  # one of them is not there yet
        pass
    return os.path.realpath(one) == os.path.realpath(other)


def _require_replaceable(option: str, path: str) -> None:
    """Refuse pipes and devices, in whose place no file can be put."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise click.UsageError(
            f"{option} {path} is a pipe or a device: expected the name of a file, which is written as a whole or not "
            f"at all; leave out {option} to write none, where the command allows it."
        )


def _require_writable(path: str) -> None:
    """Find out before the work that a file cannot be written."""
    folder = Path(os.path.realpath(path)).parent
    if Path(path).is_dir():
        raise IsADirectoryError(21, "is a folder", path)
    if not folder.is_dir():
        raise FileNotFoundError(2, "no such folder", str(folder))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "no permission to write", str(folder))


@contextmanager
def _telling_pipes(names: Mapping[str, str]) -> Iterator[None]:
    """Name pipes in messages as the user did, not by their copies."""
    try:
        yield
    except Exception as error:
        if error.args and isinstance(error.args[0], str):
            text = error.args[0]
            for copy, name in names.items():
                text = text.replace(copy, name)
            error.args = (text, *error.args[1:])
        raise
