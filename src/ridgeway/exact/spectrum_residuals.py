"""Held-out residuals of the exact engines at every alpha and scheme; each row is stored as some twenty numbers.

Along the eigenvectors of the rows learned from, a scheme with filtered inverses g predicts a held-out row x as

    x . w = sum_k z_k b_k g(s_k) ,    z_k = x . v_k .

The g of all schemes are smooth functions of s, so they lie in a space of some twenty dimensions. With weights c_k that
tell how much eigenvalue k matters, orthonormal rows Q span the products c g, and

    x . w = sum_r u_r a_r ,    u_r = sum_k z_k b_k Q_rk / c_k ,    a = Q (c g) .

u is stored for each row; a `Spectrum` gives a for every scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Geometric, Scheme
from ridgeway.exact.rated_candidates import candidates_of
from ridgeway.exact.second_read import SecondRead
from ridgeway.rows import Batch, numbered
from ridgeway.selection.held_out import HeldOut, sample_held_out
from ridgeway.selection.residual_path import Leverages, ResidualPart, ResidualPath, sample_rows
from ridgeway.selection.span import orthonormal_rows
from ridgeway.trajectory.spectrum import Basis, Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.exact.gram import GramRating
    from ridgeway.exact.held_out_rows import HeldOutRows
    from ridgeway.exact.krylov import KrylovRating
    from ridgeway.rows.standardization import Standardization

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SpectralSpan:
    """A few directions that span the filtered inverses of all schemes.

    Attributes
    ----------
    rows : Q, (r, eigenvalues), orthonormal.
    weights : c, (eigenvalues,).
    basis : the problem.
    """

    rows: Array
    weights: Array
    basis: Basis

    @classmethod
    def of(cls, basis: Basis, step: float, n_steps: int, resolution: float, leverages: bool = False) -> SpectralSpan:
        """Return the span of the inverses of all candidates, and of least squares.

        Parameters
        ----------
        basis : the problem along its eigenvectors.
        step, n_steps, resolution : as in `Spectrum`.
        leverages : make sums of squared coordinates times inverses as exact as predictions.
        """
        s = basis.eigenvalues
        weights = np.linalg.norm(basis.targets, axis=0) * np.sqrt(s)  # a typical row has z_k ~ sqrt(s_k)
        if leverages:
            top = float(weights.max(initial=0.0))
            weights = weights / (top if top > 0 else 1.0) + s / max(float(s.max(initial=0.0)), np.finfo(float).tiny)
        schemes = [*candidates_of("auto", float(s.max(initial=0.0)) or 1.0), Geometric(0.0)]
        inverses = basis.inverses(schemes, step, n_steps, resolution)
        return cls(orthonormal_rows(inverses * weights, None), weights, basis)

    def mixtures(self) -> Array:
        """Return b Q / c, which coordinates z along the eigenvectors are multiplied by: (targets, r, eigenvalues)."""
        shares: Array = self._over_weights()
        return self.basis.targets[:, None, :] * shares

    def squares(self) -> Array:
        """Return Q / c, which squared coordinates are multiplied by: (r, eigenvalues)."""
        return self._over_weights()

    def _over_weights(self) -> Array:
        return np.divide(self.rows, self.weights, out=np.zeros_like(self.rows), where=self.weights > 0)

    def coordinates(self, width: int) -> Basis:
        """Return the problem whose coefficients are the coordinates a, with zeros up to a width."""
        padded = np.zeros((width, self.rows.shape[1]))
        padded[: len(self.rows)] = self.rows
        return Basis(self.basis.eigenvalues, padded, self.weights[None], np.zeros_like(self.weights))


def residuals_of_folds(
    gram: GramRating, rows: Sequence[HeldOutRows], tests: Sequence[NDArray[np.intp]], resolution: float
) -> list[ResidualPart]:
    """Return held-out rows of folds that were solved by their Gram matrices.

    Parameters
    ----------
    gram : the models of the folds.
    rows : the held-out rows of each.
    tests : which of them to keep.
    resolution : as in `Spectrum`.
    """
    parts = []
    for fold, held, test in zip(gram.folds, rows, tests, strict=True):
        if len(test) == 0:
            continue
        span = SpectralSpan.of(fold.basis, gram.step, gram.n_steps, resolution)
        mixtures = span.mixtures()  # (targets, r, m)
        slopes = fold.basis.directions @ mixtures.reshape(-1, mixtures.shape[2]).T
        products = held.products(test, slopes / held.units.scale[:, None]).reshape(len(test), *mixtures.shape[:2])
        coordinates = Spectrum([span.coordinates(len(span.rows))], gram.step, gram.n_steps, True, resolution=resolution)
        parts.append(ResidualPart(held.numbers(test), held.targets(test), products, coordinates))
    return parts


def residuals_one_by_one(read: SecondRead, rows: NDArray[np.intp]) -> ResidualPart:
    """Return rows that are left out one by one.

    Parameters
    ----------
    read : the rows that were learned from.
    rows : which of them to keep.
    """
    spectrum = read.spectrum
    facts = spectrum.step, spectrum.n_steps, spectrum.resolution
    span = SpectralSpan.of(read.basis, *facts, leverages=True)
    mixtures, squares = span.mixtures(), span.squares()
    y, products, base, pulls = [], [], [], []
    for block in read.blocks(rows):
        y.append(block.y)
        products.append(
            (block.coordinates @ mixtures.reshape(-1, mixtures.shape[2]).T).reshape(-1, *mixtures.shape[:2])
        )
        base.append(block.share * (read.standardization.constant != 0))
        pulls.append(block.coordinates**2 @ squares.T * block.share[:, None])
    coordinates = Spectrum([span.coordinates(len(span.rows))], facts[0], facts[1], True, resolution=facts[2])
    numbers = numbered(read.batch.numbers)[rows].astype(np.int64)
    leverages = Leverages(np.concatenate(base), np.concatenate(pulls))
    return ResidualPart(numbers, np.concatenate(y), np.concatenate(products), coordinates, leverages)


def residuals_of_krylov(rating: KrylovRating) -> list[ResidualPart]:
    """Return the held-out rows of folds that were solved in Krylov spaces; numbers are those of the rows fitted."""
    columns, step, n_steps = rating.products.columns, rating.step, rating.n_steps
    n_targets, parts = columns.y.shape[1], []
    kept = sample_rows(columns.tests[: len(rating.weights)], n_targets)
    for fold, rows in enumerate(kept):
        if len(rows) == 0:
            continue
        chosen = np.isin(columns.tests[fold], rows)
        spans, along = [], []
        for target in range(n_targets):
            column = fold * n_targets + target
            basis = rating.basis(column)
            span = SpectralSpan.of(basis, step, n_steps, rating.resolution)
            z = (basis.directions.T @ rating.lanczos.kept(column))[:, chosen] if len(basis.eigenvalues) else None
            spans.append(span)
            along.append(np.zeros((len(rows), len(span.rows))) if z is None else z.T @ span.mixtures()[0].T)
        width = max(part.shape[1] for part in along)
        products = np.stack([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in along], axis=1)
        bases = [span.coordinates(width) for span in spans]
        coordinates = Spectrum(bases, step, n_steps, n_targets == 1, resolution=rating.resolution)
        actual = columns.held_out(fold)[chosen]
        parts.append(ResidualPart(columns.tests[fold][chosen].astype(np.int64), actual, products, coordinates))
    return parts


def held_out_of(
    scheme: Scheme,
    batch: Batch,
    standardization: Standardization,
    method: str,
    rows: NDArray[np.intp],
    parts: Sequence[ResidualPart],
) -> HeldOut | None:
    """Return held-out rows with the predictions of a scheme and their path; None if no row was held out.

    Parameters
    ----------
    scheme : the average that was chosen.
    batch, standardization : all rows.
    method : how rows were held out, see `METHODS`.
    rows : the rows of the parts, in their order.
    parts : the rows with their residuals at every scheme.
    """
    if len(rows) == 0:
        return None
    path = ResidualPath(method, parts, batch.y[rows].astype(np.float64), standardization.target_scale)
    return sample_held_out(scheme, batch, rows, path.residuals(scheme), path)


def with_errors_of_all(
    held_out: HeldOut, rating: GramRating, target_scale: Array, variance: Array, n_rows: int
) -> HeldOut:
    """Return held-out rows with the errors of all of them, from Gram matrices, in place of those of the sample.

    Parameters
    ----------
    held_out : the sample.
    rating : the models of the folds.
    target_scale : (targets,), the unit of the standardized targets.
    variance : (targets,), of all held-out targets.
    n_rows : number of all held-out rows.
    """
    models = zip(rating.folds, rating.coefs([held_out.scheme]), strict=True)
    errors: Array = np.sum([fold.errors(coefs)[0] for fold, coefs in models], axis=0)
    mean = errors / rating.weight.sum() * target_scale**2
    return replace(held_out, n_rows=n_rows, mean_squared_error=mean, variance=variance)
