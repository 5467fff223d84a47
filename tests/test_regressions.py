"""The judgement of `make regressions`: what ratios of times tell on a noisy machine."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.regressions.judgement import MAX_ERROR_PROBABILITY, Verdict, interval, verdict

N_TRIALS = 4000


# Law: the interval misses the true median at most as often as stated, for lopsided noise, too.
@pytest.mark.parametrize("n", [8, 11, 16, 24])
@pytest.mark.parametrize("noise", ["normal", "exponential"])
def test_interval_holds_the_median(n: int, noise: str) -> None:
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((N_TRIALS, n)) if noise == "normal" else rng.exponential(size=(N_TRIALS, n)) - np.log(2)
    missed = 0
    for ratios in np.exp(0.3 * draws):  # the median is 1
        low, middle, high = interval(ratios.tolist())
        assert low <= middle <= high
        missed += not low <= 1.0 <= high
    allowed = MAX_ERROR_PROBABILITY * N_TRIALS
    assert missed < allowed + 4 * np.sqrt(allowed)


# Law: few ratios decide nothing, however clear they look.
def test_few_ratios_are_unsure() -> None:
    assert verdict([2.0] * 6, 1.1) is Verdict.UNSURE
    assert verdict([0.5] * 6, 1.1) is Verdict.UNSURE


# Law: slower, ok and unsure are what the interval says; one disturbed pair of processes does not change a verdict.
def test_verdicts() -> None:
    steady = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 1.0, 0.99, 1.0, 1.01]
    slow = [1.2 * ratio for ratio in steady]
    near = [1.1 * ratio for ratio in steady]
    assert verdict(steady, 1.1) is Verdict.OK
    assert verdict(slow, 1.1) is Verdict.SLOWER
    assert verdict(near, 1.1) is Verdict.UNSURE
    assert verdict([*steady, 9.0], 1.1) is Verdict.OK
    assert verdict([*slow, 0.1], 1.1) is Verdict.SLOWER
