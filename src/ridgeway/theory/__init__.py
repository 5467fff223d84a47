"""Theory of averages of SGD: filters, expectations, exact risks, bounds, and a diagnosis of data."""

from ridgeway.theory.additive_noise import additive_noise_risk
from ridgeway.theory.assumptions import Assumption
from ridgeway.theory.averaging_variance import VarianceReduction, variance_reduction
from ridgeway.theory.comparison import Compared, Comparison, compare
from ridgeway.theory.data_diagnosis import diagnose
from ridgeway.theory.diagnosis import Diagnosis, Predicted
from ridgeway.theory.dimension import EffectiveDimension, effective_dimension
from ridgeway.theory.expectation import expected_average, expected_iterate, expected_tikhonov_iterate
from ridgeway.theory.finite_law import FiniteLaw
from ridgeway.theory.fourth_moments import Stability, fourth_moment_r2, stability
from ridgeway.theory.linear_approximation import LinearApproximation
from ridgeway.theory.momentum import heavy_ball_discount, nesterov_discount
from ridgeway.theory.risk import ExcessRisk, excess_risk
from ridgeway.theory.risk_bound import Bound, additive_noise_bound, bound, tikhonov_sgd_bound
from ridgeway.theory.spectral_filter import residual_filter
from ridgeway.theory.step_sequence import averaging_weights, expected_path
from ridgeway.theory.tikhonov import tikhonov_sgd, tikhonov_sgd_risk
from ridgeway.theory.winners import WinnerMap, winner_map

__all__ = [
    "Assumption",
    "Bound",
    "Compared",
    "Comparison",
    "Diagnosis",
    "EffectiveDimension",
    "ExcessRisk",
    "FiniteLaw",
    "LinearApproximation",
    "Predicted",
    "Stability",
    "VarianceReduction",
    "WinnerMap",
    "additive_noise_bound",
    "additive_noise_risk",
    "averaging_weights",
    "bound",
    "compare",
    "diagnose",
    "effective_dimension",
    "excess_risk",
    "expected_average",
    "expected_iterate",
    "expected_path",
    "expected_tikhonov_iterate",
    "fourth_moment_r2",
    "heavy_ball_discount",
    "nesterov_discount",
    "residual_filter",
    "stability",
    "tikhonov_sgd",
    "tikhonov_sgd_bound",
    "tikhonov_sgd_risk",
    "variance_reduction",
    "winner_map",
]
