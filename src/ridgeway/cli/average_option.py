"""Parse averages given on the command line: ``tail``, ``tail:0.5``, ``poisson:100``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ridgeway.messages.quantity import quantity

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # in older versions of click ParamType takes no type parameter
    ParamType = click.ParamType

AVERAGE_NAMES = ("auto", "geometric", "tail", "uniform", "last")


class Average(ParamType):
    """The name of a family of averages, or one scheme with its parameters."""

    name = "average"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a name or a scheme."""
        if value in AVERAGE_NAMES:
            return value
        from dataclasses import fields

        from ridgeway.averaging import SCHEMES, Scheme

        if isinstance(value, Scheme):
            return value
        name, _, given = value.partition(":")
        known = {scheme.lower(): kind for scheme, kind in SCHEMES.items()}
        kind = known.get(name.lower().replace("-", "").replace("_", ""))
        if kind is None or not given:
            self.fail(
                f"{value!r}: expected {', '.join(AVERAGE_NAMES)}, or a scheme with its numbers, such as tail:0.5, "
                "tail:1000, geometric:0.1, poisson:100, exponential:0.999 or negativebinomial:0.1,2.",
                param,
                ctx,
            )
        parts = given.split(",")
        try:
            if len(parts) != len(fields(kind)):
                names = ", ".join(field.name for field in fields(kind))
                example = ",".join(f"{number:g}" for number in vars(kind.examples()[-1]).values())
                expected = f"{len(fields(kind))} ({names}), such as {name}:{example}" if names else f"just {name}"
                raise ValueError(f"got {quantity(len(parts), 'number')}, expected {expected}.")
            return kind(*(int(part) if part.strip().isdigit() else float(part) for part in parts))
        except (ValueError, TypeError) as error:
            self.fail(f"{value!r}: {error}", param, ctx)


class NumberOrAuto(ParamType):
    """A number, or ``auto``.

    Parameters
    ----------
    kind : int or float.
    words : other words that are accepted, beside ``auto``.
    """

    def __init__(self, kind: type[int] | type[float], *words: str) -> None:
        self._kind, self._words = kind, ("auto", *words)
        self.name = "|".join(("int" if kind is int else "number", *self._words))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number or the word."""
        if value in self._words:
            return value
        try:
            return self._kind(value)
        except ValueError:
            self.fail(f"{value!r}: expected {self.name.replace('|', ' or ')}.", param, ctx)


def require_one(alpha: float | None, averaging: Any) -> Any:
    """Return the average that --alpha or --averaging gives; None if neither is given."""
    if alpha is not None and averaging is not None:
        raise click.UsageError("--alpha and --averaging are both given: expected one of them.")
    if averaging in ("auto", "geometric", "tail"):
        raise click.UsageError(
            f"--averaging {averaging} is a family, not one average: expected an average such as tail:0.5."
        )
    return averaging if alpha is None else alpha
