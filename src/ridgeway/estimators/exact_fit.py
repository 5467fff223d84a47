"""How `cv` selects the average in an exact fit, and the fit itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ridgeway.averaging import Geometric, Scheme
from ridgeway.estimators.solver_facts import Ability, can, check_solver
from ridgeway.exact.gram_fit import fit_in_memory, fit_leave_one_out
from ridgeway.exact.gram_sums import GramSums
from ridgeway.exact.krylov import MAX_PRODUCTS
from ridgeway.exact.krylov_fit import fit_rows
from ridgeway.exact.rated_candidates import selection_of
from ridgeway.exact.spectrum_residuals import held_out_of, with_errors_of_all
from ridgeway.rows import Batch, numbered
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.candidate_table import Selection
from ridgeway.selection.cross_validation import DEFAULT_FOLDS, NO_FOLDS, CrossValidation
from ridgeway.selection.folds import Fold, alike, k_folds
from ridgeway.selection.plan import MAX_ROWS_TO_FOLD, Averaging
from ridgeway.selection.residual_path import method_of
from ridgeway.selection.target_variance import variance_of_rows
from ridgeway.trajectory import Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.selection.candidate_table import Scored
    from ridgeway.selection.held_out import HeldOut

MAX_LEAVE_ONE_OUT_ROWS = 2500  # with more rows, cv="auto" takes folds, where outliers can be capped
UNCHOSEN = Geometric(1.0)  # where rows are too few to choose


def check_exact_cv(cv: Any) -> CrossValidation:
    """Return how an exact solver chooses the average."""
    return CrossValidation.of(cv, ("loo", "holdout"), "; set solver='sgd' for 'progressive' or 'gcv'")


def exact_cv(cv: Any, asked: Averaging, batch: Batch, given: tuple[Any, Any]) -> CrossValidation:
    """Return `cv` for `fit_exactly`, which may be called twice with it: checked, and the splits of a splitter made.

    Parameters
    ----------
    cv : as the user gave it.
    asked : the scheme, or the family to choose from, which alone takes splits.
    batch : the rows.
    given : X and y as the user gave them.
    """
    checked = check_exact_cv(cv)
    return checked.with_splits(batch, *given) if asked.can_choose(len(batch)) else checked


def stream_folds(cv: Any, asked: Averaging) -> int:
    """Return the number of folds of a stream, which rows are dealt to as they come.

    Parameters
    ----------
    cv : as the user gave it.
    asked : the scheme, or the family to choose from.
    """
    checked = check_exact_cv(cv)
    if asked.family is not None and not checked.streams:
        raise ValueError(
            f"cv={checked} needs all rows at once: expected 'auto' or a number of folds for partial_fit; or call fit."
        )
    return checked.n_folds


class ExactOutcome(NamedTuple):
    """What an exact fit ends with.

    Attributes
    ----------
    spectrum : over all rows.
    scheme : the average that was chosen or given.
    selection : the candidates; None where the scheme was given.
    sums : of the Gram engine, which can go on; None for others.
    n_products : products that the Krylov engine took; 0 for others.
    settled : False where the Krylov engine ended before the error had settled.
    held_out : held-out rows with their predictions; None where nothing was held out.
    """

    spectrum: Spectrum
    scheme: Scheme
    selection: Selection | None
    sums: GramSums | None
    n_products: int = 0
    settled: bool = True
    held_out: HeldOut | None = None


def fit_exactly(
    solver: str,
    batch: Batch,
    standardization: Standardization,
    asked: Averaging,
    cv: CrossValidation,
    one_standard_error: bool,
    rng: np.random.Generator,
    max_products: int | None = None,
) -> ExactOutcome:
    """Fit rows in memory and choose the average, unless it is given.

    Parameters
    ----------
    solver : "gram" or "krylov".
    batch, standardization : the rows.
    asked : the scheme, or the family to choose from.
    cv : as `exact_cv` returns it.
    one_standard_error : choose the strongest regularization within a standard error of the best.
    rng : deals the folds.
    max_products : after which the Krylov engine ends, settled or not; None for its own limit.
    """
    asked = asked.of_rows(len(batch), UNCHOSEN)
    family = asked.family
    seed = int(rng.integers(2**31))  # of the folds of rows that may come later
    few_of_ridge = family == "geometric" and len(batch) <= MAX_LEAVE_ONE_OUT_ROWS
    cv = cv.automatic("loo" if few_of_ridge and can(solver, Ability.LEVERAGES) else "folds")
    problem = _Problem(batch, standardization, asked, one_standard_error)
    if cv.method == "loo" and family is not None:
        require_leverages(solver)
        if family != "geometric":
            raise ValueError(
                f"cv='loo' with averaging={family!r}: expected averaging='geometric', as leaving a row out has a "
                "closed form for ridge only; or set a number of folds."
            )
        return _leave_one_out(problem, k_folds(len(batch), DEFAULT_FOLDS, rng), seed)
    folds, method = NO_FOLDS
    if family is not None:
        folds, method = cv.folds(len(batch), rng, True, lambda: _ranking(batch, standardization))
    match solver:
        case "gram":
            return _by_gram(problem, folds, method, cv.n_folds, seed)
        case "krylov":
            return _by_krylov(problem, folds, method, max_products or MAX_PRODUCTS)
    raise AssertionError(f"no engine solves {solver!r}")


class _Problem(NamedTuple):
    """Rows to fit, and the requested average."""

    batch: Batch
    standardization: Standardization
    asked: Averaging
    one_standard_error: bool

    def chosen(self, scored: list[Scored], method: str) -> tuple[Scheme, Selection | None]:
        """Return the given average, or the best one of those that are scored, with their table."""
        if self.asked.scheme is not None:
            return self.asked.scheme, None
        selection = selection_of(scored, method, self.standardization.unit, self.one_standard_error)
        return selection.chosen.scheme, selection


def _leave_one_out(problem: _Problem, folds: list[Fold], seed: int) -> ExactOutcome:
    batch, standardization = problem.batch, problem.standardization
    fit, read = fit_leave_one_out(batch, standardization, folds)
    average, table = problem.chosen(fit.scored, f"leave-one-out of {len(batch):,} rows, Gram matrix")
    sums = GramSums.after(read, batch, standardization, DEFAULT_FOLDS, seed)
    held_out = held_out_of(average, batch, standardization, "leave-one-out", fit.held_rows, fit.held_out)
    return ExactOutcome(fit.spectrum, average, table, sums, held_out=held_out)


def _by_gram(problem: _Problem, folds: list[Fold], method: str, n_later_folds: int, seed: int) -> ExactOutcome:
    batch, standardization = problem.batch, problem.standardization
    fit, read = fit_in_memory(batch, standardization, folds, problem.asked.family)
    sums = GramSums.after(read, batch, standardization, n_later_folds, seed)
    average, table = problem.chosen(fit.scored, f"{method}, Gram matrices")
    held_out = held_out_of(average, batch, standardization, method_of(len(folds)), fit.held_rows, fit.held_out)
    if held_out is not None and fit.rating is not None and len(fit.held_rows) < sum(len(f.test) for f in folds):
        tests = np.concatenate([fold.test for fold in folds])
        variance = variance_of_rows(batch, tests)
        held_out = with_errors_of_all(held_out, fit.rating, standardization.target_scale, variance, len(tests))
    return ExactOutcome(fit.spectrum, average, table, sums, held_out=held_out)


def _by_krylov(problem: _Problem, folds: list[Fold], method: str, max_products: int) -> ExactOutcome:
    batch, standardization, asked = problem.batch, problem.standardization, problem.asked
    fit = fit_rows(batch, standardization, folds, asked.family, asked.scheme, max_products)
    average, table = problem.chosen(fit.scored, f"{method}, {fit.n_products} Krylov products")
    rows = np.concatenate([np.zeros(0, np.intp), *(part.numbers for part in fit.held_out)])
    parts = [replace(part, numbers=numbered(batch.numbers)[part.numbers]) for part in fit.held_out]
    held_out = held_out_of(average, batch, standardization, method_of(len(folds)), rows, parts)
    return ExactOutcome(fit.spectrum, average, table, None, fit.n_products, fit.settled, held_out)


def _ranking(batch: Batch, standardization: Standardization) -> NDArray[np.intp] | None:
    """Rank the rows as `alike` does; None for many rows, where random folds share outlying ones evenly enough."""
    if len(batch) > MAX_ROWS_TO_FOLD:
        return None
    rows = standardization.rows(batch.rows, numbered(range(len(batch))))
    return alike(rows.squared_norms(), batch.y)


def require_leverages(solver: str) -> None:
    """Refuse a solver that computes no leverages, with which each row is left out in closed form."""
    check_solver(solver, Ability.LEVERAGES, where="for cv='loo'; or set a number of folds")
