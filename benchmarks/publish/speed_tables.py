"""Tables of time and memory, one function each."""

from __future__ import annotations

from benchmarks.publish.cells import by_method, error, grid, times
from benchmarks.publish.results import Measured, Results

README_SHAPES = ("100,000 x 10", "1,000,000 x 100", "20,000 x 1,000", "1,000 x 10,000")
TEST_ERROR = ": test error"


def shapes(results: Results) -> str:
    """Times over ours, for shapes."""
    return by_method(results.suites["shapes"], times)


def shapes_error(results: Results) -> str:
    """Test errors over exact ridge's, for shapes."""
    cases = []
    for case in results.suites["shapes"]:
        exact = case.values[f"Gram + eigh, 100 strengths{TEST_ERROR}"]
        cases.append(Measured(case.name, {name: value / exact for name, value in case.values.items()}, {}))
    return by_method(cases, error, TEST_ERROR)


def strengths(results: Results) -> str:
    """Times over ours, for numbers of strengths."""
    return by_method(results.suites["strengths"], times)


def sparsity(results: Results) -> str:
    """Times over ours, for sparse rows."""
    return by_method(results.suites["sparsity"], times)


def sparsity_error(results: Results) -> str:
    """Test errors over that of predicting the mean, for sparse rows."""
    return by_method(results.suites["sparsity"], error, TEST_ERROR)


def memory(results: Results) -> str:
    """Memory beside the rows, in multiples of them."""
    return by_method(results.suites["memory"], lambda value: "-" if value is None else f"{value:.2f}")


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


def readme(results: Results) -> str:
    """The table of the README: cells of the table of shapes."""
    cases = [case for case in results.suites["shapes"] if case.name in README_SHAPES]
    wanted = {
        "`RidgePathCV`: exact, selected by folds, 100 strengths": "RidgePathCV, 100 strengths",
        "`run_sgd`: one pass, nothing selected, 100 strengths": "run_sgd, one pass, 100 strengths",
        "Gram matrix + `eigh`, nothing selected, 100 strengths": "Gram + eigh, 100 strengths",
        "glmnet, nothing selected, 100 strengths": "glmnet, 100 strengths",
        "`RidgeCV`, selected among 25 strengths": "RidgeCV, 25 strengths",
        "averaged `SGDRegressor`, one epoch, 1 strength": "SGDRegressor, averaged epoch, 1 strength",
        '`Ridge(solver="lsqr")`, 1 strength': "Ridge lsqr, 1 strength",
    }
    rows = [[label, *(times(case.values.get(name)) for case in cases)] for label, name in wanted.items()]
    return grid(["time / that of `RidgePathCV`", *(case.name for case in cases)], rows)
