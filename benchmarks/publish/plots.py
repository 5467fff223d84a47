"""Plots of the results, as SVG that reads well on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from benchmarks.publish.accuracy_tables import ONE_PASS, OURS, RACERS, reached
from benchmarks.publish.results import Results

COLORS = {
    "RidgePathCV": "#d1495b",
    "RidgePathCV, stream": "#d1495b",
    "AveragedSGDRegressor": "#e8824a",
    "AveragedSGDRegressor, fit": "#e8824a",
    "AveragedSGDRegressor, stream": "#eab8a0",
    "run_sgd, one pass": "#e8824a",
    "Gram + eigh": "#30638e",
    "RidgeCV": "#003d5b",
    "glmnet": "#00798c",
    "SGDRegressor": "#edae49",
    "SGDRegressor, averaged": "#b5851e",
    "Ridge sag": "#8d6cab",
    "Ridge lsqr": "#5b8c5a",
    "Vowpal Wabbit": "#7a7a7a",
    "River": "#4aa3df",
}
MAX_ERROR_RATIO = 3.0  # error ratios beyond are drawn at the edge


def one_pass(results: Results) -> Figure:
    """One dot per set and learner: error ratios, those of ours on top."""
    cases = sorted(
        (case for case in results.suites["one pass"] if reached(case)),
        key=lambda case: -case.values["AveragedSGDRegressor, fit"],
    )
    figure = Figure(figsize=(7.5, 0.22 * len(cases) + 1.4), layout="constrained")
    axes: Any = figure.subplots()
    for name in reversed(ONE_PASS):
        excess = [min(max(case.values[name] - 1, 1e-4), MAX_ERROR_RATIO - 1) for case in cases]
        ours = name in OURS
        axes.plot(
            excess,
            range(len(cases)),
            "o" if ours else "s",
            color=COLORS[name],
            label=name,
            ms=6 if ours else 4,
            zorder=3 if ours else 2,
            lw=0,
        )
    axes.set_xscale("log")
    axes.set_yticks(range(len(cases)), [case.name.replace("_", " ") for case in cases], fontsize=8)
    ticks = [1e-4, 1e-3, 1e-2, 1e-1, 1, MAX_ERROR_RATIO - 1]
    axes.set_xticks(ticks, ["1 or less", "1.001", "1.01", "1.1", "2", f"{MAX_ERROR_RATIO:g} +"])
    axes.minorticks_off()
    axes.set_xlabel("test error after one pass / RidgeCV's")
    axes.grid(axis="both", alpha=0.25)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return figure


def race(results: Results) -> Figure:
    """Least error so far against seconds, one panel a set."""
    cases = results.suites["race"]
    columns = 3
    rows = math.ceil(len(cases) / columns)
    figure = Figure(figsize=(9, 2.6 * rows + 0.6), layout="constrained")
    panels: Any = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, case in zip(panels, cases, strict=False):
        for method in RACERS:
            mine = sorted(
                (case.seconds[label], case.values[label])
                for label in case.seconds
                if label == method or label.startswith(f"{method}, ")
            )
            seconds = [second for second, _ in mine]
            errors = np.minimum.accumulate([min(value, MAX_ERROR_RATIO) for _, value in mine])
            axes.plot(seconds, np.maximum(errors - 1, 1e-4), "o-", ms=3, lw=1.3, color=COLORS[method], label=method)
        axes.set(xscale="log", yscale="log", ylim=(7e-5, 3), title=f"{case.name}, {case.shape}")
        axes.set_yticks([1e-4, 1e-3, 1e-2, 1e-1, 1], ["<= 1", "1.001", "1.01", "1.1", "2"])
        axes.title.set_fontsize(9)
        axes.grid(alpha=0.25)
        axes.tick_params(labelsize=8)
    for axes in panels[len(cases) :]:
        axes.set_visible(False)
    figure.supxlabel("seconds", fontsize=9)
    figure.supylabel("test error / RidgeCV's", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=8)
    return figure


def shapes(results: Results) -> Figure:
    """Time over that of RidgePathCV against the shape."""
    cases = results.suites["shapes"]
    figure = Figure(figsize=(7.5, 3.8), layout="constrained")
    axes: Any = figure.subplots()
    drawn = {
        "run_sgd, one pass, 100 strengths": "run_sgd, one pass",
        "Gram + eigh, 100 strengths": "Gram + eigh",
        "glmnet, 100 strengths": "glmnet",
        "RidgeCV, 25 strengths": "RidgeCV",
        "SGDRegressor, averaged epoch, 1 strength": "SGDRegressor, averaged",
        "Ridge sag, 1 strength": "Ridge sag",
        "Ridge lsqr, 1 strength": "Ridge lsqr",
    }
    for quantity, name in drawn.items():
        axes.plot([case.values.get(quantity, np.nan) for case in cases], "o-", ms=4, color=COLORS[name], label=quantity)
    axes.axhline(1, color=COLORS["RidgePathCV"], lw=2, label="RidgePathCV, 100 strengths")
    axes.set_yscale("log")
    axes.set_xticks(range(len(cases)), [case.name.replace(" x ", "\nx ") for case in cases], fontsize=7)
    axes.set_ylabel("time / RidgePathCV's")
    axes.grid(alpha=0.25)
    axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write an SVG that is the same for the same results."""
    with mpl.rc_context({"svg.hashsalt": "ridgeway", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None, "Creator": None})


PLOTS: dict[str, Callable[[Results], Figure]] = {
    "benchmark_one_pass": one_pass,
    "benchmark_race": race,
    "benchmark_shapes": shapes,
}
