"""The one reader of states: an entry is given out only if it is what was asked for, whatever is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridgeway.storage.state import StateError, Stored

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.text(max_size=3), max_size=4),
    st.just({}),
)


# Law: whatever an entry is, each question is answered by a value of its type and range, or by a StateError.
@given(VALUES)
def test_answers_are_sound(value: Any) -> None:
    stored = Stored({"entry": value})
    for ask, sound in (
        (stored.flag, lambda answer: isinstance(answer, bool)),
        (lambda name: stored.integer(name, -5, 5), lambda answer: type(answer) is int and -5 <= answer <= 5),
        (
            stored.number,
            lambda answer: type(answer) is float and json.loads(json.dumps(answer, allow_nan=False)) == answer,
        ),
        (lambda name: stored.text(name, max_characters=4), lambda answer: isinstance(answer, str) and len(answer) <= 4),
        (lambda name: stored.levels(name, 2, 2), lambda answer: len(answer) == len(set(answer)) <= 2),
    ):
        try:
            answer = ask("entry")
        except StateError as error:
            assert str(error).startswith("entry is ")  # noqa: PT017
        else:
            assert sound(answer)


# Law: a number that JSON can spell but no float can hold is refused.
@pytest.mark.parametrize("spelled", ["1e999", "-1e999", "1" + "0" * 400, "-1" + "0" * 400])
def test_infinite_numbers(spelled: str) -> None:
    with pytest.raises(StateError, match="expected a finite number"):
        Stored({"entry": json.loads(spelled)}).number("entry")


# Law: the remedy ends every message, also those of parts.
def test_remedy() -> None:
    stored = Stored({"parts": [{"n": -1}], "n": 0.5}, "encoder", "fit again")
    with pytest.raises(StateError, match=r"^encoder\.parts\.0\.n is -1: expected .*; fit again\.$"):
        stored.parts("parts")[0].integer("n")
    with pytest.raises(StateError, match=r"^encoder has other entries.*\(n\); fit again\.$"):
        stored.require_names(["parts"])
    with pytest.raises(StateError, match=r"^encoder\.m is missing; fit again\.$"):
        stored.integer("m")
