"""Samples: small model files that released versions wrote, each with rows and what that version answered for them.

``samples/v0.1/NAME.safetensors`` is a model of version 0.1, and ``NAME.npz`` beside it holds, as plain arrays,

- ``rows``: the rows to predict (for a model of a table they are in the file that ``table`` names);
- ``alphas`` and ``averages``: what else the model was asked for by `at`, `path` and `predict_path`;
- ``answer``: what it answered, see `answers`;
- ``more.*``: for models that go on, a further batch of rows, and ``later``: what it answered after that batch.

Only the public interface is used here, so any version can write samples and any later one can read them.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

FOLDER = Path(__file__).parent / "samples"
MODEL, ANSWERS = ".safetensors", ".npz"
ALPHAS = (0.0, 0.003, 0.1, 2.0)


class Batch(NamedTuple):
    """Rows to learn from."""

    rows: Any
    targets: Any
    weights: Any = None


class Sample(NamedTuple):
    """A stored model file and what belongs to it."""

    file: Path
    rows: Any
    alphas: list[float]
    averages: list[str]
    answer: Any
    more: Batch | None
    later: Any


def answers(model: Any, rows: Any, alphas: Any, averages: Any) -> Any:
    """Return predictions (K, rows) or (K, rows, targets): where the model stands, then by `at`, then of the path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a tail that a sketch moves to its nearest block
        said = [model.predict(rows), *(model.at(average).predict(rows) for average in (*alphas, *averages))]
        if hasattr(model, "predict_path"):
            said.extend(np.moveaxis(model.predict_path(rows, alphas), 1, 0))
    return np.array(said)


def write_sample(
    file: Path,
    model: Any,
    rows: Any,
    more: Batch | None = None,
    averages: tuple[str, ...] = ("uniform", "last"),
) -> None:
    """Save a model as a sample with the answers of the running version; a path as rows is a table beside the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save(file.with_suffix(MODEL))
    arrays: dict[str, Any] = {"alphas": np.array(ALPHAS), "averages": np.array(averages, dtype="U")}
    arrays.update({"table": np.array(rows.name)} if isinstance(rows, Path) else packed("rows", rows))
    arrays["answer"] = answers(model, rows, ALPHAS, averages)
    if more is not None:
        arrays.update(packed("more.rows", more.rows))
        arrays["more.targets"] = np.asarray(more.targets)
        if more.weights is not None:
            arrays["more.weights"] = np.asarray(more.weights)
        model.partial_fit(*more)
        arrays["later"] = answers(model, rows, ALPHAS, averages)
    np.savez_compressed(file.with_suffix(ANSWERS), **arrays)


def read_sample(file: Path) -> Sample:
    """Return what is stored beside a model file."""
    with np.load(file.with_suffix(ANSWERS), allow_pickle=False) as stored:
        arrays = dict(stored)
    rows = file.parent / str(arrays["table"]) if "table" in arrays else unpacked("rows", arrays)
    more = None
    if "more.targets" in arrays:
        more = Batch(unpacked("more.rows", arrays), arrays["more.targets"], arrays.get("more.weights"))
    alphas, averages = arrays["alphas"].tolist(), arrays["averages"].tolist()
    return Sample(file, rows, alphas, averages, arrays["answer"], more, arrays.get("later"))


def packed(name: str, rows: Any) -> dict[str, Any]:
    """Return dense or CSR rows as named arrays."""
    if not scipy.sparse.issparse(rows):
        return {name: np.asarray(rows)}
    sparse: Any = rows
    parts = {"data": sparse.data, "indices": sparse.indices, "indptr": sparse.indptr, "shape": sparse.shape}
    return {f"{name}.{part}": np.asarray(value) for part, value in parts.items()}


def unpacked(name: str, arrays: dict[str, Any]) -> Any:
    """Return the rows of named arrays."""
    if name in arrays:
        return arrays[name]
    data, indices, indptr, shape = (arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr", "shape"))
    return scipy.sparse.csr_matrix((data, indices, indptr), tuple(shape))
