"""What each solver can do, and its name as users read it; the command line reads this before it imports NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ridgeway.validation.names import is_name

AS_REQUESTED = "as requested"  # the reason of a solver that the user named


class Ability(Enum):
    """What a solver may be able to do; the value is what messages say of a solver that is not."""

    STREAMS = "needs all rows at once"
    ANY_ORDER = "depends on the order of the rows"
    LEVERAGES = "computes no leverages of rows"
    KERNELS = "solves linear models only"


@dataclass(frozen=True)
class SolverFacts:
    """What is known of a solver.

    Attributes
    ----------
    title : its name in sentences.
    abilities : what it can do.
    """

    title: str
    abilities: frozenset[Ability]


SOLVER_FACTS = {
    "gram": SolverFacts("Gram matrices", frozenset({Ability.STREAMS, Ability.ANY_ORDER, Ability.LEVERAGES})),
    "krylov": SolverFacts("Krylov space", frozenset({Ability.KERNELS})),
    "sgd": SolverFacts("averaged SGD", frozenset({Ability.STREAMS, Ability.KERNELS})),
}


def can(solver: str, ability: Ability) -> bool:
    """Return whether a solver has an ability.

    Examples
    --------
    >>> can("gram", Ability.LEVERAGES), can("krylov", Ability.STREAMS)
    (True, False)
    """
    return ability in SOLVER_FACTS[solver].abilities


def solvers_that_can(*abilities: Ability) -> tuple[str, ...]:
    """Return "auto", and the solvers that have all of these abilities."""
    return ("auto", *(name for name, facts in SOLVER_FACTS.items() if facts.abilities.issuperset(abilities)))


def check_solver(solver: object, *abilities: Ability, where: str = "") -> str:
    """Return "auto" or the name of a solver; one without all of these abilities is refused.

    Parameters
    ----------
    solver : as the user gave it.
    abilities : those that are needed.
    where : what needs them, as the end of the message; it may add a remedy.
    """
    able = solvers_that_can(*abilities)
    if is_name(solver, *able):
        return solver
    lacking = [ability.value for ability in abilities if is_name(solver, *SOLVER_FACTS) and not can(solver, ability)]
    found = " ".join([f"solver={solver!r}", *lacking[:1]])
    expected = f"{', '.join(map(repr, able[:-1]))} or {able[-1]!r} {where}".rstrip()
    raise ValueError(f"{found}: expected {expected}.")


def describe_solver(solver: str, reason: str) -> str:
    """Say which solver ran, and why.

    Examples
    --------
    >>> describe_solver("gram", AS_REQUESTED)
    'Gram matrices (gram), as requested'
    """
    return f"{SOLVER_FACTS[solver].title} ({solver}){', ' if reason else ''}{reason}"
