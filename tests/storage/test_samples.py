"""Samples of released versions: every later version reads them, answers what was answered, and goes on as was gone on.

`tests.storage.sample` says what a sample is, ``scripts/make_samples.py`` writes those of a version before its release.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pytest
from tests.oracles import relative_error
from tests.storage.sample import FOLDER, MODEL, Sample, answers, read_sample

import ridgeway as rw
from ridgeway.storage.checkpoint import CheckpointError
from ridgeway.tables import Checkpoint, Request, fit_table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FILES = sorted(FOLDER.glob(f"v*/*{MODEL}"))
CHECKPOINTS = sorted(FOLDER.glob("v*/checkpoints"))
every = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
every_checkpoint = pytest.mark.parametrize("folder", CHECKPOINTS, ids=lambda folder: folder.parent.name)
going_on = pytest.mark.parametrize(
    "sample",
    [sample for sample in map(read_sample, FILES) if sample.more is not None],
    ids=lambda sample: f"{sample.file.parent.name}/{sample.file.stem}",
)

EXACT = 1e-12
# Products of float32 rows and coefficients round to 6e-8 in an order that BLAS chooses for the processor. So do kernel
# values of float32 rows, of which some models add up hundreds.
IN_FLOAT32 = 1e-6
# Steps in float32 round the coefficients themselves, in an order that a compiler may change.
AFTER_STEPS = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): EXACT}


def require_close(got: Any, expected: Any, tolerance: float) -> None:
    """Compare predictions, each set relative to its largest one."""
    assert got.shape == expected.shape
    for one, other in zip(got, expected, strict=True):
        assert relative_error(one, other) <= tolerance


def tolerance_of(model: Any) -> float:
    """Return how far answers of a model may be from those of another processor."""
    of_rows = getattr(model, "model", model)  # that of a table's encoded rows
    return IN_FLOAT32 if of_rows.coef_.dtype == np.float32 else EXACT


def gone_on(sample: Sample) -> Any:
    """Return the stored model after the further batch."""
    assert sample.more is not None
    return rw.load(sample.file).partial_fit(*sample.more)


# Law: a model of every kind, written by any version, answers what that version answered, wherever it is asked to stand.
@every
def test_answers(file: Path) -> None:
    sample = read_sample(file)
    model = rw.load(file)
    got = answers(model, sample.rows, sample.alphas, sample.averages)
    require_close(got, sample.answer, tolerance_of(model))


# Law: reading writes nothing new into a model: saved again and loaded again, it still answers the same.
@every
def test_saved_again(file: Path, tmp_path: Path) -> None:
    sample = read_sample(file)
    rw.load(file).save(tmp_path / "model")
    again = rw.load(tmp_path / "model")
    got = answers(again, sample.rows, sample.alphas, sample.averages)
    require_close(got, sample.answer, tolerance_of(again))


# Law: a stored fit or stream goes on with a further batch to the averages that the version which stored it came to.
@going_on
def test_goes_on(sample: Sample) -> None:
    assert sample.more is not None
    got = answers(gone_on(sample), sample.rows, sample.alphas, sample.averages)
    require_close(got[1:], sample.later[1:], AFTER_STEPS[sample.more.rows.dtype])


# Law: and it then stands at the average that was chosen there, from the errors that were stored and those of the batch.
@going_on
def test_choice_goes_on(sample: Sample) -> None:
    assert sample.more is not None
    got = gone_on(sample).predict(sample.rows)
    assert relative_error(got, sample.later[0]) <= AFTER_STEPS[sample.more.rows.dtype]


# Law: there are samples of every version and kind of model, and together they add little to a clone.
def test_every_kind() -> None:
    kinds = {"AveragedKernelRegressor", "AveragedSGDRegressor", "ExactRidgePath", "TableModel"}
    expected = {"v0.1": kinds, "v0.2": kinds | {"RidgePathCV"}}
    assert {folder.name for folder in FOLDER.iterdir()} == set(expected)
    for name, of_version in expected.items():
        models = [rw.load(file) for file in (FOLDER / name).glob(f"*{MODEL}")]
        assert {type(model).__name__ for model in models} == of_version
        files = [file for file in (FOLDER / name).rglob("*") if file.is_file()]
        assert sum(len(zlib.compress(file.read_bytes())) for file in files) < 2**20


def resumed(fit: Callable[[], Any], checkpoint: Path) -> Any:
    """Return the model of a fit that goes on from a checkpoint, None if that is refused with a remedy and kept."""
    kept, said = checkpoint.read_bytes(), ""
    try:
        return fit()
    except (CheckpointError, rw.ModelFileError) as refusal:
        said = str(refusal)
    assert "delete it to" in said
    assert checkpoint.read_bytes() == kept
    return None


# Law: the checkpoint of another version goes on to the model of that version, or is refused with what to do about it.
@every_checkpoint
def test_checkpoint(folder: Path, tmp_path: Path) -> None:
    sample = read_sample(folder / f"checkpoint{MODEL}")
    file = Path(shutil.copy(sample.file, tmp_path))
    table, request = pyarrow.csv.read_csv(folder / "learned.csv"), Request(target="price", passes=3, alpha=0.1)
    model = resumed(lambda: fit_table(table, request, memory=0, checkpoint=Checkpoint(file)), file)
    if model is not None:
        require_close(answers(model, sample.rows, sample.alphas, sample.averages), sample.answer, EXACT)


# Law: the same of a fit by partitions.
@every_checkpoint
def test_checkpoint_of_partitions(folder: Path, tmp_path: Path) -> None:
    da = pytest.importorskip("dask.array")
    sample = read_sample(folder / f"cluster{MODEL}")
    file = Path(shutil.copy(sample.file, tmp_path))
    with np.load(folder / "learned.npz") as learned:
        chunk = len(learned["rows"]) // 4 + 1
        X = da.from_array(learned["rows"], chunks=(chunk, -1), name="rows")
        y = da.from_array(learned["targets"], chunks=chunk, name="targets")
    estimator = rw.AveragedSGDRegressor(passes=2, alpha=0.1, random_state=0)
    model = resumed(lambda: rw.dask.fit(estimator, (X, y), client="serial", checkpoint=file), file)
    if model is not None:
        require_close(answers(model, sample.rows, sample.alphas, sample.averages), sample.answer, EXACT)
