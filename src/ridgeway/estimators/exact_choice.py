"""Which way of choosing `cv` means for the exact engines, and the fit that goes with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ridgeway.averaging import Geometric, Scheme
from ridgeway.estimators.options import Averaging, check_cv
from ridgeway.exact.gram_fit import GramSums, fit_in_memory, fit_leave_one_out
from ridgeway.exact.held_out_spectrum import held_out_of, with_errors_of_all
from ridgeway.exact.krylov import MAX_PRODUCTS
from ridgeway.exact.krylov_fit import fit_rows
from ridgeway.exact.rated_candidates import best_of
from ridgeway.rows import Batch, numbered
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.folds import Fold, alike, hold_out, k_folds, split_by
from ridgeway.selection.plan import DEFAULT_FOLDS, MAX_ROWS_TO_FOLD, MIN_ROWS_TO_CHOOSE, warn_nothing_to_choose
from ridgeway.selection.table import Selection, marked
from ridgeway.trajectory import Spectrum

if TYPE_CHECKING:
    from ridgeway.selection.held_out import HeldOut
    from ridgeway.selection.table import Scored

LEAVE_ONE_OUT_ROWS = 2500  # up to which cv="auto" leaves every row out; beyond, outliers can be capped in folds
UNCHOSEN = Geometric(1.0)  # where rows are too few to choose


def check_exact_cv(cv: Any) -> Any:
    """Return a number of folds, "auto", "loo", "holdout" or a splitter."""
    if isinstance(cv, str) and cv == "loo":
        return cv
    if isinstance(cv, str) and cv in ("progressive", "gcv"):
        raise ValueError(
            f"cv={cv!r} belongs to solver='sgd': expected 'auto', a number of folds, 'loo', 'holdout' or a splitter; "
            "set solver='sgd', or cv='loo'."
        )
    return check_cv(cv)


def n_models(cv: Any) -> int:
    """Return how many models a choice takes beside the one of all rows."""
    return cv if isinstance(cv, int) else 1 if isinstance(cv, str) and cv in ("loo", "holdout") else DEFAULT_FOLDS


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
    cv: Any,
    one_standard_error: bool,
    rng: np.random.Generator,
    given: tuple[Any, Any],
    max_products: int | None = None,
) -> ExactOutcome:
    """Fit rows in memory and choose the average, unless it is given.

    Parameters
    ----------
    solver : "gram" or "krylov".
    batch, standardization : the rows.
    asked : the scheme, or the family to choose from.
    cv : as `check_exact_cv` returns it.
    one_standard_error : choose the strongest regularization within a standard error of the best.
    rng : deals the folds.
    given : X and y as the user gave them, for splitters.
    max_products : after which the Krylov engine ends, settled or not; None for its own limit.
    """
    family, scheme = asked.family, asked.scheme
    if family is not None and len(batch) < MIN_ROWS_TO_CHOOSE:
        warn_unchosen(len(batch))
        family, scheme = None, UNCHOSEN
    seed = int(rng.integers(2**31))
    if isinstance(cv, str) and cv == "auto":
        leaves_one_out = solver == "gram" and family == "geometric" and len(batch) <= LEAVE_ONE_OUT_ROWS
        cv = "loo" if leaves_one_out else DEFAULT_FOLDS
    if isinstance(cv, str) and cv == "loo" and family is not None:
        _require_leave_one_out(solver, family)
        fit, read = fit_leave_one_out(batch, standardization, k_folds(len(batch), DEFAULT_FOLDS, rng))
        method = f"leave-one-out of {len(batch):,} rows, Gram matrix"
        selection = Selection(
            method, marked(fit.scored, one_standard_error, best=best_of(fit.scored, standardization.unit))
        )
        sums = GramSums.after(read, batch, standardization, DEFAULT_FOLDS, seed)
        chosen = selection.chosen.scheme
        held_out = held_out_of(chosen, batch, standardization, "leave-one-out", fit.held_rows, fit.held_out)
        return ExactOutcome(fit.spectrum, chosen, selection, sums, held_out=held_out)
    folds, words = ([], "") if family is None else folds_of(batch, standardization, cv, rng, given)
    how = "hold-out" if len(folds) == 1 else "folds"
    if solver == "gram":
        fit, read = fit_in_memory(batch, standardization, folds, family)
        n_folds = cv if isinstance(cv, int) else DEFAULT_FOLDS
        sums = GramSums.after(read, batch, standardization, n_folds, seed)
        unit = standardization.unit
        average, table = _chosen(scheme, fit.scored, f"{words}, Gram matrices", one_standard_error, unit)
        held_out = held_out_of(average, batch, standardization, how, fit.held_rows, fit.held_out)
        if held_out is not None and fit.rating is not None and len(fit.held_rows) < sum(len(f.test) for f in folds):
            tests = np.concatenate([fold.test for fold in folds])
            share = batch.weight[tests] / batch.weight[tests].sum(dtype=np.float64)
            about = batch.y[tests] - batch.y[tests[0]]
            variance = share @ (about - share @ about) ** 2
            held_out = with_errors_of_all(held_out, fit.rating, standardization.target_scale, variance, len(tests))
        return ExactOutcome(fit.spectrum, average, table, sums, held_out=held_out)
    krylov = fit_rows(batch, standardization, folds, family, scheme, max_products or MAX_PRODUCTS)
    method = f"{words}, {krylov.n_products} Krylov products"
    average, table = _chosen(scheme, krylov.scored, method, one_standard_error, standardization.unit)
    rows = np.concatenate([np.zeros(0, np.intp), *(part.numbers for part in krylov.held_out)])
    parts = [replace(part, numbers=numbered(batch.numbers)[part.numbers]) for part in krylov.held_out]
    held_out = held_out_of(average, batch, standardization, how, rows, parts)
    return ExactOutcome(krylov.spectrum, average, table, None, krylov.n_products, krylov.settled, held_out)


def folds_of(
    batch: Batch, standardization: Standardization, cv: Any, rng: np.random.Generator, given: tuple[Any, Any]
) -> tuple[list[Fold], str]:
    """Return the folds that `cv` means, and their name."""
    if isinstance(cv, int):
        ranking = None
        if len(batch) <= MAX_ROWS_TO_FOLD:  # beyond, chance shares outlying rows evenly enough
            rows = standardization.rows(batch.rows, numbered(range(len(batch))))
            ranking = alike(rows.squared_norms(), batch.y)
        folds = k_folds(len(batch), cv, rng, ranking)
        return folds, f"{len(folds)} folds"
    if isinstance(cv, str):
        fold = hold_out(len(batch), True, rng)
        return [fold], f"hold-out of {len(fold.test):,} rows"
    X, y = given
    folds = split_by(cv, X, y, numbered(batch.numbers), int(np.shape(y)[0]))
    return folds, f"{len(folds)} given splits"


def warn_unchosen(n_rows: int) -> None:
    """Say that rows are too few to choose a ridge strength."""
    warn_nothing_to_choose(n_rows, f"alpha={UNCHOSEN.alpha:g}")


def _chosen(
    scheme: Scheme | None, scored: list[Scored], method: str, one_standard_error: bool, unit: float
) -> tuple[Scheme, Selection | None]:
    if scheme is not None:
        return scheme, None
    selection = Selection(method, marked(scored, one_standard_error, best=best_of(scored, unit)))
    return selection.chosen.scheme, selection


def _require_leave_one_out(solver: str, family: str) -> None:
    if solver != "gram":
        raise ValueError("cv='loo' needs Gram matrices: set solver='gram', or a number of folds.")
    if family != "geometric":
        raise ValueError(
            f"cv='loo' with averaging={family!r}: expected averaging='geometric', for leaving a row out has a closed "
            "form for ridge only; or set a number of folds."
        )
