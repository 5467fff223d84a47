"""Which solver fits a kernel model: Krylov on the kernel matrix, an exact engine on components, or SGD."""

from __future__ import annotations

from typing import Any

from ridgeway.estimators.options import check_averaging, check_cv
from ridgeway.estimators.solver_choice import ProblemSize, SolverChoice, choose_solver, choose_stream_solver
from ridgeway.estimators.solver_facts import AS_REQUESTED, Ability, can, check_solver
from ridgeway.rows import Batch
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import counted

# Parameters, and the values that ask for nothing.
ONLY_SGD_HAS: dict[str, str | int] = {"step": "auto", "passes": "auto", "batch_size": 1}


def choose_kernel_solver(estimator: Any) -> SolverChoice:
    """Return the solver of a model with a coefficient per row.

    Krylov was faster and closer to kernel ridge than SGD wherever both were measured.
    """
    solver, of_sgd = _check_solver(estimator), _given_of_sgd(estimator)
    if solver == "auto" and of_sgd is None:
        return SolverChoice("krylov", "a few products with the kernel matrix solve for every strength")
    return SolverChoice(solver, AS_REQUESTED) if of_sgd is None or solver == "sgd" else SolverChoice("sgd", of_sgd)


def choose_component_solver(estimator: Any, batch: Batch, n_components: int, cache_bytes: float) -> SolverChoice:
    """Return the solver of a fit with components, which are kept where the cache has room for them twice.

    Parameters
    ----------
    estimator : whose parameters ask for it.
    batch : the rows.
    n_components : features of a row.
    cache_bytes : memory for features.
    """
    solver, of_sgd, cv = _check_solver(estimator), _given_of_sgd(estimator), check_cv(estimator.cv)
    family = check_averaging(estimator.averaging, estimator.alpha).family
    n_rows, itemsize = len(batch), batch.rows.dtype.itemsize
    fits = 2 * n_rows * n_components * itemsize <= cache_bytes
    if solver != "auto" and not can(solver, Ability.STREAMS) and not fits:
        raise ValueError(
            f"solver={solver!r} with {n_components:,} components of {n_rows:,} rows, which do not fit in cache_size: "
            "set a larger cache_size, or solver='auto'."
        )
    if solver != "auto":
        return SolverChoice(solver, AS_REQUESTED)
    if of_sgd is None and family is not None and cv.only_by_sgd:
        of_sgd = f"cv={cv}, which only SGD has"
    if of_sgd is not None:
        return SolverChoice("sgd", of_sgd)
    if not fits:
        return choose_component_stream(estimator, n_components)
    folds = 0 if family is None else cv.n_models
    return choose_solver(
        ProblemSize(n_rows, n_components, batch.y.shape[1], n_rows * n_components, False, folds, itemsize)
    )


def choose_component_stream(estimator: Any, n_components: int) -> SolverChoice:
    """Return the solver of components that are seen once: Gram matrices as long as these are few."""
    solver = check_solver(_check_solver(estimator), Ability.KERNELS, Ability.STREAMS, where="for partial_fit")
    of_sgd, cv = _given_of_sgd(estimator), check_cv(estimator.cv)
    if of_sgd is None and not cv.streams:
        of_sgd = f"cv={cv} over rows that are read once"
    if solver != "auto" or of_sgd is None:
        return choose_stream_solver(solver, n_components)
    return SolverChoice("sgd", of_sgd)


def check_kernel_solver(solver: object) -> str:
    """Return "auto" or the name of a solver of kernel models."""
    return check_solver(
        solver, Ability.KERNELS, where="for a kernel model; 'auto' takes Gram matrices if n_components is small"
    )


def _check_solver(estimator: Any) -> str:
    """Return the solver that is asked for, and refuse parameters that it does not have."""
    solver, of_sgd = check_kernel_solver(estimator.solver), _given_of_sgd(estimator)
    if solver not in ("auto", "sgd") and of_sgd is not None:
        raise ValueError(f"solver={solver!r} with {of_sgd}: leave it at its default, or set solver='sgd'.")
    return solver


def _given_of_sgd(estimator: Any) -> str | None:
    """Return in words which parameter is given that only SGD has; None if none is."""
    for name, default in ONLY_SGD_HAS.items():
        value = getattr(estimator, name)
        asks = counted(name, value) != default if isinstance(default, int) else not is_name(value, default)
        if asks:
            return f"{name}={value!r}, which only SGD has"
    return None
