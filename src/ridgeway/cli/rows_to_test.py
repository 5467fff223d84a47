"""Test rows of `ridgeway fit`: --test FILE, or a share of the table that is held back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from ridgeway.cli.console import Console

NOTABLE_TIE_FACTOR = 1.1  # more test rows than this many times the share need a reason

if TYPE_CHECKING:
    from ridgeway.evaluation import Evaluation
    from ridgeway.report.report_summary import EvaluatedRows


def require_test_rows(
    file: str | None, share: float | None, time: str | None, by: str | None, only_files: str | None
) -> None:
    """Refuse options that contradict each other.

    Parameters
    ----------
    file, share, time, by : as given by --test, --test-share, --time and --by.
    only_files : options that need the table as it is, as text for a message; None if there are none.
    """
    if file is not None and share is not None:
        raise click.UsageError("--test and --test-share are both given: expected one of them.")
    if share is not None and not 0 < share < 1:
        raise click.UsageError(f"--test-share {share:g}: expected a share of the rows between 0 and 1, such as 0.2.")
    if time is not None and share is None:
        raise click.UsageError(
            "--time is given without --test-share: it chooses which rows --test-share holds back; add "
            "--test-share 0.2, or leave out --time."
        )
    if by is not None and file is None and share is None:
        raise click.UsageError(
            "--by is given without test rows: it shows their errors by group; add --test-share 0.2 or --test FILE, or "
            "leave out --by."
        )
    if share is not None and only_files is not None:
        raise click.UsageError(
            f"--test-share cannot be combined with {only_files}: it fits a temporary copy of the rows, and "
            f"{only_files} has to read the original file. Put the test rows in a file of their own (--test FILE), or "
            "leave out one option."
        )


def require_group_column(by: str | None, data: Any) -> None:
    """Refuse a column to group by that the table of the test rows does not have, before anything is fitted."""
    if by is None:
        return
    from ridgeway.data import column_names
    from ridgeway.data.schema import no_column

    columns = column_names(data)
    if columns is not None and by not in columns.names:
        raise no_column(by, columns.names, columns.source_name)


@contextmanager
def held_back_rows(
    console: Console, data: Any, request: Any, share: float, time: str | None
) -> Iterator[tuple[str, str]]:
    """Yield the paths of the rows to learn from and of the rows to test, in a folder that is removed afterwards."""
    from ridgeway.tables.train_test_files import hold_back

    with hold_back(data, share, time=time, request=request) as split:
        rows = split.n_train + split.n_test
        which = f"the last by {time!r}" if time is not None else "chosen at random"
        if time is not None and split.n_test > NOTABLE_TIE_FACTOR * share * rows:
            which += f" ({split.n_test / rows:.0%} instead of {share:.0%}, because rows of one {time!r} stay together)"
        console.say(f"{split.n_test:,} of {rows:,} rows are held back for a test, {which}.")
        yield str(split.train), str(split.test)


def of_data(model: Any, data: Any) -> Any:
    """Return the model with the name of the table that the user gave."""
    from ridgeway.tables.train_test_files import table_name

    return replace(model, facts=replace(model.facts, data=table_name(data)))


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


@dataclass(frozen=True)
class FoundOnTest:
    """The evaluation on the test rows.

    Attributes
    ----------
    found : the evaluation.
    stated : what the report of the model states of it.
    file : the file of the rows, as given with --test; None for rows that were held back.
    hints : what the result may mean, and what to compare.
    """

    found: Evaluation
    stated: EvaluatedRows
    file: str | None
    hints: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowsToTest:
    """Rows to test a model on.

    Attributes
    ----------
    data : path of the rows.
    by : group errors by this column; None without groups.
    time : column by which they are the last rows of the table; None if they are not.
    report : the page to write; None for none. It lies beside the report of the model.
    file : the file that was given, which the model may have learned from; None for rows that were held back.
    """

    data: str
    by: str | None
    time: str | None
    report: str | None
    file: str | None = None

    def evaluate(self, model: Any) -> FoundOnTest:
        """Return the evaluation of a model on these rows, after writing its page."""
        from ridgeway.cli.hints import hints_of_test
        from ridgeway.evaluation import evaluate
        from ridgeway.report.evaluated_rows import evaluated_rows

        found = evaluate(model, self.data, by=self.by)
        page = None
        if self.report is not None:
            from ridgeway.report import write_evaluation

            targets = ", ".join(model.targets) or "the target"
            which = "the test rows" if self.file is None else f"the rows of {self.file}"
            which = which if self.time is None else f"the test rows, the last by {self.time}"
            title = f"{targets}, learned from {model.facts.data}: {which}"
            write_evaluation(found, self.report, title, unseen=self.file is None)
            page = quote(PurePath(self.report).name)
        compared = model.model.selection_ is not None
        stated = evaluated_rows(found, page, self.time, compared, self.file)
        return FoundOnTest(found, stated, self.file, tuple(hints_of_test(model, found, self.time)))
