"""Contract checks for averaging schemes, trajectories and path estimators of your own.

Each check states one law, takes an object, and raises `AssertionError` with what was found and what was expected.
`check_scheme`, `check_trajectory` and `check_path_estimator` run all checks of their kind. The tests of ridgeway
run the same functions over its own classes.
"""

from ridgeway.testing.estimator_contract import (
    check_at_its_own_average,
    check_path_agrees,
    check_path_estimator,
    check_refused_input,
    check_user_units,
)
from ridgeway.testing.scheme_contract import (
    check_average,
    check_continuation,
    check_sampling,
    check_scheme,
    check_scheme_class,
    check_scheme_shapes,
    check_survival,
    check_weights,
)
from ridgeway.testing.trajectory_contract import (
    check_answers_agree,
    check_start,
    check_trajectory,
    check_trajectory_shapes,
)

__all__ = [
    "check_answers_agree",
    "check_at_its_own_average",
    "check_average",
    "check_continuation",
    "check_path_agrees",
    "check_path_estimator",
    "check_refused_input",
    "check_sampling",
    "check_scheme",
    "check_scheme_class",
    "check_scheme_shapes",
    "check_start",
    "check_survival",
    "check_trajectory",
    "check_trajectory_shapes",
    "check_user_units",
    "check_weights",
]
