"""Numbers for people."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from ridgeway.messages.number_text import number, signed


# Law: four significant digits are right, and from 1e-4 to 1e7 there is no exponent.
@given(st.floats(1e-4, 1e7), st.sampled_from([-1, 1]))
def test_four_digits_without_exponent(size: float, sign: int) -> None:
    text = number(sign * size)
    assert "e" not in text
    assert math.isclose(float(text.replace(",", "")), sign * size, rel_tol=5.01e-4)
    assert signed(sign * size) == ("+" + text if sign > 0 else text)


# Law: thousands are separated, zeros at the end left out, and what is no number is called unknown.
def test_spelling() -> None:
    assert [number(x) for x in (23894.7, 10190.0, -659.3, 0.25, 1e4)] == [
        "23,895",
        "10,190",
        "-659.3",
        "0.25",
        "10,000",
    ]
    assert number(math.nan) == number(math.inf) == "unknown"
