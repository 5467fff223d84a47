"""The registry: every item of the paper, in order, then the answers to its open questions."""

from __future__ import annotations

from collections.abc import Iterable

from ridgeway.paper import (
    additive,
    approximation_variance,
    assumption_claims,
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
    tail_or_geometric,
    theorem,
    variance_change,
    whole_path,
)
from ridgeway.paper.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    least_squares.RISK,
    iterates.SGD,
    iterates.UNIFORM,
    iterates.GEOMETRIC,
    iterates.ZERO,
    additive.ITERATIONS,
    regularised.ITERATION,
    whole_path.TAIL,
    whole_path.PATH,
    whole_path.PARALLEL,
    stopping.RANDOM_STOPPING,
    expectations.NEUMANN,
    expectations.LIMIT,
    expectations.FINITE,
    least_squares.RIDGE,
    assumption_claims.FOURTH_MOMENT,
    assumption_claims.RESIDUAL,
    theorem.THEOREM,
    additive.INTRODUCTION,
    regularised.BOUND,
    regularised.VARIANCE,
    rates.RATES,
    rates.INFINITE,
    variance_change.PROPOSITION,
    tail_or_geometric.MAP,
    stopping.MEAN_TIME,
    open_questions.SETTINGS,
    normalisation.CONSTANT,
    risk_lemmas.DECOMPOSITION,
    risk_lemmas.FIRST_BOUND,
    noise_lemmas.NOISE,
    noise_lemmas.RECURRENCE,
    noiseless_lemmas.NOISELESS,
    noiseless_lemmas.OPERATOR,
    additive.PROPOSITION,
    step_sequences.STEPS,
    momentum_claims.HEAVY_BALL,
    momentum_claims.NESTEROV,
    linear_approximation_claims.LIMIT,
    approximation_variance.VARIANCE,
    markov_sampling.MARKOV,
    logistic_path.LOGISTIC,
)


def claims_of(numbers: Iterable[int] | None = None) -> tuple[Claim, ...]:
    """Return the claims with these numbers, in the paper's order; all of them by default.

    Examples
    --------
    >>> [claim.title for claim in claims_of([13])]
    ['Proposition 1: the limits are ridge']
    """
    if numbers is None:
        return CLAIMS
    wanted = set(numbers)
    unknown = sorted(wanted - {claim.number for claim in CLAIMS})
    if unknown or not wanted:
        got = ", ".join(map(str, unknown)) if unknown else "none"
        raise ValueError(f"only={got}: expected numbers of items from 1 to {len(CLAIMS)}, for instance 13 and 18.")
    return tuple(claim for claim in CLAIMS if claim.number in wanted)
