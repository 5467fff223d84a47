"""The names of the solvers, as users write and read them; the command line shows them before it imports NumPy."""

from __future__ import annotations

from ridgeway.validation.names import is_name

SOLVER_TITLES = {"gram": "Gram matrices", "krylov": "Krylov space", "sgd": "averaged SGD"}
SOLVERS = ("auto", *SOLVER_TITLES)  # of linear models
KERNEL_SOLVERS = ("auto", "krylov", "sgd")
AS_REQUESTED = "as requested"  # the reason of a solver that the user named


def describe_solver(solver: str, reason: str) -> str:
    """Say which solver ran, and why.

    Examples
    --------
    >>> describe_solver("gram", AS_REQUESTED)
    'Gram matrices (gram), as requested'
    """
    return f"{SOLVER_TITLES[solver]} ({solver}){', ' if reason else ''}{reason}"


def check_solver(solver: object, known: tuple[str, ...] = SOLVERS) -> str:
    """Return the name of a solver, if it is one of those that are known."""
    if not is_name(solver, *known):
        names = ", ".join(map(repr, known[:-1]))
        raise ValueError(f"solver={solver!r}: expected {names} or {known[-1]!r}.")
    return solver
