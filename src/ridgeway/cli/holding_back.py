"""Test rows of `ridgeway fit`: --test FILE, or a share of the table that is held back."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

import click

from ridgeway.cli.console import Console


def require_test_rows(file: str | None, share: float | None, time: str | None, only_files: str | None) -> None:
    """Refuse options that contradict each other.

    Parameters
    ----------
    file, share, time : as given by --test, --test-share and --time.
    only_files : options that need the table as it is, as text for a message; None if there are none.
    """
    if file is not None and share is not None:
        raise click.UsageError("--test and --test-share are both given: expected one of them.")
    if share is not None and not 0 < share < 1:
        raise click.UsageError(f"--test-share {share:g}: expected a share of the rows between 0 and 1, such as 0.2.")
    if time is not None and share is None:
        raise click.UsageError("--time tells which rows to hold back: add --test-share 0.2.")
    if share is not None and only_files is not None:
        raise click.UsageError(
            f"--test-share copies the rows, and {only_files} needs the file itself: write the test rows to a file of "
            "their own and pass it with --test FILE."
        )


@contextmanager
def held_back_rows(
    console: Console, data: Any, request: Any, share: float, time: str | None
) -> Iterator[tuple[str, str]]:
    """Yield the paths of the rows to learn from and of the rows to test, in a folder that is removed afterwards."""
    from ridgeway.tables.held_back import split_table

    with tempfile.TemporaryDirectory(prefix="ridgeway-") as folder:
        split = split_table(data, request, share, time, folder)
        which = f"the last by {time!r}" if time is not None else "chosen at random"
        console.say(f"{split.n_test:,} of {split.n_train + split.n_test:,} rows are held back for a test, {which}.")
        yield str(split.train), str(split.test)


def of_data(model: Any, data: Any) -> Any:
    """Return the model with the name of the table that the user gave."""
    from dataclasses import replace
    from pathlib import Path

    name = Path(data).name if isinstance(data, str) else data.name
    return replace(model, facts=replace(model.facts, data=name))


def page_of_test_rows(report: str | None) -> str | None:
    """Return the path of the page of test rows, beside the report of the model; None without a report.

    Examples
    --------
    >>> page_of_test_rows("out/flights.html")
    'out/flights-test.html'
    """
    if report is None:
        return None
    path = PurePath(report)
    return str(path.with_name(f"{path.stem}-test{path.suffix}"))


def evaluate_test_rows(model: Any, data: str, report: str | None) -> Any:
    """Return the evaluation of a model on test rows, after writing its page if a path is given."""
    from ridgeway.evaluation import evaluate

    found = evaluate(model, data)
    if report is not None:
        from ridgeway.report import write_evaluation

        targets = ", ".join(model.targets) or "the target"
        write_evaluation(found, report, f"{targets}, learned from {model.facts.data}: the test rows")
    return found
