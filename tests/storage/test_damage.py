"""Damaged and hostile model files: an error that says so, or a model that is right."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from tests.oracles import problem
from tests.storage.mutation import damaged, made_up
from tests.tables.shop import shop_table

import ridgeway as rw
from ridgeway.tables import Request, fit_table

FILES = int(os.environ.get("RIDGEWAY_MUTATED_FILES", "40"))  # of each kind and model; 1,000 in a long run
MOST_MEMORY = 2**30

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def sparse_rows() -> Any:
    rng = np.random.default_rng(3)
    rows: Any = scipy.sparse.random_array((95, 30), density=0.2, random_state=rng, format="csr", dtype=np.float64)
    return rows


def sparse_stream() -> Any:
    return rw.AveragedSGDRegressor(batch_size=7).partial_fit(sparse_rows(), sparse_rows() @ np.arange(30.0))


def dense_fit() -> Any:
    return rw.AveragedSGDRegressor(passes=1, random_state=0).fit(*problem(100, 4))


def table_fit() -> Any:
    return fit_table(shop_table(400), Request(target="price", passes=1))


def use_rows(rows: Any) -> Callable[[Any], None]:
    """Ask a model for everything, also to learn on."""

    def use(model: Any) -> None:
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.predict(rows)).all()
        model.path([0.0, 0.1])
        model.partial_fit(rows, np.arange(rows.shape[0]))

    return use


def use_table(model: Any) -> None:
    """Ask the model of a table for everything."""
    assert np.isfinite(model.predict(shop_table(50, seed=1))).all()
    model.path([0.0, 0.1])
    assert len(model.feature_names) == model.model.n_features_in_
    str(model.encoder.describe())


class Case(NamedTuple):
    """A model, rows to predict, and a way to use it."""

    make: Callable[[], Any]
    rows: Any
    use: Callable[[Any], None]


CASES = {
    "dense fit": Case(dense_fit, problem(100, 4)[0], use_rows(problem(100, 4)[0])),
    "sparse stream": Case(sparse_stream, sparse_rows(), use_rows(sparse_rows())),
    "table": Case(table_fit, shop_table(20), use_table),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


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
@cases
def test_damaged_files(case: Case, tmp_path: Path) -> None:
    model, file = case.make(), tmp_path / "model"
    model.save(file)
    contents, rng, before = file.read_bytes(), np.random.default_rng(0), memory()
    for _ in range(FILES):
        file.write_bytes(damaged(contents, rng))
        loaded = loaded_or_refused(file)
        if loaded is not None:
            np.testing.assert_array_equal(loaded.predict(case.rows), model.predict(case.rows))
    assert memory() - before < MOST_MEMORY


# Law: a file that was made up, with a checksum that is right, is refused, or gives a model that works without harm.
@cases
@pytest.mark.filterwarnings("ignore")
def test_made_up_files(case: Case, tmp_path: Path) -> None:
    honest, file = tmp_path / "honest", tmp_path / "model"
    case.make().save(honest)
    rng, before, refused = np.random.default_rng(1), memory(), 0
    for _ in range(FILES):
        file.write_bytes(made_up(honest, rng))
        loaded = loaded_or_refused(file)
        if loaded is None:
            refused += 1
            continue
        try:
            case.use(loaded)
        except (ValueError, TypeError, rw.DivergenceError):
            continue
    assert refused > FILES / 5
    assert memory() - before < MOST_MEMORY
