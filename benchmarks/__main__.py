"""Run the benchmarks from the project's root: `python -m benchmarks [--quick] [--only dense,csr,...]`."""

from __future__ import annotations

from benchmarks import choice, csr, dask, dense, growth, kernel, paths, pipelining, stream
from benchmarks.command import Suites, run
from benchmarks.machine import facts

SUITES: Suites = {
    "dense": dense.cases,
    "csr": csr.cases,
    "growth": growth.cases,
    "paths": paths.cases,
    "choice": choice.cases,
    "stream": stream.cases,
    "kernel": kernel.cases,
    "kernel-long": kernel.long_cases,
    "pipelining": pipelining.cases,
    "dask": dask.cases,
}

if __name__ == "__main__":
    run("python -m benchmarks", __doc__, "engine", SUITES, facts(), optional=("kernel-long",))
