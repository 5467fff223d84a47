"""The Krylov engine: ridge paths of rows in memory, or of a kernel matrix, from a few shared products.

Lanczos recurrences of all folds and of all rows advance together. From time to time the candidates are rated on the
held-out rows, and the engine stops when the least error has settled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ridgeway.averaging import Geometric, Scheme
from ridgeway.exact.gram import descent_steps
from ridgeway.exact.krylov_products import Products
from ridgeway.exact.lanczos import Lanczos, Tridiagonal
from ridgeway.exact.rated_candidates import best_rated, candidates_of, rated
from ridgeway.exact.spectrum_residuals import residuals_of_krylov
from ridgeway.selection.candidate_table import Scored
from ridgeway.selection.residual_path import ResidualPart
from ridgeway.trajectory.spectrum import RESOLUTION, Basis, Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FIRST_RATING_PRODUCTS = 4  # candidates are rated for the first time after this many products
RATING_GROWTH = 1.2  # each further rating comes after this many times as many products
MAX_ERROR_CHANGE = 3e-4  # relative change of the least error between two ratings at which the fit stops
MAX_ERROR_EXCESS = 2e-3  # relative excess of the best solved candidate over the least error at which the fit stops
LONG_SETTLED_RATINGS = 3  # after these in a row without a change the best solved candidate may be further away,
LONG_SETTLED_EXCESS = 6e-3  # because the weakest candidates may never be solved
CANDIDATE_RESIDUAL = 1e-3  # residual over |b| up to which a candidate counts as solved
GIVEN_ALPHA_RESIDUAL = 1e-10  # residual over |b| up to which a given strength counts as solved
MAX_PRODUCTS = 1000
RESOLUTION_FLOAT32 = 1e-6  # share of the largest eigenvalue that products of float32 rows resolve


class KrylovFit(NamedTuple):
    """A spectrum over all rows, and candidates with their held-out errors.

    Attributes
    ----------
    spectrum : its directions are Ritz vectors, as coefficients.
    scored : the candidates; none where nothing was to be chosen.
    n_products : how often the rows were read.
    settled : False when `MAX_PRODUCTS` ended the recurrence.
    rating : of other schemes on the held-out rows; it holds the recurrences, which are large.
    held_out : a sample of the held-out rows of each fold, with their residuals at every scheme.
    """

    spectrum: Spectrum
    scored: list[Scored]
    n_products: int
    settled: bool
    rating: KrylovRating
    held_out: Sequence[ResidualPart] = ()


@dataclass(frozen=True, eq=False)
class KrylovRating:
    """Rates schemes on all folds within the Krylov spaces so far.

    Attributes
    ----------
    products : the problem.
    weights : for each fold the weights of its held-out rows.
    lanczos : the recurrences.
    problems : of all columns, within their spaces.
    resolution : share of the largest eigenvalue up to which eigenvalues are rounding.
    """

    products: Products
    weights: Sequence[Array]
    lanczos: Lanczos
    problems: Sequence[Tridiagonal]
    resolution: float

    @cached_property
    def step(self) -> float:
        """Step of the gradient descent that other schemes than ridge are averages of: 1 / (largest eigenvalue)."""
        largest = max(problem.largest for problem in self.problems)
        return 1.0 / largest if largest > 0 else 1.0

    @property
    def n_steps(self) -> int:
        """Number of its steps."""
        return descent_steps(len(self.products.columns.y))

    @property
    def weight(self) -> Array:
        """Weight of the held-out rows of each fold, (folds,)."""
        return np.array([weight.sum() for weight in self.weights])

    def errors(self, schemes: Sequence[Scheme]) -> Array:
        """Return sums of weighted squared errors, a mean over targets: (L, folds)."""
        n_targets = self.products.columns.y.shape[1]
        errors = np.zeros((len(schemes), len(self.weights)))
        for fold, weight in enumerate(self.weights):
            actual = self.products.columns.held_out(fold)
            for target in range(n_targets):
                column = fold * n_targets + target
                left = np.tile(actual[:, target], (len(schemes), 1))
                if self.problems[column].norm > 0:
                    left -= self._coordinates(column, schemes) @ self.lanczos.kept(column)
                errors[:, fold] += left**2 @ weight / n_targets
        return errors

    def left(self, scheme: Scheme) -> list[Array]:
        """Return for each fold the residuals of a scheme at its held-out rows, (k, targets)."""
        n_targets, columns = self.products.columns.y.shape[1], self.products.columns
        left = [columns.held_out(fold).copy() for fold in range(len(self.weights))]
        for column in range(len(self.weights) * n_targets):
            if self.problems[column].norm > 0:
                predicted = self._coordinates(column, [scheme]) @ self.lanczos.kept(column)
                left[column // n_targets][:, column % n_targets] -= predicted[0]
        return left

    def _coordinates(self, column: int, schemes: Sequence[Scheme]) -> Array:
        """Return coefficients along the vectors of a column, (L, m)."""
        problem, least = self.problems[column], self.resolution / self.step
        strengths = [scheme.alpha for scheme in schemes if isinstance(scheme, Geometric) and scheme.alpha >= least]
        if len(strengths) == len(schemes):
            return problem.solve(np.array(strengths))
        basis = self.basis(column)
        return basis.coefs(basis.inverses(schemes, self.step, self.n_steps, self.resolution))[:, 0]

    def basis(self, column: int) -> Basis:
        """Return the problem of a column along its Ritz vectors, as columns (m, m) in the coordinates of its space."""
        return basis_of(self.problems[column], self.problems[column].ritz.vectors)

    def residuals(self, alphas: Sequence[float]) -> Array:
        """Return |b - (A + alpha) w| / |b| of each strength above 0, the largest of all columns: (L,)."""
        worst = np.zeros(len(alphas))
        for problem in self.problems:
            if problem.norm > 0 and problem.beyond > 0:
                last = problem.solve(np.array(alphas))[:, -1]
                worst = np.maximum(worst, problem.beyond * np.abs(last) / problem.norm)
        return worst


def basis_of(problem: Tridiagonal, directions: Array) -> Basis:
    """Return a problem along its Ritz vectors, given as columns (p, m) in whatever coordinates."""
    values, vectors = problem.ritz
    first, last = (vectors[:1], vectors[-1:]) if len(values) else (np.zeros((1, 0)), np.zeros((1, 0)))
    return Basis(values, directions, problem.norm * first, problem.beyond * last[0])


@dataclass(frozen=True)
class KrylovSettings:
    """Settings of a Krylov fit.

    Attributes
    ----------
    family : "auto", "geometric" or "tail", what competes; None where the scheme is given.
    scheme : the scheme, where it is given.
    single_target : True leaves the axis of targets out of the answers.
    dtype : precision of the rows and of the answers.
    unit : what a squared error of 1 in standardized targets is in the user's units.
    padded : append a 0 for the constant column to the directions.
    min_products, max_products : fewest and most products. Those beyond the needs of the choice solve weaker strengths.
    """

    family: str | None
    scheme: Scheme | None
    single_target: bool
    dtype: Any
    unit: float = 1.0
    padded: bool = False
    min_products: int = 0
    max_products: int = MAX_PRODUCTS


def fit_krylov(products: Products, weights: Sequence[Array], settings: KrylovSettings) -> KrylovFit:
    """Multiply until the least held-out error has settled or, for a given strength, until it is solved.

    Parameters
    ----------
    products : the problem; its last fold learns from all rows.
    weights : for each fold but the last the weights of its held-out rows.
    settings : what is requested.
    """
    lanczos = Lanczos(products.apply, products.start())
    resolution = RESOLUTION if np.dtype(settings.dtype) == np.float64 else RESOLUTION_FLOAT32
    next_rating, before, settled, settled_ratings = FIRST_RATING_PRODUCTS, math.nan, False, 0
    while True:
        lanczos.advance(min(next_rating, settings.max_products) - lanczos.n_products)
        rating = _rating(products, weights, lanczos, resolution)
        if settings.family is None:
            settled = _solved(rating, settings.scheme)
        else:
            least, resolved = _least_errors(rating, settings)
            settled_ratings = settled_ratings + 1 if abs(before - least) <= MAX_ERROR_CHANGE * least else 0
            excess = MAX_ERROR_EXCESS if settled_ratings < LONG_SETTLED_RATINGS else LONG_SETTLED_EXCESS
            settled = settled_ratings >= 1 and resolved <= (1 + excess) * least
            before = least
        enough = settled and lanczos.n_products >= settings.min_products
        if enough or lanczos.exhausted or lanczos.n_products >= settings.max_products:
            break
        next_rating = math.ceil(RATING_GROWTH * next_rating)
    rows = _chosen_from(rating, settings)
    given = settings.scheme.alpha if isinstance(settings.scheme, Geometric) else 0.0
    weakest = min(rows, key=lambda row: row.error).alpha if rows else given
    spectrum = _spectrum(rating, settings, 0.0 if math.isnan(weakest) else weakest)  # another average has no alpha
    held_out = residuals_of_krylov(rating) if rows else []
    return KrylovFit(spectrum, rows, lanczos.n_products, settled or lanczos.exhausted, rating, held_out)


def _rating(products: Products, weights: Sequence[Array], lanczos: Lanczos, resolution: float) -> KrylovRating:
    n_columns = products.columns.n_folds * products.columns.y.shape[1]
    problems = [lanczos.problem(column) for column in range(n_columns)]
    return KrylovRating(products, weights, lanczos, problems, resolution)


def _candidates(rating: KrylovRating, family: str) -> list[Scheme]:
    """Return the candidates, without strengths below what the precision of the products resolves."""
    largest = 1.0 / rating.step
    schemes = candidates_of(family, largest)
    return [
        scheme for scheme in schemes if not isinstance(scheme, Geometric) or scheme.alpha >= rating.resolution * largest
    ]


def _least_errors(rating: KrylovRating, settings: KrylovSettings) -> tuple[float, float]:
    """Return the least error of every fourth candidate, and the least of those that are solved."""
    assert settings.family is not None
    some = _candidates(rating, settings.family)[::4]
    errors = np.array([row.error for row in rated(rating, some, settings.unit)])
    solved = _resolved(rating, some)
    return float(errors.min()), float(errors[solved].min()) if solved.any() else math.inf


def _resolved(rating: KrylovRating, schemes: Sequence[Scheme]) -> NDArray[np.bool_]:
    """Tell which schemes are solved: ridge by its residual, and averages of gradient descent never before the end."""
    solved = rating.residuals([_strength(scheme, rating) for scheme in schemes]) <= CANDIDATE_RESIDUAL
    return np.asarray(solved)


def _strength(scheme: Scheme | None, rating: KrylovRating) -> float:
    """Return a ridge strength as weak as the scheme, not below what the precision resolves."""
    alpha = scheme.alpha if isinstance(scheme, Geometric) else 0.0
    return max(alpha, rating.resolution / rating.step)


def _solved(rating: KrylovRating, scheme: Scheme | None) -> bool:
    return bool(rating.residuals([_strength(scheme, rating)])[0] <= GIVEN_ALPHA_RESIDUAL)


def _chosen_from(rating: KrylovRating, settings: KrylovSettings) -> list[Scored]:
    """Return the candidates that are solved, refined around the best; all of them where none is."""
    if settings.family is None:
        return []
    schemes = _candidates(rating, settings.family)
    solved = _resolved(rating, schemes)
    some = [scheme for scheme, sound in zip(schemes, solved, strict=True) if sound]
    return best_rated(rating, some or schemes, settings.unit)


def _spectrum(rating: KrylovRating, settings: KrylovSettings, weakest: float) -> Spectrum:
    """Return the spectrum of the columns that learn from all rows."""
    products, lanczos = rating.products, rating.lanczos
    n_targets = products.columns.y.shape[1]
    first = (products.columns.n_folds - 1) * n_targets
    bases = []
    for column in range(first, first + n_targets):
        problem = rating.problems[column]
        directions = products.directions(problem.ritz.vectors.T @ lanczos.basis(column)).T  # (p, m)
        if settings.padded:
            directions = np.concatenate([directions, np.zeros((1, directions.shape[1]))])
        bases.append(basis_of(problem, directions))
    return Spectrum(
        bases, rating.step, rating.n_steps, settings.single_target, settings.dtype, rating.resolution, weakest
    )
