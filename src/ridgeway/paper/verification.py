"""`run`: check the claims of the paper, and write the page and the table of results."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from ridgeway.messages.progress import Progress
from ridgeway.paper.claim import Claim, Context
from ridgeway.paper.outcome import Outcome, outcome_of, summary
from ridgeway.paper.page import page
from ridgeway.paper.registry import claims_of
from ridgeway.paper.svg_figures import require_matplotlib
from ridgeway.storage.atomic_file import write_atomically
from ridgeway.validation.scalars import counted, whole_number

PAGE, TABLE = "paper.html", "paper.json"
# Items whose checks take longest: begun first, so that two processes end together.
LONGEST_CLAIMS = (18, 27, 37, 36, 33, 31)


@dataclass(frozen=True)
class Report:
    """The outcomes of all claims.

    Attributes
    ----------
    outcomes : one for each claim, in order.
    page, table : the files that were written.
    """

    outcomes: tuple[Outcome, ...]
    page: Path
    table: Path

    @property
    def unexpected(self) -> tuple[int, ...]:
        """Items in which a corrected statement or the library failed a check."""
        return tuple(outcome.number for outcome in self.outcomes if outcome.unexpected)

    @property
    def failure(self) -> str | None:
        """A message about failed checks; None if there are none."""
        if not self.unexpected:
            return None
        items = ", ".join(map(str, self.unexpected))
        return f"a corrected statement or the library failed a check in item {items}; see {self.page}."

    def __str__(self) -> str:
        return f"{summary(self.outcomes)}.\n{self.page}\n{self.table}"


def run(
    out: str | os.PathLike[str],
    only: Iterable[int] | None = None,
    quick: bool = False,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool = False,
) -> Report:
    """Check the claims of Neu and Rosasco (COLT 2018) by computation, and write the results.

    Each item is checked against exact expectations, exact risks or brute force. Its result (holds, holds as corrected,
    does not hold, shown) is derived from the computed numbers. Items from 36 on answer questions that the paper leaves
    open. `paper.html` has statements, findings and figures in one file that needs no network; `paper.json` has one row
    per item.

    Parameters
    ----------
    out : folder to write to; it is made if it does not exist.
    only : numbers of the items to check, from 1 to 42; all by default.
    quick : check fewer settings: under a minute instead of about two on two cores.
    seed : seed of all random numbers: two runs with the same seed differ only in their times.
    n_jobs : number of processes; with more than one, the main module must be importable.
    progress : draw a progress bar on standard error.

    Returns
    -------
    Report

    Examples
    --------
    >>> import tempfile
    >>> from ridgeway import paper
    >>> report = paper.run(tempfile.mkdtemp(), only=[12, 28], quick=True)
    >>> [outcome.result.value for outcome in report.outcomes]
    ['holds as corrected', 'holds as corrected']
    >>> print(report)
    2 items: 2 hold as corrected.
    ...paper.html
    ...paper.json
    """
    claims = claims_of(only)
    jobs = counted("n_jobs", n_jobs)
    seed = whole_number("seed", seed, "expected an integer of 0 or more")
    if seed < 0:
        raise ValueError(f"seed={seed}: expected an integer of 0 or more.")
    require_matplotlib()
    folder = _writable(Path(out))
    bar = Progress(len(claims), progress, label="items")
    found = {}
    for outcome in _outcomes(claims, seed, quick, min(jobs, len(claims))):
        found[outcome.number] = outcome
        bar.add(1)
    bar.close()
    outcomes = tuple(found[claim.number] for claim in claims)
    rows = [outcome.row(claim) for outcome, claim in zip(outcomes, claims, strict=True)]
    table = {"seed": seed, "quick": quick, "items": rows}
    write_atomically(folder / TABLE, json.dumps(table, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    write_atomically(folder / PAGE, page(claims, outcomes, seed, quick))
    return Report(outcomes, folder / PAGE, folder / TABLE)


def _outcomes(claims: tuple[Claim, ...], seed: int, quick: bool, jobs: int) -> Iterator[Outcome]:
    """Yield the outcomes as they are finished; the longest checks start first."""
    order = sorted(
        claims,
        key=lambda claim: LONGEST_CLAIMS.index(claim.number) if claim.number in LONGEST_CLAIMS else len(LONGEST_CLAIMS),
    )
    if jobs == 1:
        yield from (outcome_of(claim, Context(seed, claim.number, quick)) for claim in order)
        return
    # A fork would copy threads of BLAS in an unknown state.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(outcome_by_number, claim.number, seed, quick) for claim in order]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def outcome_by_number(number: int, seed: int, quick: bool) -> Outcome:
    """Check one claim, in a process of its own."""
    (claim,) = claims_of([number])
    return outcome_of(claim, Context(seed, number, quick))


def _writable(folder: Path) -> Path:
    """Make the folder and test whether it can be written to, before the checks start."""
    probe = folder / ".ridgeway-probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(probe, "")
        probe.unlink()
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"{folder}: not a folder that can be written to ({reason}): pass another one.") from error
    return folder
