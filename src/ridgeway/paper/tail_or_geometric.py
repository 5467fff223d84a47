"""Item 25: geometric or tail averaging, compared by exact risks over a grid of problems."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, printed, support
from ridgeway.paper.svg_figures import new_figure
from ridgeway.theory import fourth_moment_r2, winner_map

WEAK_SIGNAL_TO_NOISE = 0.05  # signal-to-noise ratio up to which geometric averaging is to win at small n
SPECTRA = {
    "s_i = 1, d = 20": np.ones(20),
    "s_i = 1/i, d = 20": 1 / np.arange(1.0, 21),
    "s_i = 1/i², d = 20": 1 / np.arange(1.0, 21) ** 2,
}


def is_small(n: int, eigenvalues: np.ndarray) -> bool:
    """Return whether eta n <= 1/mu, the paper's condition under which tails have no advantage."""
    step = 0.5 / fourth_moment_r2(eigenvalues)
    return bool(step * n <= 1 / eigenvalues.min())


def check_map(context: Context) -> Evidence:
    """Find the best alpha and the best tail in each cell of the grid, and compare them in the cells of small n."""
    lengths = (
        (10, 30, 100, 300, 1000, 3000, 10_000)
        if context.quick
        else (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000)
    )
    ratios = (0.01, 0.05, 0.2, 1.0, 5.0, 50.0)
    winners = winner_map(SPECTRA, lengths, ratios)
    worst, where, weak_worst, cells, won = 0.0, "", 0.0, 0, 0
    large_worst = 0.0
    for k, (name, s) in enumerate(SPECTRA.items()):
        for i, n in enumerate(lengths):
            for j, snr in enumerate(ratios):
                ratio = 1 / float(winners.tail_over_geometric[k, i, j])
                if not is_small(n, s):
                    if snr >= 1 and n * 0.5 / fourth_moment_r2(s) >= 10 / s.min():
                        large_worst = max(large_worst, 1 / ratio)
                    continue
                cells, won = cells + 1, won + (ratio < 1)
                if snr <= WEAK_SIGNAL_TO_NOISE:
                    weak_worst = max(weak_worst, ratio)
                if ratio > worst:
                    worst, where = ratio, f"{name}, n = {n}, signal-to-noise {snr:g}"
    figure, axes = new_figure(3, size=(11.0, 4.4))
    winners.plot(axes)
    return Evidence(
        (
            printed(
                "η n ≤ 1/μ: risk of the best geometric average over that of the best tail, worst", worst, 1.0, where
            ),
            support(
                f"the same at a signal-to-noise ratio of at most {WEAK_SIGNAL_TO_NOISE}: geometric wins",
                weak_worst,
                ONE_UP_TO_ROUNDING,
            ),
            support(
                "η n ≥ 10/μ, ratio of 1 or more: best tail over best geometric: tails win",
                large_worst,
                ONE_UP_TO_ROUNDING,
            ),
        ),
        {"cells with η n ≤ 1/μ": cells, "of them won by geometric averages": won},
        figure,
        "The average of least exact risk at η = 1/(2R²): blue geometric, red tail. The signal-to-noise ratio matters "
        "most.",
    )


MAP = Claim(
    25,
    Kind.DISCUSSION,
    "Geometric against tail averaging",
    "For small n (ηn ≤ 1/μ, μ the smallest eigenvalue) and bad conditioning geometric averaging is better than tail "
    "averaging, for large n the other way round.",
    "Not in general. At η = 1/(2R²) geometric averaging wins at small n only where the signal is weak against the "
    "noise; at ratios of 1 and more the best λ is 0 or close to it, and tails win at small n too.",
    check_map,
)
