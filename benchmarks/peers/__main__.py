"""Run the benchmark against peers, from the root: `python -m benchmarks.peers [--quick] [--only shapes,race]`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.machine import facts
from benchmarks.peers import defaults, disk, kernels, memory, one_pass, race, speed, text
from benchmarks.report import Case, header, lines, store

SUITES: dict[str, Callable[[bool], Iterator[Case]]] = {
    "one pass": one_pass.cases,
    "defaults": defaults.cases,
    "race": race.cases,
    "shapes": speed.shapes,
    "strengths": speed.strengths,
    "sparsity": speed.sparsity,
    "memory": memory.cases,
    "text": text.cases,
    "disk": disk.cases,
    "kernels": kernels.cases,
}
PEERS = ("adelie", "glum", "pandas", "python-glmnet", "river", "skglm", "snapml", "vowpalwabbit")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the chosen suites, print each case as it ends and store each suite as it ends."""
    options = _parser().parse_args(arguments)
    machine = facts() | {name: version(name) for name in PEERS}
    path: Path = options.out / ("peers-quick.json" if options.quick else "peers.json")
    print("  ".join(f"{name} {value}" for name, value in machine.items()))
    print(f"\n{header()}")
    with threadpool_limits(limits=1):
        for suite in options.only:
            cases: list[Case] = []
            for case in SUITES[suite](options.quick):
                print(lines(case), flush=True)
                cases.append(case)
            store(path, suite, machine, cases)
    print(f"\nstored in {path}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and small sets, some minutes")
    parser.add_argument("--only", type=_suites, default=list(SUITES), metavar="SUITES", help="comma-separated names")
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
