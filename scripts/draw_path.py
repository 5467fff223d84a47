"""Draw the picture of the README: the path of one run beside exact ridge, with a constant and with a growing step."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import ridgeway as rw
from ridgeway.sgd.step_size import step_from

PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "path.svg"
N_SHOWN_COLUMNS = 6  # columns with the largest effects
ALPHAS = np.logspace(-2, 2, 97)
EXACT_STRIDE = 8  # exact ridge is drawn at every eighth alpha


def paths() -> tuple[list[NDArray[np.float64]], NDArray[np.float64], list[str]]:
    """Fit the flights and return the path of each step, exact ridge, and the names of the columns.

    Paths are (alphas, columns), minutes of delay per standard deviation of the column.
    """
    flights = rw.load_flights()
    growing = rw.AveragedSGDRegressor(random_state=0).fit(flights.X, flights.y)
    size = flights.X.std(axis=0)
    norms = (((flights.X - flights.X.mean(axis=0)) / size) ** 2).sum(axis=1)
    step = step_from(norms, np.ones_like(norms))  # the automatic step of version 0.1
    constant = rw.AveragedSGDRegressor(step=step, random_state=0).fit(flights.X, flights.y)
    exact = rw.ExactRidgePath().fit(flights.X, flights.y)
    runs = [model.path(ALPHAS).coefs * size for model in (constant, growing)]
    return runs, exact.path(ALPHAS).coefs * size, list(flights.feature_names)


def draw(runs: list[NDArray[np.float64]], exact: NDArray[np.float64], names: list[str]) -> Figure:
    """Draw the two paths side by side, as lines, with exact ridge as dots.

    Coefficients are multiplied by 1 + alpha: they shrink like 1 / alpha, which would hide the error of strong alphas.
    """
    figure = Figure(figsize=(9, 3.8), layout="constrained", facecolor="white")
    both = figure.subplots(1, 2, sharex=True, sharey=True)
    runs, exact = [run * (1 + ALPHAS[:, None]) for run in runs], exact * (1 + ALPHAS[:, None])
    columns = np.argsort(-np.abs(exact[0]))[:N_SHOWN_COLUMNS]
    for axes, run, title in zip(both, runs, ("constant step (version 0.1)", "growing step (now)"), strict=True):
        for column in columns:
            (line,) = axes.semilogx(ALPHAS, run[:, column], label=names[column].replace("_", " "))
            axes.plot(ALPHAS[::EXACT_STRIDE], exact[::EXACT_STRIDE, column], "o", color=line.get_color(), markersize=4)
        axes.set_title(title, fontsize=11, loc="left")
        axes.set_xlabel("ridge strength alpha")
        axes.spines[["top", "right"]].set_visible(False)
    both[0].set_ylabel("coefficient x (1 + alpha)\nminutes per standard deviation")
    both[1].legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=9)
    figure.suptitle("One run of SGD over 327,346 flights (lines) and exact ridge (dots)", fontsize=11)
    return figure


if __name__ == "__main__":
    with mpl.rc_context({"svg.hashsalt": "ridgeway"}):
        draw(*paths()).savefig(PICTURE, metadata={"Date": None, "Creator": None})
    print(PICTURE.name)
