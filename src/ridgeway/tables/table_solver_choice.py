"""Which solver learns from a table, and how many of its rows are held in memory before they are streamed.

Gram matrices need one read, whose order does not matter, and memory that does not grow with the rows. So a table of few
columns is streamed as soon as it is large; only small ones are held: then each row can be left out once, and the
Krylov engine may be faster.
"""

from __future__ import annotations

from ridgeway.data import DataError
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.estimators.solver_choice import SolverChoice, choose_stream_solver
from ridgeway.estimators.solver_facts import Ability, can
from ridgeway.selection import CrossValidation
from ridgeway.tables.request import Request
from ridgeway.tables.requested_solver import requested_solver

MAX_HELD_BYTES = 2**28  # of encoded rows that Gram matrices could sum up as well


def held_bytes(request: Request, n_columns: int, memory: int) -> int:
    """Return the most bytes of encoded rows to hold; a table with more is streamed.

    Parameters
    ----------
    request : what to fit.
    n_columns : number of features.
    memory : bytes that are allowed.
    """
    if request.kernel is not None or not CrossValidation.of(request.cv).streams:
        return memory
    streamed = choose_stream_solver(request.linear_solver, n_columns).solver
    return min(memory, MAX_HELD_BYTES) if can(streamed, Ability.ANY_ORDER) else memory


def stream_solver(request: Request, n_columns: int, memory: int) -> SolverChoice:
    """Return what learns from rows that are not held in memory.

    Parameters
    ----------
    request : what to fit, a linear model.
    n_columns : number of features.
    memory : bytes that were allowed, for the message.
    """
    choice = requested_solver(request)
    if choice.solver == "auto":
        choice = choose_stream_solver("auto", n_columns)
        if choice.solver == "sgd":
            megabytes = f"{memory / 2**20:,.0f} MB"
            reason = f"{n_columns:,} columns are too many for Gram matrices, and the rows exceed {megabytes} of memory"
            choice = SolverChoice("sgd", reason)
    require_streamable(request, choice.solver)
    return choice


def require_streamable(request: Request, solver: str) -> None:
    """Refuse what needs all rows in memory.

    Parameters
    ----------
    request : what to fit.
    solver : the one that would learn from the stream; "auto" for components of a kernel model, which decide later.
    """
    if request.kernel is not None and request.components is None:
        what, remedy = "an exact kernel model", "set a number of components (--components 2000)"
    elif solver != "auto" and not can(solver, Ability.STREAMS):
        what, remedy = f"solver {solver!r}", "leave the solver out"
    else:
        cv, folds = CrossValidation.of(request.cv), request.kernel is None and can(solver, Ability.ANY_ORDER)
        if cv.streams if folds else cv.method in ("auto", "progressive"):
            return
        what = f"cv={cv}"
        remedy = f"expected cv='auto' or {'a number of folds' if folds else repr('progressive')}; leave cv out"
    raise DataError(
        f"{what} needs all rows in memory, and these rows exceed the memory limit: {remedy}, or allow more memory."
    )


def solved_by(estimator: AnyAveraged, request: Request, streamed: SolverChoice | None) -> SolverChoice:
    """Return the solver of a fitted estimator, and why it is this one.

    Parameters
    ----------
    estimator : fitted.
    request : what was asked for.
    streamed : what learned from a stream, or from chains on a cluster; None for other rows.
    """
    if not isinstance(estimator, AveragedSGDRegressor):
        return SolverChoice(estimator.solver_, estimator.solver_reason_)
    return streamed or requested_solver(request)
