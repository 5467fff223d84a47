"""The model file: what comes back is what was saved, and nothing else is ever accepted."""

from __future__ import annotations

import contextlib
import json
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import pytest
import safetensors.numpy
import scipy.sparse
from numpy.typing import NDArray
from sklearn.model_selection import KFold
from tests.oracles import problem

import ridgeway as rw
from ridgeway.selection.residual_path import ResidualPath
from ridgeway.storage import model_file, read_state, write_state
from ridgeway.storage.state import StateError
from ridgeway.storage.tree import with_arrays

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

Make = Callable[[], Any]


def sparse_problem(n: int = 300, d: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X: Any = scipy.sparse.random_array((n, d), density=0.2, random_state=rng, format="csr", dtype=np.float64)
    return X, X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n)


def dense(**options: Any) -> Any:
    return rw.AveragedSGDRegressor(passes=5, random_state=0, **options).fit(*problem(300, 4))


def streamed(batch_size: int = 1, rows: int = 300, **options: Any) -> Any:
    model = rw.AveragedSGDRegressor(batch_size=batch_size, **options)
    X, y = problem(1000, 4, dtype=np.float32)
    return model.partial_fit(X[:rows], y[:rows])


FITS: dict[str, Make] = {
    "folds": dense,
    "hold-out": lambda: dense(cv="holdout"),
    "progressive": lambda: dense(cv="progressive"),
    "gcv": lambda: dense(cv="gcv"),
    "given alpha": lambda: dense(averaging="geometric", alpha=0.1),
    "tail": lambda: dense(averaging=rw.Tail(0)),
    "no scale, no intercept": lambda: dense(scale=False, fit_intercept=False),
    "chains": lambda: dense(chains=7, averaging="uniform"),
    "layout": lambda: dense(store=rw.Layout(2, 5)),
    "step": lambda: dense(step=rw.LimitedStep(0.01, 2.0)),
    "replay": lambda: dense(store="replay", averaging="geometric", alpha=0.1),
    "replay, chains": lambda: dense(store="replay", averaging="geometric", alpha=0.1, chains=3),
    "several targets": lambda: rw.AveragedSGDRegressor(passes=3, random_state=0).fit(*problem(300, 4, targets=3)),
    "one column of targets": lambda: rw.AveragedSGDRegressor(passes=3, random_state=0).fit(*problem(99, 4, targets=1)),
    "float32": lambda: rw.AveragedSGDRegressor(random_state=0).fit(*problem(300, 4, dtype=np.float32)),
    "sparse": lambda: rw.AveragedSGDRegressor(passes=3, random_state=0).fit(*sparse_problem()),
    "sparse mini-batches": lambda: rw.AveragedSGDRegressor(batch_size=7).partial_fit(*sparse_problem(100)),
    "stream": streamed,
    "stream of mini-batches": lambda: streamed(batch_size=7),
    "a single row": lambda: rw.AveragedSGDRegressor().fit([[1.0]], [2.0]),
    "exact": lambda: rw.ExactRidgePath(alpha=0.3).fit(*problem(300, 4)),
    "exact, sparse": lambda: rw.ExactRidgePath().fit(*sparse_problem()),
    "exact, several targets": lambda: rw.ExactRidgePath(scale=False).fit(*problem(300, 4, targets=2)),
}
every = pytest.mark.parametrize("make", FITS.values(), ids=FITS.keys())


def rows_of(model: Any, n: int = 40) -> Any:
    return np.random.default_rng(5).standard_normal((n, model.n_features_in_))


# Law: a loaded model is the saved one, bit for bit, wherever it is asked to stand.
@every
@pytest.mark.filterwarnings("ignore:nothing could be chosen from 1 row:UserWarning")
def test_what_is_saved_is_what_is_loaded(make: Make, tmp_path: Path) -> None:
    model, file = make(), tmp_path / "model.safetensors"
    model.save(file)
    loaded = rw.load(file)
    X, replayed = rows_of(model), getattr(model, "store", None) == "replay"
    same = np.testing.assert_allclose if replayed else np.testing.assert_array_equal
    alphas = [0.0, 0.003, 0.5, 100.0]
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert getattr(loaded, "selection_", None) == getattr(model, "selection_", None)
    assert getattr(loaded, "averaging_", None) == getattr(model, "averaging_", None)
    assert loaded.alpha_ == model.alpha_
    for name in ("n_rows_", "passes_"):
        assert getattr(loaded, name, None) == getattr(model, name, None)
    rows, expected = (getattr(m, "held_out_", None) for m in (loaded, model))
    assert (rows is None) == (expected is None)
    for name in vars(expected) if expected is not None else ():
        one, other = getattr(rows, name), getattr(expected, name)
        if isinstance(one, ResidualPath) and isinstance(other, ResidualPath):
            assert one.method == other.method
            one, other = one.residuals(rw.Geometric(0.003)), other.residuals(rw.Geometric(0.003))
        np.testing.assert_array_equal(one, other)
    answers: list[Callable[[Any], Any]] = [
        lambda m: m.coef_,
        lambda m: m.intercept_,
        lambda m: m.predict(X),
        lambda m: m.predict_path(X, alphas),
        lambda m: m.path(alphas).coefs,
        lambda m: m.at(0.3).predict(X),
    ]
    for of in answers:
        same(of(loaded), of(model))
        assert np.asarray(of(loaded)).dtype == np.asarray(of(model)).dtype


# Law: saving is a function: the same model gives the same bytes, and so does the loaded one.
@every
@pytest.mark.filterwarnings("ignore:nothing could be chosen from 1 row:UserWarning")
def test_same_model_same_bytes(make: Make, tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in "abc")
    model = make()
    model.save(first)
    make().save(second)
    rw.load(first).save(third)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() == third.read_bytes()


# Law: a stream that was saved and loaded goes on as if nothing had happened, bit for bit.
@pytest.mark.parametrize("rows", [30, 100, 300, 511])
@pytest.mark.parametrize("options", [{}, {"batch_size": 7}, {"averaging": "tail"}, {"step": 0.01}], ids=str)
def test_stream_goes_on(rows: int, options: dict[str, Any], tmp_path: Path) -> None:
    X, y = problem(1000, 4, dtype=np.float32)
    model = streamed(rows=rows, **options)
    model.save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    for first in range(rows, 1000, 130):
        for stream in (model, loaded):
            stream.partial_fit(X[first : first + 130], y[first : first + 130])
    model.save(tmp_path / "one")
    loaded.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


# Law: the same of sparse rows, also in the midst of a mini-batch.
@pytest.mark.parametrize("batch_size", [1, 7])
def test_sparse_stream_goes_on(batch_size: int, tmp_path: Path) -> None:
    X, y = sparse_problem()
    model = rw.AveragedSGDRegressor(batch_size=batch_size).partial_fit(X[:95], y[:95])
    model.save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    for stream in (model, loaded):
        stream.partial_fit(X[95:], y[95:])
    np.testing.assert_array_equal(loaded.path([0.0, 0.1]).coefs, model.path([0.0, 0.1]).coefs)


# Law: a fit goes on by partial_fit after loading as it does before.
@pytest.mark.parametrize("kind", ["folds", "hold-out", "progressive", "given alpha", "exact", "several targets"])
def test_fit_goes_on(kind: str, tmp_path: Path) -> None:
    model = FITS[kind]()
    model.save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    X, y = problem(2000, 4, seed=1, targets=3 if kind == "several targets" else None)
    for m in (model, loaded):
        m.partial_fit(X, y)
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert loaded.alpha_ == model.alpha_


# Law: names of columns survive.
def test_feature_names(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = problem(50, 3)
    frame = pandas.DataFrame(X, columns=["a", 'b "quoted"\n', "ü\U0001f600"])
    model = rw.AveragedSGDRegressor(passes=1, averaging="uniform").fit(frame, y)
    model.save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[frame.columns[::-1]])


# Law: safetensors' own reader reads the file, and finds the same arrays.
def test_safetensors_reads_it(tmp_path: Path) -> None:
    model = dense()
    model.save(tmp_path / "model.safetensors")
    arrays = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(arrays["fit.stream.run.progress.w"], model._stream.run._state.w)
    with safetensors.safe_open(tmp_path / "model.safetensors", framework="np") as file:
        content = json.loads(file.metadata()["ridgeway"])
    assert content["format_version"] == 2
    assert content["versions"]["numpy"] == np.__version__


# Law: a replay is stored as a sketch; where the sketch would answer for another average, it is not stored.
def test_replay_that_no_sketch_answers_for(tmp_path: Path) -> None:
    model = dense(store="replay", averaging=rw.Tail(777), step=rw.LimitedStep(0.05))
    with pytest.raises(ValueError, match=r"instead of Tail\(start=777\): save model.at\(Tail\(start=768\)\)"):
        model.save(tmp_path / "model")
    model.at(rw.Tail(768)).save(tmp_path / "model")
    assert rw.load(tmp_path / "model").averaging_ == rw.Tail(768)
    with pytest.raises(ValueError, match="store='replay' that was saved"):
        rw.load(tmp_path / "model").partial_fit(*problem(300, 4))


# Law: what no file can hold is replaced by its default, and the user is told.
def test_parameters_that_cannot_be_stored(tmp_path: Path) -> None:
    options = {"cv": KFold(3), "random_state": np.random.default_rng(0)}
    model = rw.AveragedSGDRegressor(passes=2, **options).fit(*problem(60, 4))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.save(tmp_path / "model")
    assert [str(w.message).split(" cannot")[0] for w in told] == ["cv=KFold", "random_state=Generator"]
    assert {Path(w.filename).name for w in told} == {Path(__file__).name}
    loaded = rw.load(tmp_path / "model")
    assert (loaded.cv, loaded.random_state) == ("auto", None)


# Law: a model that is not fitted has nothing to save.
def test_not_fitted(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="not fitted"):
        rw.AveragedSGDRegressor().save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# Law: a file of a newer format says which version reads it.
def test_newer_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "FORMAT_VERSION", 3)
    monkeypatch.setattr(model_file, "FIRST_READING_VERSION", "0.9.0")
    dense().save(tmp_path / "model")
    monkeypatch.undo()
    with pytest.raises(rw.ModelFileError, match=r"written in format 3, .* install ridgeway 0\.9\.0 or newer"):
        rw.load(tmp_path / "model")


# Law: a file of another kind is named as what it is.
def test_other_files(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_state(file, {"step": 1}, kind="checkpoint")
    with pytest.raises(rw.ModelFileError, match="a checkpoint file of ridgeway: expected a model file; give the file"):
        rw.load(file)
    assert read_state(file, "checkpoint").integer("step") == 1
    safetensors.numpy.save_file({"w": np.zeros(3)}, file)
    with pytest.raises(rw.ModelFileError, match="but not of ridgeway"):
        rw.load(file)
    file.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(rw.ModelFileError, match="not a model file"):
        rw.load(file)
    with pytest.raises(rw.ModelFileError, match="a folder"):
        rw.load(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no such file: expected a file of save.*check the path"):
        rw.load(tmp_path / "missing")


METADATA = {
    "a list": ("[1, 2]", "not JSON that ridgeway writes"),
    "no version": ('{"format": "model"}', "do not name a format and its version"),
    "not finite": ('{"format": "model", "format_version": 1, "needs": "0.1.0", "state": NaN}', "NaN is not finite"),
    "nested too deeply": ("[" * 100_000, "nested too deeply"),
    "too many values": ("[" + "0," * 3_000_000 + "0]", "more than 2,097,152 values"),
}


# Law: a safetensors file with our entry, but not what we write there, is refused by what it holds.
@pytest.mark.parametrize("name", METADATA)
def test_metadata_of_others(name: str, tmp_path: Path) -> None:
    text, message = METADATA[name]
    safetensors.numpy.save_file({"w": np.zeros(3)}, tmp_path / "file", {"ridgeway": text})
    with pytest.raises(rw.ModelFileError, match=f"file: .*{message}"):
        rw.load(tmp_path / "file")


# Law: arrays that ridgeway never writes are refused: of another type, or with axes that are not theirs.
def test_arrays_of_others(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_state(file, {"w": np.zeros(3, np.float16)})
    with pytest.raises(rw.ModelFileError, match="the array 'w' holds F16: expected one of"):
        read_state(file)
    for axes in ([0, 0], [2, 1], "01"):
        with pytest.raises(StateError, match=r"are not the axes of an array of 2 dimensions"):
            with_arrays({"w": {"$array": "w", "$axes": axes}}, {"w": np.zeros((2, 3))})


# Law: a table of names that no file holds is refused before anything is written.
def test_too_many_names(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="more than a model file holds: leave out feature names"):
        write_state(tmp_path / "file", {"names": ["x"] * 2_200_000})
    assert list(tmp_path.iterdir()) == []


def empty_arrays(n_arrays: int) -> bytes:
    """A safetensors file of so many arrays without entries."""
    entry = '{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    header = ('{"__metadata__":{"ridgeway":"{}"},' + ",".join(f'"{i}":{entry}' for i in range(n_arrays)) + "}").encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header


# Law: a header that names more arrays than any model has is refused before it is parsed, or even in memory.
# What safetensors takes in parsing is not traced, so its reader must not be called.
def test_too_many_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(empty_arrays(2**18))
    with contextlib.suppress(FileNotFoundError):
        rw.load(tmp_path / "none")  # imports what it needs
    monkeypatch.setattr(
        "ridgeway.storage.model_file.safe_open", lambda *given, **options: pytest.fail("the file was parsed")
    )
    tracemalloc.start()
    try:
        with pytest.raises(rw.ModelFileError, match=r"names 262,14\d arrays and entries: expected at most 262,144"):
            rw.load(file)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


# Law: no file is written that would not be read again.
def test_too_many_arrays_to_write(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has 131,072 arrays, .* may have 262,144 entries: .*chains=, use fewer"):
        write_state(tmp_path / "file", {"chains": [np.empty(0)] * 2**17})
    assert list(tmp_path.iterdir()) == []


# Law: parameters that are numbers of numpy are stored as numbers.
def test_numbers_of_numpy(tmp_path: Path) -> None:
    model = dense(alpha=np.float32(0.5), cv=np.int64(3), step=rw.LimitedStep(0.05))
    model.save(tmp_path / "model")
    loaded = rw.load(tmp_path / "model")
    assert (loaded.alpha, loaded.cv, loaded.alpha_) == (0.5, 3, 0.5)
    start: Any = np.int64(768)
    model.at(rw.Tail(start)).save(tmp_path / "model")
    assert rw.load(tmp_path / "model").averaging_ == rw.Tail(768)


@final
@dataclass(frozen=True)
class OwnScheme(rw.Scheme):
    """The last iterate, in a class that ridgeway does not know."""

    @classmethod
    def examples(cls) -> tuple[OwnScheme, ...]:
        return (cls(),)

    def _survival(self, j: NDArray[Any], n_steps: int, steps: Any) -> NDArray[Any]:
        return np.ones_like(j)

    def _weights(self, t: NDArray[Any], n_steps: int, steps: Any) -> NDArray[Any]:
        return np.asarray(t == n_steps, np.float64)


# Law: a model is not written if its file could not be read: an average of the user's own class is refused.
def test_own_scheme(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    model = rw.AveragedSGDRegressor(averaging=OwnScheme(), passes=1, random_state=0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"averaging=OwnScheme\(\) cannot be stored: expected Geometric, .* pickle"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
