"""The solver that a request asks for, by name or by an option that only SGD has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ridgeway.averaging import Geometric, Scheme
from ridgeway.estimators.solver_choice import SolverChoice
from ridgeway.estimators.solver_facts import AS_REQUESTED, check_solver
from ridgeway.selection import CrossValidation

if TYPE_CHECKING:
    from ridgeway.tables.request import Request


def requested_solver(request: Request) -> SolverChoice:
    """Return the solver of a linear model, and why it is this one: "auto", without a reason, where the rows decide."""
    solver, option = check_solver(request.solver), _option_of_sgd(request)
    if option is not None and solver not in ("auto", "sgd"):
        raise ValueError(
            f"{option} belongs to SGD, but solver={solver!r} was requested: expected solver 'auto' or 'sgd'; set "
            f"one of these, or leave {option.partition('=')[0]} out."
        )
    if solver != "auto":
        return SolverChoice(solver, AS_REQUESTED)
    if _averages_iterates(request.averaging):
        return SolverChoice("sgd", f"because averaging={request.averaging!r} averages the steps of SGD")
    return SolverChoice("auto", "") if option is None else SolverChoice("sgd", f"because {option} is an option of SGD")


def _option_of_sgd(request: Request) -> str | None:
    """Return a given option that the exact solvers do not have."""
    if request.passes != "auto":
        return f"passes={request.passes!r}"
    cv = CrossValidation.of(request.cv)
    return f"cv={cv}" if cv.only_by_sgd else None


def _averages_iterates(averaging: str | Scheme) -> bool:
    """Return whether this is another average than ridge: of the steps of SGD, unless a solver is named."""
    if isinstance(averaging, Scheme):
        return not isinstance(averaging, Geometric)
    return averaging not in ("auto", "geometric")
