"""Results are derived: a formula that is changed in a check changes the result, or is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridgeway.paper import (
    additive,
    approximation_variance,
    assumption_claims,
    claims_of,
    expectations,
    iterates,
    least_squares,
    linear_approximation_claims,
    logistic_path,
    markov_sampling,
    momentum_claims,
    noise_lemmas,
    noiseless_lemmas,
    normalisation,
    open_questions,
    rates,
    regularised,
    risk_lemmas,
    step_sequences,
    stopping,
    theorem,
    variance_change,
    whole_path,
)
from ridgeway.paper.claim import Context, Evidence, Finding, Form, Result
from ridgeway.paper.moment_recursion import average_moments
from ridgeway.paper.reward_process import RewardProcess
from ridgeway.theory import Bound, LinearApproximation, averaging_weights, bound, expected_path


def scaled(function: Callable[..., Any], factor: float) -> Callable[..., Any]:
    """The function times a factor."""
    return lambda *arguments, **keywords: factor * function(*arguments, **keywords)


def scaled_bound(which: str, factor: float) -> Callable[..., Bound]:
    """The bound of one form times a factor."""

    def changed(*arguments: Any, **keywords: Any) -> Bound:
        original = bound(*arguments, **keywords)
        if keywords["form"] != which:
            return original
        return replace(
            original, total=factor * original.total, bias=factor * original.bias, variance=factor * original.variance
        )

    return changed


def shifted_weights(alpha: float, steps: np.ndarray, next_step: float) -> np.ndarray:
    """Weights that take the step before an iterate for the one after it."""
    return averaging_weights(alpha, np.append(steps[0], steps[:-1]), float(steps[-1]))


def plain_discount(alpha: float, step: float, momentum: float) -> float:
    """The discount without momentum."""
    return 1 / (1 + step * alpha)


def wrong_moments(*arguments: Any) -> tuple[np.ndarray, np.ndarray]:
    """Moments with a covariance that is off by one per mille."""
    mean, covariance = average_moments(*arguments)
    return mean, 1.001 * covariance


def independent_average(process: RewardProcess, alpha: float) -> np.ndarray:
    """What transitions drawn independently would give: no bias."""
    return 1.0000001 * LinearApproximation(*process.drawn()).limit(alpha)


def l2_path(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The L2 path in place of the geometric one."""
    return np.array([logistic_path.l2_solution(X, y, alpha) for alpha in logistic_path.ALPHAS])


geometric_path: Any = logistic_path.geometric_path
regularised_norm: Any = regularised.printed_norm

# Item, module, names and what replaces them, and the result that follows.
MUTANTS: list[tuple[int, Any, dict[str, Any], Result]] = [
    # A correction that is wrong is not established.
    (1, least_squares, {"excess_risk": lambda law, w: float(w @ w)}, Result.FAILS),
    (4, iterates, {"right_discount": iterates.printed_discount}, Result.FAILS),
    (7, regularised, {"tikhonov_sgd": regularised.printed_iterates}, Result.FAILS),
    (10, whole_path, {"combine": lambda parts, *_: sum(parts) / len(parts)}, Result.FAILS),
    (12, expectations, {"right_terms": expectations.printed_terms}, Result.FAILS),
    (13, expectations, {"right_limit": scaled(expectations.right_limit, 1.001)}, Result.FAILS),
    (14, expectations, {"right_identity": expectations.printed_identity}, Result.FAILS),
    (16, assumption_claims, {"assumed_r2": lambda s, kurtosis: float(s.sum())}, Result.FAILS),
    (18, theorem, {"bound": scaled_bound("sharp", 0.85)}, Result.FAILS),
    (18, theorem, {"bound": scaled_bound("paper", 0.4)}, Result.FAILS),
    (24, variance_change, {"right_threshold": variance_change.printed_threshold}, Result.FAILS),
    (26, stopping, {"right_mean": stopping.printed_mean}, Result.FAILS),
    (27, open_questions, {"saga_average": scaled(open_questions.saga_average, 1.001)}, Result.FAILS),
    (28, normalisation, {"right_constant": normalisation.printed_constant}, Result.FAILS),
    (30, risk_lemmas, {"RIGHT_EXPONENT": 0.5}, Result.FAILS),
    (31, noise_lemmas, {"right_noise_bound": scaled(noise_lemmas.right_noise_bound, 0.9)}, Result.FAILS),
    (33, noiseless_lemmas, {"SHARP_CONSTANT": 1 / 7}, Result.FAILS),
    (33, noiseless_lemmas, {"PRINTED_CONSTANT": 1 / 10}, Result.FAILS),
    (35, additive, {"printed_bound": scaled(additive.printed_bound, 0.5)}, Result.FAILS),
    # An answer to an open question with a wrong formula is not shown.
    (36, step_sequences, {"averaging_weights": shifted_weights}, Result.FAILS),
    (36, step_sequences, {"expected_path": scaled(expected_path, 1.001)}, Result.FAILS),
    (37, momentum_claims, {"heavy_ball_discount": plain_discount}, Result.FAILS),
    (37, momentum_claims, {"momentum_strength": lambda alpha, step, momentum: alpha}, Result.FAILS),
    (38, momentum_claims, {"nesterov_discount": plain_discount}, Result.FAILS),
    (38, momentum_claims, {"shrinkage": lambda discount, momentum: 1.0}, Result.FAILS),
    (39, linear_approximation_claims, {"solution": scaled(linear_approximation_claims.solution, 1.001)}, Result.FAILS),
    (40, approximation_variance, {"effective_sample": lambda alpha, step: 2 / (step * alpha)}, Result.FAILS),
    (40, approximation_variance, {"average_moments": wrong_moments}, Result.FAILS),
    (41, markov_sampling, {"bias_per_step": scaled(markov_sampling.bias_per_step, 1.1)}, Result.FAILS),
    (
        41,
        markov_sampling,
        {"markov_average": lambda process, alpha, step: independent_average(process, alpha)},
        Result.FAILS,
    ),
    (42, logistic_path, {"flow_path": l2_path}, Result.FAILS),
    (
        42,
        logistic_path,
        {"geometric_path": lambda iterates, step: geometric_path(iterates, 1.001 * step)},
        Result.FAILS,
    ),
    # A statement printed rightly would hold.
    (12, expectations, {"printed_terms": expectations.right_terms}, Result.HOLDS),
    (14, expectations, {"printed_identity": expectations.right_identity}, Result.HOLDS),
    (20, regularised, {"printed_norm": lambda *a: regularised_norm(*a) ** 2}, Result.HOLDS),
    (
        23,
        rates,
        {"risk_without": lambda d, n, power: 1.0, "kernel_error": lambda n, step, scheme, rng: 1.0},
        Result.HOLDS,
    ),
    (26, stopping, {"printed_mean": stopping.right_mean, "printed_law": stopping.right_law}, Result.HOLDS),
    (30, risk_lemmas, {"PRINTED_EXPONENT": -0.5}, Result.HOLDS),
    (31, noise_lemmas, {"printed_noise_bound": noise_lemmas.right_noise_bound}, Result.HOLDS),
    (32, noise_lemmas, {"weighting": lambda law, alpha, exponent: np.eye(law.d)}, Result.HOLDS),
]


# Law: the result follows the formulas of the check.
@pytest.mark.parametrize(("number", "module", "changes", "expected"), MUTANTS)
def test_mutants(
    monkeypatch: pytest.MonkeyPatch, number: int, module: Any, changes: dict[str, Any], expected: Result
) -> None:
    for name, mutant in changes.items():
        assert hasattr(module, name)
        monkeypatch.setattr(module, name, mutant)
    (claim,) = claims_of([number])
    assert claim.check(Context(0, number, quick=True)).result is expected


findings = st.lists(
    st.tuples(st.sampled_from(Form), st.booleans()).map(
        lambda pair: Finding(pair[0], "something", 0.0, 1.0 if pair[1] else -1.0)
    ),
    min_size=1,
)


# Law: nothing unexpected, then as printed, then as corrected: the result is the first that the findings allow.
@given(findings)
def test_result(found: list[Finding]) -> None:
    evidence = Evidence(tuple(found))
    by_form = {form: [finding.kept for finding in found if finding.form is form] for form in Form}
    if not (all(by_form[Form.CORRECTED]) and all(by_form[Form.SUPPORT])):
        expected = Result.FAILS
        assert evidence.unexpected
    elif not by_form[Form.PRINTED]:
        expected = Result.SHOWN
    elif all(by_form[Form.PRINTED]):
        expected = Result.HOLDS
    else:
        expected = Result.CORRECTED if by_form[Form.CORRECTED] else Result.FAILS
    assert evidence.result is expected


# Law: evidence needs findings, and numbers that are numbers.
def test_refused() -> None:
    with pytest.raises(ValueError, match="has no findings"):
        Evidence(())
    with pytest.raises(ValueError, match="expected finite numbers"):
        Finding(Form.PRINTED, "ratio", float("nan"), 1.0)
    with pytest.raises(ValueError, match="expected a finite number"):
        Evidence((Finding(Form.PRINTED, "ratio", 0.0, 1.0),), {"n": float("inf")})
