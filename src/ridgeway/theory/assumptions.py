"""The assumptions of a prediction, checked on the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.theory.sample_moments import SampleMoments

    Array = NDArray[np.float64]

MAX_HARMLESS_CLIPPED_SHARE = 0.05  # share of the rows
MIN_ROWS_PER_DIRECTION = 5
MAX_SPREAD = 2.0
MIN_SIGNAL_SHARE = 1e-3  # smallest share of the variance of y that counts as signal


@dataclass(frozen=True)
class Assumption:
    """One assumption of a prediction, checked on the rows.

    Attributes
    ----------
    statement : the assumption.
    holds : whether it holds.
    evidence : the measured number and, if it fails, the consequence.
    """

    statement: str
    holds: bool
    evidence: str

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.statement} ({self.evidence})"


def assumptions_of(
    moments: SampleMoments, step: float, largest_step: float, in_order: Array | None
) -> tuple[Assumption, ...]:
    """Check the assumptions of a prediction.

    Parameters
    ----------
    moments : moments of the sample.
    step : of the run.
    largest_step : largest stable step of the model.
    in_order : (n,), labels of a sample in the order of the stream; None if rows were shuffled.
    """
    n, rank = moments.n_rows, len(moments.eigenvalues)
    enough = n >= MIN_ROWS_PER_DIRECTION * rank
    found = [
        Assumption(
            "the sample determines the spectrum",
            enough,
            f"{n:,} rows for {rank:,} directions"
            + (
                ""
                if enough
                else f"; fewer than {MIN_ROWS_PER_DIRECTION} per direction: signal and noise cannot be separated"
            ),
        ),
        Assumption(
            "there is a linear signal",
            float(moments.signal.sum()) > MIN_SIGNAL_SHARE * moments.variance,
            f"{moments.signal.sum() / moments.variance:.1%} of the variance of y",
        ),
        Assumption(
            "few updates are clipped",
            moments.limited <= MAX_HARMLESS_CLIPPED_SHARE,
            f"{moments.limited:.2%}"
            + ("" if moments.limited <= MAX_HARMLESS_CLIPPED_SHARE else "; clipped rows count less"),
        ),
        Assumption(
            "the step is stable for independent coordinates of this kurtosis",
            step < largest_step,
            f"step {step:.3g}, largest {largest_step:.3g}"
            + ("" if step < largest_step else "; large rows are rarer and larger than in the model"),
        ),
        Assumption(
            "fourth moments are those of independent coordinates",
            1 / MAX_SPREAD <= moments.spread <= MAX_SPREAD,
            f"along the signal {moments.spread:.2g} times as large",
        ),
        Assumption(
            "the noise does not depend on the size of x",
            1 / MAX_SPREAD <= moments.noise_ratio <= MAX_SPREAD,
            f"noise of large rows {moments.noise_ratio:.2g} times as large as independent noise",
        ),
    ]
    if in_order is not None:
        around = in_order - in_order.mean()
        lag = float(around[1:] @ around[:-1] / max(float(around @ around), 1e-300))
        bound = max(0.1, 3 / np.sqrt(len(in_order)))
        found.append(
            Assumption(
                "the rows of the stream are in random order",
                abs(lag) <= bound,
                f"correlation of y with the y before it, in the sample: {lag:.2f}",
            )
        )
    return tuple(found)
