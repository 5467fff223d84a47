"""Which solver learns from a table, and how many of its rows are held in memory before they are streamed.

Gram matrices need one read, whose order does not matter, and memory that does not grow with the rows. So a table of few
columns is streamed as soon as it is large; only small ones are held: then each row can be left out once, and the
Krylov engine may be faster.
"""

from __future__ import annotations

from ridgeway.data import DataError
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.estimators.solver_choice import MAX_STREAM_COLUMNS, SolverChoice, choose_stream_solver
from ridgeway.tables.request import Request

MAX_HELD_BYTES = 2**28  # of encoded rows that Gram matrices could sum up as well


def held_bytes(request: Request, n_columns: int, memory: int) -> int:
    """Return the most bytes of encoded rows to hold; a table with more is streamed.

    Parameters
    ----------
    request : what to fit.
    n_columns : number of features.
    memory : bytes that are allowed.
    """
    exact = request.kernel is None and request.linear_solver in ("auto", "gram")
    few = n_columns <= MAX_STREAM_COLUMNS or request.linear_solver == "gram"
    if exact and few and (request.cv == "auto" or isinstance(request.cv, int)):
        return min(memory, MAX_HELD_BYTES)
    return memory


def stream_solver(request: Request, n_columns: int, memory: int) -> SolverChoice:
    """Return what learns from rows that are not held in memory.

    Parameters
    ----------
    request : what to fit, a linear model.
    n_columns : number of features.
    memory : bytes that were allowed, for the message.
    """
    solver, cv = request.linear_solver, request.cv
    if solver == "auto":
        choice = choose_stream_solver(n_columns)
        if choice.solver == "sgd":
            megabytes = f"{memory / 2**20:,.0f} MB"
            reason = f"{n_columns:,} columns are too many for Gram matrices, and the rows exceed {megabytes} of memory"
            choice = SolverChoice("sgd", reason)
    else:
        choice = SolverChoice(solver, request.solver_reason)
    if choice.solver == "krylov":
        raise krylov_needs_memory()
    if choice.solver == "gram" and not (cv == "auto" or isinstance(cv, int)):
        raise DataError(
            f"cv={cv!r} needs all rows in memory, and these rows exceed the memory limit: expected cv='auto' or a "
            "number of folds; leave cv out, or allow more memory."
        )
    return choice


def krylov_needs_memory() -> DataError:
    """Return the error for a Krylov fit of rows that are streamed."""
    return DataError(
        "solver 'krylov' needs all rows in memory, and these rows exceed the memory limit: leave the solver out, or "
        "allow more memory."
    )


def solved_by(estimator: AnyAveraged, request: Request, streamed: SolverChoice | None) -> SolverChoice:
    """Return the solver of a fitted estimator, and why it is this one.

    Parameters
    ----------
    estimator : fitted.
    request : what was asked for.
    streamed : what learned from a stream; None for rows in memory.
    """
    if not isinstance(estimator, AveragedSGDRegressor):
        return SolverChoice(estimator.solver_, estimator.solver_reason_)
    return streamed or SolverChoice("sgd", request.solver_reason)
