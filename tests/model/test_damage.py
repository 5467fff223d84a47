"""Damaged and hostile model files: an error that says so, or a model that is right."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from tests.model.mutation import damaged, made_up
from tests.oracles import problem

import ridgeway as rw

FILES = int(os.environ.get("RIDGEWAY_MUTATED_FILES", "60"))  # of each kind and model; 500 in a long run
MOST_MEMORY = 2**30


def sparse_stream() -> Any:
    rng = np.random.default_rng(3)
    X: Any = scipy.sparse.random_array((95, 30), density=0.2, rng=rng, format="csr", dtype=np.float64)
    return rw.AveragedSGDRegressor(batch_size=7).partial_fit(X, X @ rng.standard_normal(30))


def dense_fit() -> Any:
    return rw.AveragedSGDRegressor(passes=1, random_state=0).fit(*problem(100, 4))


MODELS = {"dense fit": dense_fit, "sparse stream": sparse_stream}
models = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def memory() -> int:
    """Most memory that the process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def loaded_or_refused(file: Path) -> Any:
    """Return the model, or None when the file is refused by an error that names it; any other error is one."""
    try:
        return rw.load(file)
    except rw.ModelFileError as error:
        told = str(error)
    assert told.startswith(f"{file}: ")
    return None


# Law: a file that was damaged is refused by ModelFileError, or still holds the same model.
@models
def test_damaged_files(make: Any, tmp_path: Path) -> None:
    model, file = make(), tmp_path / "model"
    model.save(file)
    contents, rng, before = file.read_bytes(), np.random.default_rng(0), memory()
    X = np.ones((2, model.n_features_in_))
    for _ in range(FILES):
        file.write_bytes(damaged(contents, rng))
        loaded = loaded_or_refused(file)
        if loaded is not None:
            np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert memory() - before < MOST_MEMORY


# Law: a file that was made up, with a checksum that is right, is refused, or gives a model that works without harm.
@models
@pytest.mark.filterwarnings("ignore")
def test_made_up_files(make: Any, tmp_path: Path) -> None:
    model, file = make(), tmp_path / "model"
    model.save(file)
    honest, rng, before, refused = tmp_path / "honest", np.random.default_rng(1), memory(), 0
    model.save(honest)
    X = np.random.default_rng(2).standard_normal((50, model.n_features_in_))
    rows = scipy.sparse.csr_array(X) if "sparse" in make.__name__ else X
    for _ in range(FILES):
        file.write_bytes(made_up(honest, rng))
        loaded = loaded_or_refused(file)
        if loaded is None:
            refused += 1
            continue
        assert np.isfinite(loaded.coef_).all()
        try:
            assert np.isfinite(loaded.predict(X)).all()
            loaded.path([0.0, 0.1])
            loaded.partial_fit(rows, X[:, 0])
        except (ValueError, TypeError, OverflowError, rw.DivergenceError):
            continue
    assert refused > FILES / 3
    assert memory() - before < MOST_MEMORY
