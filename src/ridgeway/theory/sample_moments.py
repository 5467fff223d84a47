"""Estimates from a sample of rows: spectrum, fourth moments, signal and noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SAMPLE_RANK_CUTOFF = 1e-10
MIN_NOISE_SHARE = 1e-6  # share of the variance of y; a smaller one cannot be distinguished from 0


@dataclass(frozen=True, eq=False)
class SampleMoments:
    """Moments of rows in a run whose steps are clipped to eta |x|^2 <= limit.

    A row whose step is clipped counts as a row of weight c < 1, which is a plain step along sqrt(c) x with the label
    sqrt(c) y. The moments are those of the rows multiplied by sqrt(c).

    Attributes
    ----------
    eigenvalues : (r,), positive, decreasing.
    signal : (r,), s v^2: the variance of y explained by each direction, 0 or more.
    noise_variance : the variance that no linear predictor explains, at most the second moment of y.
    variance : second moment of y.
    r2 : E|x|^4 / E|x|^2.
    kurtosis : the kappa of independent coordinates with the same E|x|^4.
    spread : E[|x|^2 (x.v)^2] divided by its value for independent coordinates of kurtosis kappa, averaged over the
        signal.
    noise_ratio : E[noise^2 |x|^2] / (E noise^2 E|x|^2): 1 where the noise does not depend on the size of x.
    limited : share of the rows whose steps were clipped.
    n_rows, n_columns : of the sample.
    """

    eigenvalues: Array
    signal: Array
    noise_variance: float
    variance: float
    r2: float
    kurtosis: float
    spread: float
    noise_ratio: float
    limited: float
    n_rows: int
    n_columns: int

    @property
    def bias(self) -> Array:
        """Sizes of w* in the eigenbasis, (r,); their signs do not matter to any risk."""
        sizes: Array = np.sqrt(self.signal / self.eigenvalues)
        return sizes

    @classmethod
    def of(cls, rows: Array, y: Array, step: float, limit: float) -> SampleMoments:
        """Estimate the moments from rows (n, d) and labels (n,).

        The squared signal of a direction, E[(x.v) y]^2, is estimated from products of pairs of different rows only, so
        that noise is not counted as signal. The estimate is corrected for the share d / n that is lost because the
        eigenvectors come from the same sample.

        Parameters
        ----------
        rows : as the run sees them, without a constant column.
        y : as the run sees them.
        step, limit : a row with step * |x|^2 above the limit has its step clipped.
        """
        n, d = rows.shape
        norms = np.einsum("ij,ij->i", rows, rows)
        weight = np.minimum(1.0, limit / np.maximum(step * norms, 1e-300))
        root = np.sqrt(weight)
        rows, labels, sizes, norms = rows * root[:, None], y * root, norms, norms * weight
        if d <= n:
            values, vectors = np.linalg.eigh(rows.T @ rows / n)
            scores = rows @ vectors
        else:
            values, vectors = np.linalg.eigh(rows @ rows.T / n)
            scores = vectors * np.sqrt(np.maximum(values, 0.0) * n)
        kept = values > SAMPLE_RANK_CUTOFF * max(float(values[-1]), 0.0)
        s, scores = values[kept][::-1], scores[:, kept][:, ::-1]
        products = scores * labels[:, None]
        squared = (products.sum(axis=0) ** 2 - (products**2).sum(axis=0)) / (n * (n - 1))
        variance = float((y * y).mean())
        share = max(1 - len(s) / n, 0.0)
        signal = squared / s / share if share > 0 else np.zeros_like(s)
        total = min(max(float(signal.sum()), 0.0), variance)
        positive = np.maximum(signal, 0.0)
        signal = positive * (total / positive.sum()) if positive.sum() > 0 else positive
        mean4, trace, squares = float((norms * norms).mean()), float(s.sum()), float((s * s).sum())
        kurtosis = max(1.0, 1 + (mean4 - trace * trace) / squares)
        expected = trace + (kurtosis - 1) * s
        measured = (norms @ scores**2) / n / s
        importance = signal + total / len(s) + 1e-12
        # Squared residuals of unclipped rows, because errors are measured on them.
        noise2 = ((labels - scores @ (np.sign(products.sum(axis=0)) * np.sqrt(signal / s))) / root) ** 2
        return cls(
            s,
            signal,
            max(variance - total, MIN_NOISE_SHARE * variance),
            variance,
            mean4 / trace,
            kurtosis,
            float(importance @ (measured / expected) / importance.sum()),
            float((noise2 @ sizes) * n / max(float(noise2.sum() * sizes.sum()), 1e-300)),
            float((weight < 1).mean()),
            n,
            d,
        )
