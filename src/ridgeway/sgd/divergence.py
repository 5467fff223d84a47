"""The error for a run that diverged."""

from __future__ import annotations


class DivergenceError(ArithmeticError):
    """The step was too large for the rows: the coefficients grew without bound.

    Attributes
    ----------
    step : the step that was used.
    safe_step : 1 / max weight * |x|^2 over the rows seen: it cannot diverge, although larger steps often work, too.
    at_step : number of increments that were made before.
    """

    def __init__(self, step: float, safe_step: float, at_step: int) -> None:
        super().__init__(
            f"the run diverged after {at_step} steps with step={step:.6g}: step={safe_step:.6g} is safe on these rows "
            "(1 / the largest weight * |x|^2). Pass that step, step='auto' or LimitedStep(step), which clips the "
            "updates of rows too large for it; or standardize the columns."
        )
        self.step = step
        self.safe_step = safe_step
        self.at_step = at_step

    def __reduce__(self) -> tuple[type[DivergenceError], tuple[float, float, int]]:
        return type(self), (self.step, self.safe_step, self.at_step)
