"""Print the share of branches that the tests take, from a report of `coverage json`; fail if it is too small."""

from __future__ import annotations

import json
import sys
from pathlib import Path

REQUIRED_PERCENT = 95.0  # percent


def main(report: Path) -> int:
    """Print the share and the files that miss most branches; return the exit code."""
    measured = json.loads(report.read_text(encoding="utf-8"))
    totals = measured["totals"]
    missed = {name: of["summary"]["missing_branches"] for name, of in measured["files"].items()}
    for name, count in sorted(missed.items(), key=lambda item: -item[1])[:10]:
        print(f"{count:5} missed in {name}")
    share = 100 * totals["covered_branches"] / totals["num_branches"]
    covered, total = totals["covered_branches"], totals["num_branches"]
    print(f"{covered} of {total} branches: {share:.2f}% (required: {REQUIRED_PERCENT:g}%)")
    return int(share < REQUIRED_PERCENT)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
