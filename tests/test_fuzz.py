"""A slice of the random fits and streams of `scripts/fuzz`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripts.fuzz.__main__ import main, outcome


# Law: whatever is fitted: no NaN, no foreign error or warning, and a stream goes on after a refusal like its copy.
@pytest.mark.parametrize("first", range(0, 300, 60))
def test_random_fits_and_streams(first: int) -> None:
    outcomes = [outcome(seed) for seed in range(first, first + 60)]
    assert [failure for _, _, failures in outcomes for failure in failures] == []
    assert sum(learned for _, learned, _ in outcomes) > 30


# Law: a run that was stopped goes on where its state file says.
def test_a_run_goes_on(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    assert main(["--seeds", "0:6", "--state", str(state)]) == 0
    done = json.loads(state.read_text())
    state.write_text(json.dumps({**done, "done": 4}))
    assert main(["--seeds", "0:6", "--state", str(state)]) == 0
    assert json.loads(state.read_text())["done"] == 6
    with pytest.raises(SystemExit, match="name another state file"):
        main(["--seeds", "0:7", "--state", str(state)])
