"""The models of a kernel path: one coefficient per feature, one model per ridge strength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.kernel.features import Features
from ridgeway.path.path_result import PathResult, require_predictions
from ridgeway.rows import Float, require_finite_rows

if TYPE_CHECKING:
    from ridgeway.rows import AnyRows

NUMBERS_AT_A_TIME = 2**22  # features that are held at once


@dataclass(frozen=True, eq=False, repr=False)
class KernelPath(PathResult):
    """The models of a regularization path over kernel functions.

    Model l predicts ``features(x) @ coefs[l] + intercepts[l]``, where the features are k(x, x_i) for every row x_i that
    was learned from, or the components.

    Attributes
    ----------
    alphas : (L,), the ridge strengths, in the order asked for.
    coefs : (L, n_features), or (L, n_targets, n_features) when the fitted y was 2-D; n_features is the number of rows
        that were learned from, or of components.
    intercepts : (L,), or (L, n_targets) when the fitted y was 2-D.
    features : computes them.
    """

    features: Features

    def __repr__(self) -> str:
        return super().__repr__().replace("PathResult", "KernelPath")

    def predict_rows(self, rows: AnyRows) -> Float:
        """Predict rows that `ridgeway.rows.check_rows` has seen already: (n_rows, L), or (n_rows, L, n_targets)."""
        require_finite_rows(rows, rows.squared_norms())
        n_features = self.coefs.shape[-1]
        columns = self.coefs.reshape(-1, n_features).T.astype(np.result_type(rows.dtype, self.coefs.dtype))
        offsets = self.intercepts.reshape(-1)
        answer = np.empty((rows.shape[0], len(offsets)), columns.dtype)
        at_once = max(1, NUMBERS_AT_A_TIME // n_features)
        for start in range(0, rows.shape[0], at_once):
            part = slice(start, min(start + at_once, rows.shape[0]))
            with np.errstate(over="ignore", invalid="ignore"):  # found below
                np.add(self.features.of(rows.between(part.start, part.stop)) @ columns, offsets, out=answer[part])
            require_predictions(answer[part], part.start)
        return answer.reshape(rows.shape[0], *self.intercepts.shape)
