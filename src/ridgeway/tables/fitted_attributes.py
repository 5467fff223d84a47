"""`FittedAttributes`: what a model of a table tells about its estimator, under the names of the estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ridgeway.estimators import RidgePathCV
from ridgeway.messages.number_text import number
from ridgeway.messages.quantity import quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ridgeway.averaging import Scheme
    from ridgeway.estimators.restored import AnyAveraged
    from ridgeway.rows import Float
    from ridgeway.selection import Selection
    from ridgeway.selection.held_out import HeldOut
    from ridgeway.tables.table_model import FitFacts


class FittedAttributes:
    """The fitted attributes of `model`, an estimator over encoded features."""

    model: AnyAveraged
    facts: FitFacts

    @property
    def alpha_(self) -> float | None:
        """The ridge strength; None where another average than ridge was chosen."""
        return self.model.alpha_

    @property
    def averaging_(self) -> Scheme:
        """The selected average, which `predict` uses."""
        return self.model.averaging_

    @property
    def selection_(self) -> Selection | None:
        """Candidates and their errors; None when nothing was chosen."""
        return self.model.selection_

    @property
    def solver_(self) -> str:
        """The solver that ran: "gram", "krylov" or "sgd"."""
        return self.facts.solver

    @property
    def solver_reason_(self) -> str:
        """Why it is this one, as part of a sentence; may be empty."""
        return self.facts.solver_reason

    @property
    def coef_(self) -> Float:
        """Coefficients of the encoded features, whose names are `feature_names`: (features,) or (targets, features)."""
        coef: Float = self.model.coef_
        return coef

    @property
    def intercept_(self) -> Any:
        """Intercept: a number, or (targets,) for several targets."""
        return self.model.intercept_

    @property
    def held_out_(self) -> HeldOut | None:
        """A sample of held-out rows with their predictions; None where nothing was held out."""
        held_out: HeldOut | None = self.model.held_out_
        return held_out

    @property
    def interval_method_(self) -> str | None:
        """How the rows behind `predict_interval` were held out, in words; None where it has none."""
        return self.model.interval_method_

    @property
    def n_rows_(self) -> int:
        """Rows learned from."""
        return self.facts.rows

    def coef_interval(self, level: float = 0.95) -> NDArray[np.float64]:
        """Return intervals for the coefficients of the encoded features; see `RidgePathCV.coef_interval`.

        Parameters
        ----------
        level : share of such intervals that hold the coefficient.
        """
        if not isinstance(self.model, RidgePathCV):
            raise TypeError(
                f"a {type(self.model).__name__} has no intervals of coefficients: expected a model that was solved by "
                "Gram matrices; fit with solver='gram' and without a kernel."
            )
        return self.model.coef_interval(level)


def accuracy_text(held_out: HeldOut | None, logarithms: bool) -> str:
    """Return R^2 and typical error of held-out rows in a few words; "" where they are not known, or of several targets.

    Parameters
    ----------
    held_out : what the model knows of them.
    logarithms : whether they are predictions of logarithms.
    """
    if held_out is None or len(held_out.rmse) != 1:
        return ""
    r2 = f"R^2 {held_out.r2[0]:.3f}, " if held_out.variance[0] > 0 else ""
    of_logs = " of the logarithms" if logarithms else ""
    rows = quantity(held_out.n_rows, "held-out row")
    return f"{r2}typical error {number(held_out.rmse[0])}{of_logs} on {rows}"
