"""The command line of the benchmarks: run suites, print and store their results."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from threadpoolctl import threadpool_limits

from benchmarks.report import Case, header, lines, store, summary

Suites: TypeAlias = Mapping[str, Callable[[bool], Iterator[Case]]]


def run(
    program: str,
    description: str | None,
    results: str,
    suites: Suites,
    machine: Mapping[str, str],
    optional: Sequence[str] = (),
    arguments: Sequence[str] | None = None,
) -> None:
    """Run the chosen suites, print each case as it ends and store each suite as it ends.

    Parameters
    ----------
    program, description : for the help.
    results : name of the JSON file, without its ending.
    suites : by name; each yields its cases, few and small ones if given True.
    machine : facts that are printed and stored.
    optional : suites that take minutes; they run only if they are named.
    arguments : of the command line, None for those of the process.
    """
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--quick", action="store_true", help="use smaller shapes, to which the targets do not apply")
    parser.add_argument(
        "--only",
        type=lambda text: _names(text, suites),
        default=[name for name in suites if name not in optional],
        metavar="SUITES",
        help=f"comma-separated names of {', '.join(suites)}",
    )
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"), help="folder of the JSON file")
    options = parser.parse_args(arguments)
    path: Path = options.out / f"{results}{'-quick' if options.quick else ''}.json"
    print("  ".join(f"{name} {value}" for name, value in machine.items()))
    print("One thread (kernels: two). Ratios of the best of several interleaved repeats.")
    if options.quick:
        print("Quick: smaller shapes, to which the targets do not apply.")
    print(f"\n{header()}")
    found: list[Case] = []
    with threadpool_limits(limits=1):
        for suite in options.only:
            cases: list[Case] = []
            for case in suites[suite](options.quick):
                print(lines(case), flush=True)
                cases.append(case)
            store(path, suite, machine, cases)
            found += cases
    print(f"\n{summary(found)}stored in {path}")


def _names(text: str, suites: Suites) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in suites:
            raise argparse.ArgumentTypeError(f"{name!r} is not a suite: expected some of {', '.join(suites)}.")
    return names
