"""Draw the picture of the README and the home page: all ridge strengths of one run beside exact ridge."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import ridgeway as rw

PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "path.svg"
SHOWN = 8  # columns with the largest effects


def draw() -> Figure:
    """Fit the flights and draw coefficients per standard deviation of their column."""
    flights = rw.load_flights()
    model = rw.AveragedSGDRegressor(random_state=0).fit(flights.X, flights.y)
    exact = rw.ExactRidgePath().fit(flights.X, flights.y)
    alphas, few = np.logspace(-2.5, 1, 80), np.logspace(-2.5, 1, 12)
    size = flights.X.std(axis=0)
    path, check = model.path(alphas).coefs * size, exact.path(few).coefs * size
    figure = Figure(figsize=(9, 3.6), layout="constrained", facecolor="white")
    axes = figure.subplots()
    for column in np.argsort(-np.abs(path[0]))[:SHOWN]:
        (line,) = axes.semilogx(alphas, path[:, column], label=flights.feature_names[column].replace("_", " "))
        axes.plot(few, check[:, column], "o", color=line.get_color(), markersize=4)
    axes.axvline(float(model.alpha_ or 0.0), color="grey", linestyle=":", linewidth=1)
    axes.text(float(model.alpha_ or 0.0), axes.get_ylim()[1], " chosen on held-out rows", color="grey", va="top")
    axes.set(xlabel="ridge strength alpha", ylabel="minutes of delay\nper standard deviation")
    axes.set_title(
        f"One run of SGD over {len(flights.y):,} flights: every strength (lines), beside exact ridge (dots)",
        fontsize=10,
        loc="left",
    )
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    with mpl.rc_context({"svg.hashsalt": "ridgeway"}):
        draw().savefig(PICTURE, metadata={"Date": None, "Creator": None})
    print(PICTURE.name)
