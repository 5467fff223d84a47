"""The contract of an estimator that holds a whole path: `at`, `path`, `predict_path`, in the user's units."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.testing.requirement import require, require_close

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Make = Callable[[], Any]

ESTIMATOR_ALPHAS = (0.0, 0.01, 0.3, 10.0)


def rows_of_units(n_rows: int = 200, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rows (n_rows, 4) whose columns have different units and offsets, and a linear target with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 4)) * [1.0, 30.0, 0.02, 2.0] + [5.0, -100.0, 0.0, 1.0]
    return X, X @ np.array([1.0, 0.05, 40.0, 0.0]) + rng.standard_normal(n_rows) + 7.0


def check_at_its_own_average(make: Make) -> None:
    """Check that the model at its own average is the model, and that `at` returns a copy."""
    X, y = rows_of_units()
    model = make().fit(X, y)
    same = model.at(getattr(model, "averaging_", model.alpha_))
    require(same is not model, "at(...) returned the model itself: expected a copy.")
    scale = 1e-12 * float(np.std(y))
    require_close("predictions of model.at(its own average)", same.predict(X), model.predict(X), 0.0, scale)


def check_path_agrees(make: Make) -> None:
    """Check that `path`, `at` and `predict_path` say the same, and that none of them changes the model."""
    X, y = rows_of_units()
    model = make().fit(X, y)
    before = pickle.dumps(model)
    path, predicted = model.path(ESTIMATOR_ALPHAS), model.predict_path(X, ESTIMATOR_ALPHAS)
    expected = len(X), len(ESTIMATOR_ALPHAS)
    require(predicted.shape == expected, f"predict_path: got {predicted.shape}, expected rows x alphas.")
    scale = 1e-10 * float(np.std(y))
    for place, alpha in enumerate(ESTIMATOR_ALPHAS):
        other = model.at(alpha)
        by_path = X @ path.coefs[place] + path.intercepts[place]
        require_close(f"predict_path at alpha={alpha:g}", predicted[:, place], by_path, 0.0, scale)
        require_close(f"at({alpha:g}).predict", other.predict(X), by_path, 0.0, scale)
    require(
        pickle.dumps(model) == before, "path, at or predict_path changed the model: expected that reading does not."
    )


def check_user_units(make: Make) -> None:
    """Check that predictions are X @ coef_ + intercept_, in the units of X and y."""
    X, y = rows_of_units()
    model = make().fit(X, y)
    scale = 1e-10 * float(np.std(y))
    require_close("predict", model.predict(X), X @ model.coef_ + model.intercept_, 0.0, scale)
    require(model.coef_.shape == (4,), f"coef_: got shape {model.coef_.shape}, expected (4,).")


def check_refused_input(make: Make) -> None:
    """Check that NaN, an infinity and a wrong number of targets raise ValueError and leave a fitted model as it was."""
    X, y = rows_of_units(50)
    model = make().fit(X, y)
    before = model.predict(X)
    for bad in (np.nan, np.inf):
        wrong = X.copy()
        wrong[3, 1] = bad
        for what, rows, target in ((f"X with {bad}", wrong, y), (f"y with {bad}", X, np.where(y == y[0], bad, y))):
            _require_refusal(model, what, rows, target)
    _require_refusal(model, "y that is too short", X, y[:-1])
    require_close("predictions after a refused fit", model.predict(X), before, 0.0)


def _require_refusal(model: Any, what: str, X: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    try:
        model.fit(X, y)
    except ValueError:
        return
    raise AssertionError(f"fit took {what}: expected a ValueError.")


def check_path_estimator(make: Make) -> None:
    """Check the laws of an estimator that holds a whole path of linear models.

    scikit-learn's own contract (`sklearn.utils.estimator_checks.check_estimator`) is apart from it.

    Parameters
    ----------
    make : returns an unfitted estimator, seeded where it is random.

    Raises
    ------
    AssertionError
        At the first law that fails, with what was found and what was expected.

    Examples
    --------
    >>> import ridgeway as rw
    >>> from ridgeway.testing import check_path_estimator
    >>> check_path_estimator(lambda: rw.ExactRidgePath(alpha=0.1))
    """
    check_at_its_own_average(make)
    check_path_agrees(make)
    check_user_units(make)
    check_refused_input(make)
