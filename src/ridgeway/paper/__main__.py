"""The claims of the paper from the shell: python -m ridgeway.paper --out DIR."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor

from ridgeway.paper.registry import CLAIMS, claims_of
from ridgeway.paper.verification import run


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the claims; return 0, or 1 if a file cannot be written or a check fails unexpectedly."""
    parser = argparse.ArgumentParser(
        prog="python -m ridgeway.paper",
        description="Check every claim of the paper by computation; write paper.html and paper.json.",
    )
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder to write to; it is made if it does not exist"
    )
    parser.add_argument("--only", type=_numbers, metavar="13,18", help=f"items to check, from 1 to {len(CLAIMS)}")
    parser.add_argument("--quick", action="store_true", help="check fewer settings, in under a minute")
    parser.add_argument("--seed", type=_whole(0), default=0, metavar="N", help="seed of all random numbers (default 0)")
    parser.add_argument("--jobs", type=_whole(1), default=2, metavar="N", help="processes (2)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")
    options = parser.parse_args(arguments)
    try:
        report = run(
            options.out, options.only, options.quick, options.seed, n_jobs=options.jobs, progress=not options.quiet
        )
    except (OSError, ImportError, BrokenExecutor) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if not options.quiet:
        print(report)
    if report.failure is not None:
        print(f"error: {report.failure}", file=sys.stderr)
        return 1
    return 0


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
        claims_of(numbers)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected numbers from 1 to {len(CLAIMS)}, separated by commas, for instance 13,18."
        ) from None
    return numbers


class _whole:
    """Reads an integer of `least` or more."""

    def __init__(self, least: int) -> None:
        self.least = least

    def __call__(self, text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = self.least - 1
        if number < self.least:
            raise argparse.ArgumentTypeError(f"{text!r}: expected an integer of {self.least} or more.")
        return number


if __name__ == "__main__":
    sys.exit(main())
