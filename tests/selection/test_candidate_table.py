"""The table of candidates."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ridgeway as rw
from ridgeway.exact.rated_candidates import best_of
from ridgeway.selection.candidate_table import PROGRESSIVE, Scored, Selection, marked, others_as_good
from ridgeway.selection.candidates import Candidates, between, stronger

ROWS = [
    Scored(rw.Geometric(0.1), 0.5, 1.05, 0.1),
    Scored(rw.Geometric(1.0), 0.5, 1.0, 0.1),
    Scored(rw.Geometric(10.0), 0.5, 1.08, 0.1),
    Scored(rw.Geometric(100.0), 0.5, 3.0, 0.1),
    Scored(rw.Tail(0.5), 0.5, 1.01, 0.1),
    Scored(rw.Last(), 0.5, 1.2, 0.1),
]


# Law: the best is chosen; by the rule, the largest alpha within a standard error of it.
def test_marked() -> None:
    assert Selection("x", marked(ROWS, one_standard_error=False)).chosen.scheme == rw.Geometric(1.0)
    assert Selection("x", marked(ROWS, one_standard_error=True)).chosen.scheme == rw.Geometric(10.0)
    others = [Scored(rw.Geometric(1.0), 0.1, 0.9, 0.1)]
    selection = Selection("x", marked(ROWS, one_standard_error=False, others=others))
    assert selection.chosen.step == 0.5
    assert selection.best.error == 1.0
    assert len(selection) == 7


# Law: a standard error is counted from the best candidate, whichever was chosen.
def test_as_good() -> None:
    for by_the_rule in (False, True):
        assert Selection("x", marked(ROWS, by_the_rule)).n_as_good == 3
    assert others_as_good(0) == ""
    assert others_as_good(1) == "; 1 other is within one standard error"
    assert others_as_good(1234) == "; 1,234 others are within one standard error"


# Law: one sentence explains a chosen row that is not the one of least error; there is none otherwise.
def test_note() -> None:
    assert Selection("x", marked(ROWS, one_standard_error=False)).note == ""
    uniform, last = Scored(rw.Uniform(), 0.5, 1.1, 0.1), ROWS[-1]
    notes = {
        "the strongest regularization within one standard error (0.1) of the best": Selection("x", marked(ROWS, True)),
        "none of them is better by more than two standard errors": Selection(
            PROGRESSIVE, marked([*ROWS, uniform], False, best=uniform)
        ),
        "upper bound (mean plus two standard errors) of its error minus that of the uniform average": Selection(
            PROGRESSIVE, marked(ROWS, False, best=last)
        ),
    }
    for words, selection in notes.items():
        assert words in selection.note
        assert selection.note.endswith(".")
        assert ". " not in selection.note
        assert selection.note in str(selection)


# Law: of ridge strengths with the same least error, to rounding, the strongest is chosen. The table lists it alone of
# its kind, and does not name the rule of one standard error.
def test_ties() -> None:
    flat = [Scored(rw.Geometric(10.0**k), 0.5, 1 + max(k, -6) * 1e-13, 0.1) for k in range(-9, -2)]
    rows = [*flat, *ROWS]
    table = Selection("x", marked(rows, False, best=best_of(rows, 1.0)))
    X = np.random.default_rng(0).standard_normal((60, 5))
    noiseless = rw.RidgePathCV(solver="gram", cv=5, random_state=0).fit(X, X.sum(axis=1)).selection_
    assert noiseless is not None
    note = "Several strengths have the least error, to rounding; the strongest of them was chosen."
    for selection in (table, noiseless):
        assert selection.chosen.alpha > selection.best.alpha
        assert selection.note == note
        assert selection.note in str(selection)
        assert "standard error" not in str(selection)
        assert str(selection).count("Geometric") == 1
        assert selection.chosen in selection.best_of_kinds
    assert table.chosen.scheme == rw.Geometric(1.0)
    assert "within one standard error" in Selection("x", marked(rows, True, best=best_of(rows, 1.0))).note


# Law: the best of each kind is listed once, and the chosen one besides if it is not the best of its kind.
def test_listed() -> None:
    best, simple = (Selection("x", marked(ROWS, one_standard_error=rule)) for rule in (False, True))
    assert [row.error for row in best.best_of_kinds] == [1.0, 1.01, 1.2]
    assert [row.error for row in simple.best_of_kinds] == [1.0, 1.01, 1.08, 1.2]
    assert "; the best of each kind:" in str(best)
    assert "; the best of each kind and the chosen one:" in str(simple)


def test_forms() -> None:
    selection = Selection("5 folds", marked(ROWS, one_standard_error=False))
    frame = selection.to_frame()
    assert frame["chosen"].sum() == 1
    assert list(frame["scheme"]) == ["Geometric"] * 4 + ["Tail", "Last"]
    assert "Geometric(alpha=1)  <- chosen" in str(selection)
    assert repr(selection).startswith("Selection(6 candidates by 5 folds: Geometric(alpha=1.0)")


# Law: a table of exact solvers shows no step for ridge, which has none; of SGD it shows all, also from a file.
def test_steps_of_exact_solvers(tmp_path: Path) -> None:
    X = np.random.default_rng(0).standard_normal((60, 3))
    exact = rw.RidgePathCV(averaging="auto", cv=3).fit(X, X[:, 0])
    exact.save(tmp_path / "m.safetensors")
    for model in (exact, rw.load(tmp_path / "m.safetensors")):
        assert model.selection_ is not None
        frame = model.selection_.to_frame()
        assert (frame["step"].isna() == (frame["scheme"] == "Geometric")).all()
        assert frame["step"].notna().any()
    by_sgd = rw.AveragedSGDRegressor(random_state=0).fit(X, X[:, 0])
    assert by_sgd.selection_ is not None
    assert by_sgd.selection_.to_frame()["step"].notna().all()


# Law: the grid covers everything between the uniform average and the start; refinements lie between neighbours.
def test_candidates() -> None:
    candidates = Candidates.of("auto", 1000, 0.1)
    assert min(candidates.alphas) <= 1e-2 / (0.1 * 1000) * 1.01
    assert max(candidates.alphas) >= 1e2 / 0.1 * 0.99
    assert rw.Uniform() in candidates.schemes()
    assert rw.Last() in candidates.schemes()
    assert not Candidates.of("tail", 1000, 0.1).alphas
    assert not Candidates.of("geometric", 1000, 0.1).starts
    new = between([0.1, 1.0, 10.0], 1.0)
    assert min(new) > 0.1
    assert max(new) < 10.0
    assert 1.0 not in np.round(new, 9)
    assert min(stronger([0.1, 1.0])) > 1.0
