"""Batches of one stream have one form: rows that are all dense or all sparse, and the same targets."""

from __future__ import annotations

from ridgeway.rows.batch import Batch
from ridgeway.rows.forms import DenseRows


def require_same_rows(batch: Batch, sparse: bool) -> None:
    """Refuse dense rows after sparse ones, and the reverse."""
    if sparse == isinstance(batch.rows, DenseRows):
        got, expected = ("dense", "sparse") if sparse else ("sparse", "dense")
        raise ValueError(f"X is {got}: expected {expected} rows, as in the batches before; convert it.")


def require_same_targets(n_targets: int, single_target: bool, expected_targets: int, expected_single: bool) -> None:
    """Refuse targets of another shape than those before.

    Parameters
    ----------
    n_targets, single_target : number of targets of a batch, and whether its y was 1-D.
    expected_targets, expected_single : the same of the batches before.
    """
    if (n_targets, single_target) == (expected_targets, expected_single):
        return
    shapes = (n_targets, single_target), (expected_targets, expected_single)
    got, expected = ("(n,)" if single else f"(n, {n})" for n, single in shapes)
    raise ValueError(
        f"y has shape {got} but the batches before had {expected}: pass the same targets in every batch, or start "
        "again."
    )
