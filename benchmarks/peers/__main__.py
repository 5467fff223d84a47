"""Run the benchmark against peers, from the root: `python -m benchmarks.peers [--quick] [--only shapes,race]`."""

from __future__ import annotations

from importlib.metadata import version

from benchmarks.command import Suites, run
from benchmarks.machine import facts
from benchmarks.peers import defaults, disk, kernels, memory, one_pass, paths, race, speed, text

SUITES: Suites = {
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
    "paths": paths.cases,
}
PEERS = ("adelie", "glum", "himalaya", "pandas", "python-glmnet", "river", "skglm", "snapml", "vowpalwabbit")

if __name__ == "__main__":
    machine = facts() | {name: version(name) for name in PEERS}
    run("python -m benchmarks.peers", __doc__, "peers", SUITES, machine)
