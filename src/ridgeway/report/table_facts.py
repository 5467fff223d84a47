"""What the report of a table model tells beside its estimator: names, encoding, and facts about the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator

from ridgeway.estimators.solver_facts import describe_solver

if TYPE_CHECKING:
    from ridgeway.tables import TableModel

LOGARITHMS = (
    "its logarithm: errors, R², intervals and effects on this page are those of logarithms; predict returns exp of them"
)


def table_model_of(fitted: Any) -> TableModel | None:
    """Return a table model; None for an estimator."""
    if isinstance(fitted, BaseEstimator):
        return None
    from ridgeway.tables import TableModel  # noqa: PLC0415, needs pyarrow

    return fitted if isinstance(fitted, TableModel) else None


def options_of_table(model: TableModel, **given: Any) -> dict[str, Any]:
    """Return the options of `summarize` for the estimator of a table model.

    Parameters
    ----------
    model : the model.
    **given : options of `summarize` that take the place of the model's own unless they are None; facts are added.
    """
    if given.pop("X") is not None or given.pop("y") is not None:
        raise TypeError(
            "X and y are given with a table model: expected neither; pass test=ridgeway.evaluate(model, table) to show "
            "what it finds on other rows."
        )
    facts, targets = model.facts, model.targets or ("target",)
    own = {
        "encoder": model.encoder,
        "feature_names": model.feature_names,
        "target_names": [f"log {target}" if model.log_target else target for target in targets],
        "logarithms": model.log_target,
        "title": f"{', '.join(targets)}, learned from {facts.data}",
        "facts": {
            "Data": facts.data,
            **({"Scale of the target": LOGARITHMS} if model.log_target else {}),
            "Rows left out (no target or weight)": f"{facts.left_out:,}",
            "Fit": facts.way,
            "Solver": describe_solver(facts.solver, facts.solver_reason),
            **(given.pop("facts") or {}),
        },
    }
    return {**own, **{name: value for name, value in given.items() if value is not None}}
