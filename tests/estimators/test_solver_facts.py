"""The table of what solvers can do, and the refusal of what they cannot."""

from __future__ import annotations

import pytest

from ridgeway.estimators.solver_facts import SOLVER_FACTS, Ability, can, check_solver, solvers_that_can


# Law: a solver is accepted where it has the ability, and "auto" everywhere; otherwise the message says what it lacks,
# and names all that have the ability.
@pytest.mark.parametrize("ability", Ability)
@pytest.mark.parametrize("solver", ["auto", *SOLVER_FACTS])
def test_abilities(solver: str, ability: Ability) -> None:
    if solver == "auto" or can(solver, ability):
        assert check_solver(solver, ability) == solver
        return
    with pytest.raises(ValueError, match=f"^solver='{solver}' {ability.value}: expected 'auto'.* here\\.$") as refused:
        check_solver(solver, ability, where="here")
    assert all(repr(able) in str(refused.value) for able in solvers_that_can(ability))


# Law: a name that no solver has is refused without a guess at what it lacks.
def test_unknown_name() -> None:
    with pytest.raises(ValueError, match=r"^solver='svd': expected 'auto', 'gram' or 'sgd'\.$"):
        check_solver("svd", Ability.STREAMS)
