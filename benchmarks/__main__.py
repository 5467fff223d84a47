"""Run the benchmarks from the project's root: `python -m benchmarks [--quick] [--only dense,csr,...]`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import choice, csr, dask, dense, growth, kernel, pipelining, stream
from benchmarks.machine import facts
from benchmarks.report import Case, header, lines, store, summary

SUITES: dict[str, Callable[[bool], Iterator[Case]]] = {
    "dense": dense.cases,
    "csr": csr.cases,
    "growth": growth.cases,
    "choice": choice.cases,
    "stream": stream.cases,
    "kernel": kernel.cases,
    "kernel-long": kernel.long_cases,
    "pipelining": pipelining.cases,
    "dask": dask.cases,
}
OPTIONAL = ("kernel-long",)  # minutes: run when they are named only


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the chosen suites, print each case as it ends and store each suite as it ends."""
    options = _parser().parse_args(arguments)
    machine = facts()
    path: Path = options.out / ("engine-quick.json" if options.quick else "engine.json")
    print("  ".join(f"{name} {value}" for name, value in machine.items()))
    print("One thread (kernels: two). Ratios of the best of several interleaved repeats.")
    if options.quick:
        print("Quick: smaller shapes than the targets are meant for.")
    print(f"\n{header()}")
    found: list[Case] = []
    with threadpool_limits(limits=1):
        for suite in options.only:
            cases: list[Case] = []
            for case in SUITES[suite](options.quick):
                print(lines(case), flush=True)
                cases.append(case)
            store(path, suite, machine, cases)
            found += cases
    print(f"\n{summary(found)}; stored in {path}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller shapes, under 30 seconds")
    parser.add_argument(
        "--only",
        type=_suites,
        default=[name for name in SUITES if name not in OPTIONAL],
        metavar="SUITES",
        help="comma-separated names",
    )
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"), help="folder of the JSON file")
    return parser


def _suites(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SUITES:
            raise argparse.ArgumentTypeError(f"{name!r} is no suite: expected some of {', '.join(SUITES)}.")
    return names


if __name__ == "__main__":
    main()
