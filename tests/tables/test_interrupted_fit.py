"""Fits of tables that Ctrl-C interrupts between two checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tables.shop import shop_table, write_parquet

from ridgeway.data import source
from ridgeway.estimators import AveragedSGDRegressor, RidgePathCV
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.tables import Request, batch_learner, fit_table, table_rows
from ridgeway.tables.table_rows import TableRows

SGD, GRAM = Request(target="price", passes=2), Request(target="price", solver="gram")
RARELY = 10**9  # rows between two checkpoints


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BATCH_ROWS", 300)
    monkeypatch.setattr(batch_learner, "FIRST_BATCH_ROWS", 600)


def interrupt_at(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, call: int, after: bool) -> None:
    """Raise KeyboardInterrupt before or after a call of a function."""
    original, calls = getattr(owner, name), 0

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and not after:
            raise KeyboardInterrupt
        found = original(*arguments, **options)
        if calls == call:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(owner, name, counted)


# Law: a fit that is interrupted anywhere after it began to learn leaves a checkpoint, and the same fit resumes from it
# to the same model, bit for bit.
@pytest.mark.parametrize("request_", [SGD, GRAM], ids=["sgd", "gram"])
@pytest.mark.parametrize(
    ("owner", "name", "call", "after"),
    [
        (batch_learner, "joined_rows", 3, False),
        (AveragedSGDRegressor, "partial_fit", 3, False),
        (AveragedSGDRegressor, "partial_fit", 3, True),
        (AveragedSGDRegressor, "partial_fit", 8, True),
        (RidgePathCV, "partial_fit", 3, False),
        (RidgePathCV, "partial_fit", 3, True),
        (TableRows, "_note_learned", 5, False),
        (TableRows, "_note_learned", 5, True),
        (TableRows, "_note_learned", 8, True),
    ],
)
def test_resumes(
    request_: Request,
    owner: Any,
    name: str,
    call: int,
    after: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if owner in (AveragedSGDRegressor, RidgePathCV) and (owner is RidgePathCV) != (request_ is GRAM):
        pytest.skip("another estimator")
    path = write_parquet(shop_table(2400), tmp_path / "t.parquet")
    fit_table(path, request_, memory=0).save(tmp_path / "whole")
    with monkeypatch.context() as patch:
        interrupt_at(patch, owner, name, call, after)
        with pytest.raises(KeyboardInterrupt):
            fit_table(path, request_, memory=0, checkpoint=Checkpoint(tmp_path / "c", RARELY))
    assert (tmp_path / "c").exists()
    learned = 0
    original = TableRows.learn

    def counting(self: TableRows, rows: Any) -> None:
        nonlocal learned
        learned += len(rows.y)
        original(self, rows)

    monkeypatch.setattr(table_rows.TableRows, "learn", counting)
    fit_table(path, request_, memory=0, checkpoint=Checkpoint(tmp_path / "c", RARELY)).save(tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert learned <= 2400 * (2 if request_ is SGD else 1) - 600


# Law: a fit that has learned nothing yet leaves no checkpoint.
def test_nothing_to_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(shop_table(2400), tmp_path / "t.parquet")
    interrupt_at(monkeypatch, batch_learner, "joined_rows", 1, False)
    with pytest.raises(KeyboardInterrupt):
        fit_table(path, SGD, memory=0, checkpoint=Checkpoint(tmp_path / "c", RARELY))
    assert not (tmp_path / "c").exists()


# Law: rows that were held in memory and then go to Gram matrices are stored only once all of them are learned.
@pytest.mark.parametrize(("call", "stored"), [(1, False), (3, False), (6, True)])
def test_held_rows(call: int, stored: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(shop_table(2400), tmp_path / "t.parquet")
    encoder = fit_table(path, GRAM, memory=0).encoder
    assert encoder is not None
    memory = round(0.6 * 2400 * encoder.row_bytes_)  # the rows exceed it before the end
    fit_table(path, GRAM, memory=memory).save(tmp_path / "whole")
    with monkeypatch.context() as patch:
        interrupt_at(patch, RidgePathCV, "partial_fit", call, True)
        with pytest.raises(KeyboardInterrupt):
            fit_table(path, GRAM, memory=memory, checkpoint=Checkpoint(tmp_path / "c", RARELY))
    assert (tmp_path / "c").exists() == stored
    fit_table(path, GRAM, memory=memory, checkpoint=Checkpoint(tmp_path / "c")).save(tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
