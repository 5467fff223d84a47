"""The tally and the bounds of divergence, which the core and Python both name."""

from __future__ import annotations

import re
from pathlib import Path

from ridgeway.sgd import guard

HEADER = Path(__file__).parents[2] / "core" / "sgd" / "guard.hpp"


# Law: Python names the places of the tally, and the bounds of divergence, as the core does.
def test_guard_is_that_of_the_core() -> None:
    text = HEADER.read_text(encoding="utf-8")
    (listed,) = re.findall(r"enum Tally \{([^}]*)\}", text)
    places = {name.strip(): place for place, name in enumerate(listed.split(","))}
    named = {"CLIPPED": guard.N_CLIPPED, **{name: getattr(guard, name) for name in places if hasattr(guard, name)}}
    assert set(named) == {"CLIPPED", "SUM_Q", "SUM_Q2", "LARGEST_Q", "LARGEST_T2"}
    assert named == {name: places[name] for name in named}
    assert len(places) == guard.TALLY_SIZE
    bounds = {name: float(value) for name, value in re.findall(r"constexpr double (\w+) = ([\d.e]+);", text)}
    assert (bounds["SAFE"], bounds["EXPLOSION"]) == (guard.SAFE_RATIO, guard.EXPLOSION_FACTOR)
