"""One random fit or stream from one seed, and everything that is wrong with it."""

from __future__ import annotations

import copy
import linecache
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scripts.fuzz.data import Rows, draw_rows, spoiled
from scripts.fuzz.estimators import draw_estimator
from scripts.fuzz.interruption import LIBRARY, interrupted
from scripts.fuzz.outputs import not_finite, questions
from scripts.fuzz.sameness import differences
from sklearn.exceptions import ConvergenceWarning

import ridgeway as rw

EXTREME_SHARE = 0.4  # share of data sets with scales from 1e-300 to 1e300
OURS = (ValueError, TypeError, rw.DivergenceError)
IGNORED = (ConvergenceWarning, ResourceWarning)  # a file that an interrupt left open is closed by Python
SAID = (
    "were clipped",
    "is replaced by",
    "nothing could be chosen from",
)  # by our own warnings


@dataclass
class Case:
    """The outcome of one seed.

    Attributes
    ----------
    seed : seed of all random numbers.
    told : description of the random fit or stream.
    failures : the failures, one line each.
    learned : whether anything was fitted.
    """

    seed: int
    told: str = ""
    failures: list[str] = field(default_factory=list)
    learned: bool = False

    def attempt(self, name: str, call: Callable[[], Any]) -> tuple[bool, Any]:
        """Call a function; return whether it succeeded, and its result. A foreign error or warning is a failure."""
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                answer, well = call(), True
            except Exception as error:
                answer, well = None, False
                if not of_ours(error):
                    self.failures.append(f"{name}: {described(error)}")
        for warning in heard:
            said = str(warning.message)
            if warning.category not in IGNORED and not any(words in said for words in SAID):
                self.failures.append(
                    f"{name}: {warning.category.__name__} {said} at {warning.filename}:{warning.lineno}"
                )
        return well, answer

    def same(self, name: str, model: Any, twin: Any) -> None:
        """Compare with a copy."""
        found = differences(model, twin)
        if found:
            self.failures.append(f"{name}: differs from its copy at {'; '.join(found[:3])}")


def of_ours(error: Exception) -> bool:
    """Return whether an error has a documented type and was raised by a `raise` statement of the library."""
    if not isinstance(error, OURS):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    return last.filename.startswith(LIBRARY) and line.startswith("raise")


def described(error: Exception) -> str:
    """Return an error in one line, with file and line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} {str(error).splitlines()[0] if str(error) else ''} at {last.filename}:{last.lineno}"


def run(seed: int) -> Case:
    """Draw a random fit or stream from a seed, and check all its results."""
    rng = np.random.default_rng(seed)
    case = Case(seed)
    model, rows = draw_estimator(rng), draw_rows(rng, EXTREME_SHARE)
    streams = hasattr(model, "partial_fit") and rng.random() < 0.6
    drawn = " ".join(str(model).split())
    case.told = f"{'stream' if streams else 'fit'} of {drawn} with {rows.dense.dtype}{rows.dense.shape}, {rows.form}"
    if streams:
        _stream(case, rng, model, rows)
    else:
        _fit(case, rng, model, rows)
    if case.learned:
        for name, ask in questions(model, rows.X):
            well, answer = case.attempt(name, ask)
            if well and not_finite(answer):
                case.failures.append(f"{name}: not finite")
    return case


def _fit(case: Case, rng: np.random.Generator, model: Any, rows: Rows) -> None:
    case.learned, _ = case.attempt("fit", lambda: model.fit(*rows.arguments))
    before = copy.deepcopy(model)
    after = _refuse_or_interrupt(case, rng, "fit", model, rows, before)
    case.same("fit that failed", model, after)


def _stream(case: Case, rng: np.random.Generator, model: Any, rows: Rows) -> None:
    """Learn batch by batch, with refused and interrupted batches, and compare with a copy that sees only good ones."""
    twin = copy.deepcopy(model)
    n_rows, first = len(rows.dense), 0
    while first < n_rows:
        last = first + int(rng.integers(1, max(2, n_rows)))
        part = rows.between(first, last)
        if rng.random() < 0.6:
            twin = _refuse_or_interrupt(case, rng, "partial_fit", model, part, twin)
            case.same("stream that went on after a failure", model, twin)
        well, _ = case.attempt("partial_fit", partial(model.partial_fit, *part.arguments))
        twin_well, _ = case.attempt("partial_fit of the copy", partial(twin.partial_fit, *part.arguments))
        if well != twin_well:
            case.failures.append("partial_fit: refused here and accepted by the copy, or the other way round")
        case.learned |= well
        first = last
    case.same("stream", model, twin)


def _refuse_or_interrupt(case: Case, rng: np.random.Generator, method: str, model: Any, rows: Rows, twin: Any) -> Any:
    """Call a method with spoiled rows, or interrupt it; return the estimator to compare with afterwards.

    This is `twin`, or a copy of the result if the call succeeded.
    """
    if rng.random() < 0.5:
        bad = spoiled(rng, rows)
        well, _ = case.attempt(f"{method} of spoiled rows", lambda: getattr(model, method)(*bad.arguments))
        went_on = well
    else:
        line = int(10.0 ** rng.uniform(0, 3.7))
        stopped = case.attempt(
            f"interrupted {method}", lambda: interrupted(lambda: getattr(model, method)(*rows.arguments), line)
        )
        went_on = stopped == (True, False)
    case.learned |= went_on
    return copy.deepcopy(model) if went_on else twin
