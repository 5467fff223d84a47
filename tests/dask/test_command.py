"""`ridgeway fit` on a cluster."""

from __future__ import annotations

import errno
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import ridgeway as rw
from ridgeway.cli.commands import run
from ridgeway.dask.serial import Serial
from ridgeway.storage.file_lock import FileInUseError, FileLock
from ridgeway.tables import Request, fit_table
from ridgeway.tables.distributed import fit_table_on

pytestmark = pytest.mark.filterwarnings("ignore")


# Law: the command gives the model of the same request in this process, with encoder, logarithm and left-out columns.
def test_fit_on_a_cluster(parquet: Path, client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pq.read_table(parquet)
    table = table.set_column(table.column_names.index("y"), "y", [np.exp(table["y"].to_numpy() / 10)])
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=1000)
    address = client.scheduler.address
    data, model = str(tmp_path / "t.parquet"), str(tmp_path / "m.safetensors")
    given = [
        "fit",
        data,
        "--target",
        "y",
        "--weight",
        "w",
        "--drop",
        "x3",
        "--log-target",
        "--passes",
        "2",
        "--cv",
        "3",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run([*given, "--dask", address, "--model", model]) == 0
    said = capsys.readouterr().out
    assert "Workers: " in said
    assert "Dashboard: http" in said
    assert "on a cluster, 2 passes" in said
    request = Request("y", "w", True, ("x3",), passes=2, cv=3)
    expected = fit_table_on(Serial(), data, request)
    got = rw.load(model)
    assert (got.predict(data) == expected.predict(data)).all()
    assert got.facts.rows + got.facts.left_out == 3000
    assert got.facts.left_out > 0


def test_wrong_usage_is_said(parquet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fit", str(parquet), "--target", "y", "--dask", "tcp://127.0.0.1:9", "--workers", "2"]) == 2
    assert run(["fit", str(parquet), "--target", "y", "--chains", "2"]) == 2
    assert "--chains needs a cluster" in capsys.readouterr().err


# Law: several chains imply SGD, and the reason says so; a solver that is named is a request.
def test_chains_imply_sgd(parquet: Path, tmp_path: Path) -> None:
    for part in ("1.parquet", "2.parquet"):
        shutil.copy(parquet, tmp_path / part)
    model = fit_table_on(Serial(), tmp_path, Request("y", "w"), chains=2)
    assert (model.facts.solver, model.facts.solver_reason) == ("sgd", "because chains=2 is an option of SGD")
    model = fit_table_on(Serial(), tmp_path, Request("y", "w", solver="sgd"), chains=2)
    assert model.facts.solver_reason == "as requested"
    model = fit_table_on(Serial(), tmp_path, Request("y", "w", passes=1), chains=2)
    assert model.facts.solver_reason == "because passes=1 is an option of SGD"


# Law: a kernel model with components is fitted by partitions as well as in one piece, by one chain.
def test_kernel_model_of_a_table(parquet: Path) -> None:
    request = Request("y", "w", passes=5, kernel="rbf", components=60, gamma=0.1)
    model, local = fit_table_on(Serial(), parquet, request), fit_table(parquet, request)
    table = pq.read_table(parquet)
    y, weight = table["y"].to_numpy(), table["w"].to_numpy()
    errors = [np.average((one.predict(parquet) - y) ** 2, weights=weight) for one in (model, local)]
    assert errors[0] == pytest.approx(errors[1], rel=0.3)
    assert errors[0] < 0.5 * y.var()
    with pytest.raises(ValueError, match="chains=2: expected 1 for a kernel model; leave chains out"):
        fit_table_on(Serial(), parquet, request, chains=2)


# Law: on a cluster, too, the checkpoint goes last: when the report cannot be written it stays, and the fit goes on from
# it; options that a cluster would ignore are refused.
def test_checkpoint_goes_last(
    parquet: Path,
    client: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, checkpoint = str(tmp_path / "m"), tmp_path / "c"
    cluster = ["fit", str(parquet), "--target", "y", "--passes", "2", "--cv", "3", "--dask", client.scheduler.address]
    given = [*cluster, "--model", model, "--checkpoint", str(checkpoint)]
    with monkeypatch.context() as patch:
        patch.setattr("ridgeway.cli.fit.write", _full_disk)
        assert run(given) == 1
    assert "no space is left on the disk" in capsys.readouterr().err
    assert checkpoint.exists()
    assert not Path(model).exists()
    assert run(given) == 0
    assert "Resuming from" in capsys.readouterr().out
    assert Path(model).exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]
    for options in (["--memory", "10"], ["--checkpoint", str(checkpoint), "--checkpoint-every", "10"]):
        assert run([*cluster, *options]) == 2
        assert options[-2] in capsys.readouterr().err


def _full_disk(*given: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", "m")


# Law: a second fit with the checkpoint of one that runs is refused.
def test_checkpoint_in_use(parquet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = FileLock(tmp_path / "c", "checkpoint")
    lock.acquire()
    with pytest.raises(FileInUseError, match="another fit is using this checkpoint"):
        rw.dask.fit(rw.AveragedSGDRegressor(), parquet, "y", "serial", checkpoint=tmp_path / "c")
    lock.release()
    rw.dask.fit(rw.AveragedSGDRegressor(passes=1), parquet, "y", "serial", checkpoint=tmp_path / "c")
    assert list(tmp_path.iterdir()) == []
