"""Tables of errors and distances, one function each, and the sentences that state their numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.peers.paths import ALPHAS, MANY_PASSES
from benchmarks.peers.reference import NEAR_ERROR_RATIO, geometric_mean
from benchmarks.publish.cells import error, grid, percent, times
from benchmarks.publish.results import Measured, Results

OURS = ("RidgePathCV, stream", "AveragedSGDRegressor, fit", "AveragedSGDRegressor, stream")
OTHERS = ("SGDRegressor", "SGDRegressor, averaged", "Vowpal Wabbit", "River")
ONE_PASS = OURS + OTHERS
TUNED = ("RidgePathCV", "AveragedSGDRegressor", "RidgeCV", "glmnet", "SGDRegressor, grid search")
RACERS = (
    "RidgePathCV",
    "AveragedSGDRegressor",
    "Gram + eigh",
    "RidgeCV",
    "glmnet",
    "SGDRegressor, averaged",
    "Ridge sag",
    "Ridge lsqr",
)
LIMIT_STEPS_NAME = "gradient steps without noise"
TIE_RATIO = 1.001
APART = "*apart: badly conditioned*"


def reached(case: Measured) -> bool:
    """Whether gradient steps can come to ridge on this set."""
    return case.values[LIMIT_STEPS_NAME] <= NEAR_ERROR_RATIO


def name_of(case: Measured) -> str:
    """Write the name of a set."""
    return case.name.replace("_", " ")


def one_pass(results: Results) -> str:
    """Test error over RidgeCV's after one pass; the least of a row is bold."""

    def row(case: Measured) -> list[str]:
        least = error(min(case.values[name] for name in ONE_PASS))
        cells = [error(case.values[name]) for name in ONE_PASS]
        return [name_of(case), case.shape, *(f"**{cell}**" if cell == least else cell for cell in cells)]

    cases = results.suites["one pass"]
    near, apart = [c for c in cases if reached(c)], [c for c in cases if not reached(c)]
    mean = [error(geometric_mean(case.values[name] for case in near)) for name in ONE_PASS]
    rows = [*map(row, near), ["**geometric mean**", "", *mean]]
    if apart:
        rows += [[APART, *[""] * (len(ONE_PASS) + 1)], *map(row, apart)]
    return grid(["set", "rows x columns", *ONE_PASS], rows)


def first_places(results: Results, ours: str, tied: float = 1.0) -> tuple[int, int]:
    """Count the sets on which one of our learners is first among those of others, or within a factor of the first."""
    cases = [case for case in results.suites["one pass"] if reached(case)]
    won = sum(case.values[ours] < tied * min(case.values[name] for name in OTHERS) for case in cases)
    return won, len(cases)


def one_pass_summary(results: Results) -> str:
    """First places."""
    calls = (
        "`RidgePathCV().partial_fit`",
        "`AveragedSGDRegressor(passes=1, shuffle=False).fit`",
        "`AveragedSGDRegressor().partial_fit`",
    )
    lines = []
    for ours, call in zip(OURS, calls, strict=True):
        won, of = first_places(results, ours)
        near, _ = first_places(results, ours, TIE_RATIO)
        lines.append(
            f"- {call}: first on {won} of {of} sets ({won / of:.0%}); first or within 0.1% of the first on {near} "
            f"({near / of:.0%})."
        )
    return "\n".join(lines)


def defaults(results: Results) -> str:
    """Test error of tuned models over RidgeCV's."""
    names = [name for name in TUNED if name != "RidgeCV"]

    def errors(case: Measured) -> list[float]:
        return [case.values[f"{name}: error / RidgeCV's"] for name in names]

    def row(case: Measured) -> list[str]:
        return [name_of(case), case.shape, *map(error, errors(case))]

    cases = results.suites["defaults"]
    near, apart = [c for c in cases if reached(c)], [c for c in cases if not reached(c)]
    means = [error(geometric_mean(column)) for column in zip(*map(errors, near), strict=True)]
    rows = [*map(row, near), ["**geometric mean**", "", *means]]
    if apart:
        rows += [[APART, *[""] * (len(names) + 1)], *map(row, apart)]
    return grid(["set", "rows x columns", *names], rows)


def defaults_summary(results: Results) -> str:
    """The geometric means."""
    cases = [case for case in results.suites["defaults"] if reached(case)]
    parts = []
    for name in ("RidgePathCV", "AveragedSGDRegressor"):
        ratios = {name_of(case): case.values[f"{name}: error / RidgeCV's"] for case in cases}
        worst = max(ratios, key=lambda case: ratios[case])
        parts.append(f"`{name}` {geometric_mean(ratios.values()):.4f} (at most {ratios[worst]:.3f}, on {worst})")
    return (
        "Test error with all defaults, over that of RidgeCV (leave-one-out over 25 strengths), geometric means of "
        f"{len(cases)} real tables with three splits each: "
        f"{' and '.join(parts)}."
    )


def defaults_time(results: Results) -> str:
    """Times of tuned models over RidgeCV's: sets of few, of more and of many rows."""
    cases = results.suites["defaults"]
    groups = {
        "below 2,000 rows": (0, 2_000),
        "2,000 to 10,000 rows": (2_000, 10_000),
        "10,000 rows and more": (10_000, math.inf),
    }
    header, columns = [], []
    for label, (low, high) in groups.items():
        inside = [case for case in cases if low <= case.values["rows"] < high]
        header.append(f"{label} ({len(inside)} sets)")
        columns.append(inside)
    rows = [
        [
            name,
            *(
                times(geometric_mean(case.seconds[name] / case.seconds["RidgeCV"] for case in inside))
                for inside in columns
            ),
        ]
        for name in TUNED
    ]
    return grid(["time / RidgeCV's, geometric mean", *header], rows)


def selection(results: Results) -> str:
    """Error of what was chosen over that of the best candidate."""
    cases = [case for case in results.suites["defaults"] if reached(case)]
    rows = []
    for name in TUNED:
        ratios = sorted(case.values[f"{name}: chosen / best"] for case in cases)
        rows.append([name, error(geometric_mean(ratios)), error(ratios[len(ratios) // 2]), error(ratios[-1])])
    return grid(["method", "geometric mean", "median", "worst"], rows)


def race_at(case: Measured, method: str, budget: float) -> float | None:
    """Least error ratio that a method had reached within a time; None if it had not finished anything."""
    mine = [
        case.values[label]
        for label in case.seconds
        if (label == method or label.startswith(f"{method}, ")) and case.seconds[label] <= budget
    ]
    return min((value for value in mine if not math.isnan(value)), default=None)


def _race_within(results: Results, label: str) -> str:
    """Errors that all methods reach within the time of one of ours."""
    rows = []
    for case in results.suites["race"]:
        budget = case.seconds[label]
        cells = [error(race_at(case, method, budget)) for method in RACERS]
        rows.append([name_of(case), case.shape, f"{budget:.2f} s", *cells])
    return grid(["set", "rows x columns", "time", *RACERS], rows)


def race(results: Results) -> str:
    """Errors within the time of the default fit by SGD."""
    return _race_within(results, "AveragedSGDRegressor, defaults")


def short_race(results: Results) -> str:
    """Errors within the time of RidgePathCV."""
    return _race_within(results, "RidgePathCV")


def text(results: Results) -> str:
    """Errors and times on words."""
    cases, ours = results.suites["text"], "RidgePathCV"

    def cells(method: str) -> list[str]:
        pairs = [(error(case.values[method]), times(case.seconds[method] / case.seconds[ours])) for case in cases]
        return [cell for pair in pairs for cell in pair]

    methods = [name for name in cases[0].values if name in cases[0].seconds]
    header = [cell for case in cases for cell in (f"{case.name} ({case.shape}): error", "time")]
    return grid(["", *header], [[method, *cells(method)] for method in methods])


def kernels(results: Results) -> str:
    """Errors and times with the rbf kernel."""
    ours, *peers = ("AveragedKernelRegressor", "KernelRidge", "himalaya KernelRidgeCV")
    rows = [
        [
            case.name,
            case.shape,
            error(case.values[ours]),
            error(case.values[peers[1]]),
            *(times(case.seconds[name] / case.seconds[ours]) for name in peers),
        ]
        for case in results.suites["kernels"]
    ]
    header = [f"error: {ours}", f"error: {peers[1]}", *(f"time: {name}" for name in peers)]
    return grid(["set", "rows x columns", *header], rows)


def _of_alphas(case: Measured, method: str) -> list[float]:
    return [case.values[f"{method}: alpha {alpha:g}"] for alpha in ALPHAS]


def _tables(results: Results) -> Sequence[Measured]:
    return [case for case in results.suites["paths"] if "columns" in case.values]


def distance(results: Results) -> str:
    """Distance of the default fit by SGD to exact ridge, for each table and strength."""
    ours = "AveragedSGDRegressor"
    rows = [[case.name, *map(percent, _of_alphas(case, ours))] for case in _tables(results)]
    flights = next(case for case in _tables(results) if case.name == "flights")
    rows += [
        [f"flights, {method}", *map(percent, _of_alphas(flights, f"{ours}, {method}"))]
        for method in (f"{MANY_PASSES} passes", "constant step")
    ]
    return grid(["alpha", *(f"{alpha:g}" for alpha in ALPHAS)], rows)


def distance_largest(results: Results) -> str:
    """The largest distance of any table, for each method and strength."""
    cases = _tables(results)
    methods = dict.fromkeys(quantity.split(": ")[0] for case in cases for quantity in case.values if ": " in quantity)
    rows = []
    for method in methods:
        if f"{method}: alpha {ALPHAS[0]:g}" in cases[0].values:
            columns = zip(*(_of_alphas(case, method) for case in cases), strict=True)
            rows.append([method, *(percent(max(column)) for column in columns)])
    return grid(["alpha", *(f"{alpha:g}" for alpha in ALPHAS)], rows)


def distance_one_pass(results: Results) -> str:
    """Distances of one pass over planted rows."""
    case = next(case for case in results.suites["paths"] if "columns" not in case.values)
    found = list(case.values.values())
    rows = [
        ["one pass of `fit`", *map(percent, found[:2])],
        ["`partial_fit` in batches of 10,000", *map(percent, found[2:])],
    ]
    return grid([case.name.removeprefix("one pass, "), "alpha 0.01 to 10, largest", "100"], rows)
