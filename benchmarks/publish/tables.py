"""Tables in Markdown, one function each, and the sentences that state their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from benchmarks.peers.reference import DIVERGED_ERROR_RATIO, NEAR_ERROR_RATIO, geometric_mean
from benchmarks.publish.results import Measured, Results

ONE_PASS = ("ridgeway, fit", "ridgeway, stream", "SGDRegressor", "SGDRegressor, averaged", "Vowpal Wabbit", "River")
OURS = ("ridgeway, fit", "ridgeway, stream")
TUNED = ("ridgeway", "RidgeCV", "glmnet", "SGDRegressor, grid search")
LIMIT_STEPS_NAME = "gradient steps without noise"
TIE_RATIO = 1.001
README_SHAPES = ("100,000 x 10", "1,000,000 x 100", "20,000 x 1,000")
RACERS = ("ridgeway", "Gram + eigh", "RidgeCV", "glmnet", "SGDRegressor, averaged", "Ridge sag", "Ridge lsqr")


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are numbers."""
    lines = [header, ["---"] + ["--:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def times(value: float | None) -> str:
    """Write a ratio of times: two digits, whole numbers beyond 10; a dash for what was not measured."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.095 else f"{value:.1g}"


def error(value: float | None) -> str:
    """Write a ratio of errors: four digits, three beyond 1.1."""
    if value is None:
        return "-"
    if value >= DIVERGED_ERROR_RATIO / 10:
        return "diverges"
    return f"{value:.4f}" if value < 1.1 else f"{value:.2f}"


def reached(case: Measured) -> bool:
    """Whether gradient steps can come to ridge on this set."""
    return case.values[LIMIT_STEPS_NAME] <= NEAR_ERROR_RATIO


def one_pass(results: Results) -> str:
    """Test error over RidgeCV's after one pass; the least of a row is bold."""

    def row(case: Measured) -> list[str]:
        least = min(case.values[name] for name in ONE_PASS)
        cells = [error(case.values[name]) for name in ONE_PASS]
        marked = [f"**{cell}**" if cell == error(least) else cell for cell in cells]
        return [case.name.replace("_", " "), case.shape, *marked]

    cases = results.suites["one pass"]
    near = [row(case) for case in cases if reached(case)]
    apart = [row(case) for case in cases if not reached(case)]
    mean = [error(geometric_mean(case.values[name] for case in cases if reached(case))) for name in ONE_PASS]
    rows = [*near, ["**geometric mean**", "", *mean]]
    if apart:
        rows += [["*apart: badly conditioned*", *[""] * (len(ONE_PASS) + 1)], *apart]
    return grid(["set", "rows x columns", *ONE_PASS], rows)


def first_places(results: Results, ours: str, tied: float = 1.0) -> tuple[int, int]:
    """Count the sets on which one of our modes is first among the learners of others, or within a factor of it."""
    cases = [case for case in results.suites["one pass"] if reached(case)]
    others = [name for name in ONE_PASS if name not in OURS]
    won = sum(case.values[ours] < tied * min(case.values[name] for name in others) for case in cases)
    return won, len(cases)


def one_pass_summary(results: Results) -> str:
    """First places."""
    lines = []
    for ours, words in zip(OURS, ("`fit(passes=1, shuffle=False)`", "`partial_fit`"), strict=True):
        won, of = first_places(results, ours)
        near, _ = first_places(results, ours, TIE_RATIO)
        lines.append(
            f"- {words}: first on {won} of {of} sets ({won / of:.0%}); first or within 0.1% of the first on {near} "
            f"({near / of:.0%})."
        )
    return "\n".join(lines)


def defaults(results: Results) -> str:
    """Test error of tuned models over RidgeCV's, and their times."""

    def row(case: Measured) -> list[str]:
        errors = [error(case.values[f"{name}: error / RidgeCV's"]) for name in TUNED if name != "RidgeCV"]
        slower = [times(case.seconds[name] / case.seconds["ridgeway"]) for name in TUNED[1:]]
        return [case.name.replace("_", " "), case.shape, *errors, *slower]

    cases = results.suites["defaults"]
    near, apart = [c for c in cases if reached(c)], [c for c in cases if not reached(c)]
    means = [
        error(geometric_mean(case.values[f"{name}: error / RidgeCV's"] for case in near))
        for name in TUNED
        if name != "RidgeCV"
    ]
    rows = [*map(row, near), ["**geometric mean**", "", *means, *[""] * 3]]
    if apart:
        rows += [["*apart: badly conditioned*", *[""] * 7], *map(row, apart)]
    header = ["set", "rows x columns", "ridgeway", "glmnet", "SGD, grid search"]
    return grid([*header, "time: RidgeCV", "glmnet", "SGD, grid search"], rows)


def defaults_summary(results: Results) -> str:
    """The geometric mean."""
    cases = [case for case in results.suites["defaults"] if reached(case)]
    ratios = [case.values["ridgeway: error / RidgeCV's"] for case in cases]
    worst = max(cases, key=lambda case: case.values["ridgeway: error / RidgeCV's"])
    return (
        f"Over {len(cases)} sets the default fit has {geometric_mean(ratios):.4f} times the test error of RidgeCV "
        f"(geometric mean; the worst is {max(ratios):.3f}, on {worst.name.replace('_', ' ')})."
    )


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
    mine = [value for value in mine if not math.isnan(value)]
    return min(mine, default=None)


def race(results: Results) -> str:
    """Errors after the time of our default fit."""
    rows = []
    for case in results.suites["race"]:
        budget = case.seconds["ridgeway, defaults"]
        cells = [error(race_at(case, method, budget)) for method in RACERS]
        rows.append([case.name.replace("_", " "), case.shape, f"{budget:.2f} s", *cells])
    return grid(["set", "rows x columns", "time", *RACERS], rows)


def short_race(results: Results) -> str:
    """Errors after the time of our fit by one pass."""
    rows = []
    for case in results.suites["race"]:
        budget = case.seconds["ridgeway, 1 passes"]
        cells = [error(race_at(case, method, budget)) for method in RACERS]
        rows.append([case.name.replace("_", " "), case.shape, f"{budget:.2f} s", *cells])
    return grid(["set", "rows x columns", "time", *RACERS], rows)


def _by_method(cases: Sequence[Measured], write: Callable[[float | None], str], ending: str = "") -> str:
    """Methods as rows, cases as columns."""
    methods = dict.fromkeys(q for case in cases for q in case.values if ": test error" not in q)
    rows = [[method, *(write(case.values.get(method + ending)) for case in cases)] for method in methods]
    return grid(["", *(case.name for case in cases)], rows)


def shapes(results: Results) -> str:
    """Times over ours, for shapes."""
    return _by_method(results.suites["shapes"], times)


def shapes_error(results: Results) -> str:
    """Test errors over exact ridge's, for shapes."""
    cases = []
    for case in results.suites["shapes"]:
        exact = case.values["Gram + eigh, 100 strengths: test error"]
        cases.append(Measured(case.name, {name: value / exact for name, value in case.values.items()}, {}))
    names = dict.fromkeys(q for case in results.suites["shapes"] for q in case.values if ": test error" in q)
    rows = [[name.removesuffix(": test error"), *(error(case.values.get(name)) for case in cases)] for name in names]
    return grid(["", *(case.name for case in cases)], rows)


def strengths(results: Results) -> str:
    """Times over ours, for numbers of strengths."""
    return _by_method(results.suites["strengths"], times)


def sparsity(results: Results) -> str:
    """Times over ours, for sparse rows."""
    return _by_method(results.suites["sparsity"], times)


def memory(results: Results) -> str:
    """Memory beside the rows, in multiples of them."""
    return _by_method(results.suites["memory"], lambda value: "-" if value is None else f"{value:.2f}")


def text(results: Results) -> str:
    """Errors and times on words."""
    cases = results.suites["text"]
    methods = list(cases[0].seconds)
    rows = [
        [
            method,
            *(
                cell
                for case in cases
                for cell in (
                    error(case.values[method]),
                    times(case.seconds[method] / case.seconds["ridgeway, fit"]),
                )
            ),
        ]
        for method in methods
    ]
    header = [cell for case in cases for cell in (f"{case.name} ({case.shape}): error", "time")]
    return grid(["", *header], rows)


def disk(results: Results) -> str:
    """Times over reading and errors over exact ridge, on files."""
    rows = [
        [
            f"{case.name}, {case.values['file, MB']:,.0f} MB",
            name,
            times(case.values[f"{name}: time / reading"]),
            error(case.values[f"{name}: error / exact"]),
        ]
        for case in results.suites["disk"]
        for name in case.seconds
        if name != "read only"
    ]
    return grid(["file", "learner", "time / reading", "error / exact ridge"], rows)


def kernels(results: Results) -> str:
    """Errors and times with the rbf kernel."""
    cases = results.suites.get("kernels", [])
    if not cases:
        return "*Not measured.*"
    peer = "KernelRidge, 9 strengths"
    rows = [
        [case.name, case.shape, error(case.values["ridgeway"]), times(case.seconds[peer] / case.seconds["ridgeway"])]
        for case in cases
    ]
    return grid(["set", "rows x columns", "error / KernelRidge's", "time: KernelRidge"], rows)


def readme(results: Results) -> str:
    """The table of the README: cells of the tables of speed."""
    cases = [case for case in results.suites["shapes"] if case.name in README_SHAPES]
    wanted = {
        "`ridgeway`: one pass, 100 strengths": "ridgeway, 100 strengths",
        "Gram matrix + `eigh`, 100 strengths": "Gram + eigh, 100 strengths",
        "glmnet, 100 strengths": "glmnet, 100 strengths",
        "`RidgeCV`, 25 strengths": "RidgeCV, 25 strengths",
        "averaged `SGDRegressor`, one epoch, 1 strength": "SGDRegressor, averaged epoch, 1 strength",
        '`Ridge(solver="lsqr")`, 1 strength': "Ridge lsqr, 1 strength",
    }
    rows = [[label, *(times(case.values.get(name)) for case in cases)] for label, name in wanted.items()]
    return grid(["time, as a multiple of ours", *(case.name for case in cases)], rows)


def machine(results: Results) -> str:
    """What it was measured on."""
    facts = results.machine
    versions = ", ".join(
        f"{name} {facts[name]}" for name in facts if name not in ("cpu", "cores", "system", "python", "date")
    )
    return f"{facts['cpu']}, one thread, Python {facts['python']}; {versions}; {facts['date']}."


FRAGMENTS: dict[str, Callable[[Results], str]] = {
    "one-pass": one_pass,
    "one-pass-summary": one_pass_summary,
    "defaults": defaults,
    "defaults-summary": defaults_summary,
    "selection": selection,
    "race": race,
    "short-race": short_race,
    "shapes": shapes,
    "shapes-error": shapes_error,
    "strengths": strengths,
    "sparsity": sparsity,
    "memory": memory,
    "text": text,
    "disk": disk,
    "kernels": kernels,
    "readme": readme,
    "machine": machine,
}
