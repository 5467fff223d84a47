"""Short names of schemes, for plots, reports and the lines of the command line."""

from __future__ import annotations

from dataclasses import fields

from ridgeway.averaging import Scheme


def scheme_name(scheme: Scheme) -> str:
    """Return the scheme with its parameters at three digits.

    Examples
    --------
    >>> from ridgeway.averaging import Geometric, Last
    >>> from ridgeway.averaging.scheme_name import scheme_name
    >>> scheme_name(Geometric(0.0123456)), scheme_name(Last())
    ('Geometric(alpha=0.0123)', 'Last')
    """
    values = {field.name: getattr(scheme, field.name) for field in fields(scheme)}
    parameters = [
        f"{name}={value:,}" if type(value) is int else f"{name}={value:.3g}" for name, value in values.items()
    ]
    return f"{type(scheme).__name__}({', '.join(parameters)})" if parameters else type(scheme).__name__
