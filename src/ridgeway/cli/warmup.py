"""`ridgeway warmup`: compile ahead of time."""

from __future__ import annotations

import time

from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command


@make_command()
def command(console: Console) -> None:
    """Compile everything ahead of time, so that the first fit starts at once.

    The machine code is kept on disk, for this user and this version.
    """
    from ridgeway.cli.warming import warm_up

    begun = time.perf_counter()
    jobs = warm_up(console.progress)
    seconds = time.perf_counter() - begun
    console.say(f"Compiled what {jobs} kinds of fits need, in {seconds:.1f} s.")
    console.result({"jobs": jobs, "seconds": seconds})
