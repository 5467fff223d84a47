"""Which solver fits a kernel model: Krylov on the kernel matrix, an exact engine on components, or SGD."""

from __future__ import annotations

from typing import Any

from ridgeway.estimators.exact_fit import n_models
from ridgeway.estimators.options import check_averaging, check_cv
from ridgeway.estimators.solver_choice import ProblemSize, SolverChoice, choose_solver, choose_stream_solver
from ridgeway.estimators.solver_names import AS_REQUESTED, KERNEL_SOLVERS, check_solver
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
    if solver == "krylov" and not fits:
        raise ValueError(
            f"solver='krylov' with {n_components:,} components of {n_rows:,} rows, which do not fit in cache_size: "
            "set a larger cache_size, or solver='auto'."
        )
    if solver != "auto":
        return SolverChoice(solver, AS_REQUESTED)
    if of_sgd is None and family is not None and is_name(cv, "gcv", "progressive"):
        of_sgd = f"cv={cv!r}, which only SGD has"
    if of_sgd is not None:
        return SolverChoice("sgd", of_sgd)
    if not fits:
        return choose_component_stream(estimator, n_components)
    folds = 0 if family is None else n_models(cv)
    return choose_solver(
        ProblemSize(n_rows, n_components, batch.y.shape[1], n_rows * n_components, False, folds, itemsize)
    )


def choose_component_stream(estimator: Any, n_components: int) -> SolverChoice:
    """Return the solver of components that are seen once: Gram matrices as long as these are few."""
    solver, of_sgd, cv = _check_solver(estimator), _given_of_sgd(estimator), check_cv(estimator.cv)
    if solver == "krylov":
        raise ValueError("solver='krylov' needs all rows at once: set solver='auto' or 'sgd' for partial_fit.")
    if solver == "sgd":
        return SolverChoice("sgd", AS_REQUESTED)
    if of_sgd is None and not isinstance(cv, int) and not is_name(cv, "auto"):
        of_sgd = f"cv={cv if isinstance(cv, str) else type(cv).__name__!r} over rows that are read once"
    return choose_stream_solver(n_components) if of_sgd is None else SolverChoice("sgd", of_sgd)


def _check_solver(estimator: Any) -> str:
    """Return the solver that is asked for, and refuse parameters that it does not have."""
    solver = check_solver(estimator.solver, KERNEL_SOLVERS)
    of_sgd = _given_of_sgd(estimator)
    if solver == "krylov" and of_sgd is not None:
        raise ValueError(f"solver='krylov' with {of_sgd}: leave it at its default, or set solver='sgd'.")
    return solver


def _given_of_sgd(estimator: Any) -> str | None:
    """Return in words which parameter is given that only SGD has; None if none is."""
    for name, default in ONLY_SGD_HAS.items():
        value = getattr(estimator, name)
        asks = counted(name, value) != default if isinstance(default, int) else not is_name(value, default)
        if asks:
            return f"{name}={value!r}, which only SGD has"
    return None
