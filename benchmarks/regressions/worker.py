"""One version of the package in a process of its own: `python worker.py PACKAGE_FOLDER SCALE [TASK ...]`.

With tasks it runs them in this order and ends. Otherwise it reads names of tasks, one a line, and answers each with
the processor seconds of the task and of its yardstick.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

folder, scale = Path(sys.argv[1]).resolve(), float(sys.argv[2])
root = Path(__file__).parents[2]
if folder != root / "src":  # an editable install would lead to the sources instead
    sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]
sys.path[:0] = [str(folder), str(root)]

from threadpoolctl import threadpool_limits  # noqa: E402

import ridgeway  # noqa: E402
from benchmarks.regressions.tasks import Task, tasks  # noqa: E402

if not Path(str(ridgeway.__file__)).resolve().is_relative_to(folder):
    sys.exit(f"ridgeway came from {ridgeway.__file__}, expected {folder}.")


def seconds(task: Task) -> float:
    """Return the processor time of a task."""
    start = process_time()
    task()
    return process_time() - start


with threadpool_limits(limits=1):
    known = tasks(scale)
    if len(sys.argv) > 3:
        for name in sys.argv[3:]:
            known[name][0]()
        sys.exit()
    print(json.dumps(list(known)), flush=True)
    for line in sys.stdin:
        task, yardstick = known[line.strip()]
        print(json.dumps([seconds(task), seconds(yardstick)]), flush=True)
