"""A number for people: separators of thousands, a few significant digits, no exponent where none is needed."""

from __future__ import annotations

import math

SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e15  # numbers in between are written without an exponent


def number(value: float, digits: int = 4) -> str:
    """Return a number as text; the digits before the decimal point are all written.

    Parameters
    ----------
    value : the number.
    digits : significant digits.

    Examples
    --------
    >>> number(23894.7), number(-659.31), number(0.0123456), number(0), number(1.5e-7), number(45.0)
    ('23,895', '-659.3', '0.01235', '0', '1.5e-07', '45')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "unknown"
    if not SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return f"{value:.{digits}g}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def signed(value: float, digits: int = 4) -> str:
    """Return a number with its sign.

    Examples
    --------
    >>> signed(1234.5), signed(-0.25), signed(0)
    ('+1,234', '-0.25', '0')
    """
    return f"{'+' if value > 0 else ''}{number(value, digits)}"
