"""Parse options of the form COLUMN=KIND."""

from __future__ import annotations

import click

from ridgeway.data.kinds import KINDS


def kinds_of(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Return a dictionary from column names to kinds. A column name may contain the sign =."""
    kinds: dict[str, str] = {}
    for text in given:
        name, sign, kind = text.rpartition("=")
        if not sign or not name or kind not in KINDS:
            raise click.BadParameter(
                f"{text!r}: expected COLUMN=KIND, where KIND is one of {', '.join(KINDS)}; for instance id=text.",
                context,
                option,
            )
        if kinds.get(name, kind) != kind:
            raise click.BadParameter(
                f"{name!r} has two kinds, {kinds[name]} and {kind}: expected one; leave the other out.",
                context,
                option,
            )
        kinds[name] = kind
    return kinds
