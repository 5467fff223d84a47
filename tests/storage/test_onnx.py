"""Export to ONNX, run by onnxruntime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from tests.oracles import problem

import ridgeway as rw
from ridgeway.storage import export_onnx


# Law: onnxruntime predicts what the model predicts, for every precision and number of targets.
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_onnxruntime_agrees(dtype: Any, targets: int | None, tmp_path: Path) -> None:
    X, y = problem(300, 5, targets=targets, dtype=dtype)
    X = X * [1, 10, 100, 0.1, 1] + dtype(3)
    model = rw.AveragedSGDRegressor(passes=3, averaging="geometric", alpha=0.01, random_state=0).fit(X.astype(dtype), y)
    export_onnx(model, tmp_path / "model.onnx", feature_names=list("abcde"))
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    (predicted,) = session.run(None, {"X": X.astype(dtype)})
    expected = model.predict(X.astype(dtype)).reshape(len(X), -1)
    assert predicted.dtype == dtype
    assert np.abs(predicted - expected).max() <= 1e-5 * np.abs(expected).max()


# Law: one Gemm, an ir_version that onnxruntime reads, and the same bytes each time.
def test_what_the_file_is(tmp_path: Path) -> None:
    model = rw.ExactRidgePath(alpha=0.1).fit(*problem(50, 3))
    one, other = tmp_path / "one.onnx", tmp_path / "other.onnx"
    export_onnx(model, one)
    export_onnx(model, other)
    assert one.read_bytes() == other.read_bytes()
    read = onnx.load(one)
    assert read.ir_version == 10
    assert [node.op_type for node in read.graph.node] == ["Gemm"]


# Law: a model of logarithms predicts in the units of the target, and the names of the features are in the file.
def test_exponential_and_names(tmp_path: Path) -> None:
    X, y = problem(200, 3)
    model = rw.ExactRidgePath(alpha=0.1).fit(X, y)
    export_onnx(model, tmp_path / "model.onnx", feature_names=["a", "b", 'c "d"'], exponential=True)
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    (predicted,) = session.run(None, {"X": X})
    np.testing.assert_allclose(predicted[:, 0], np.exp(model.predict(X)), rtol=1e-5)
    assert json.loads(session.get_modelmeta().custom_metadata_map["feature_names"]) == ["a", "b", 'c "d"']


# Law: a kernel model is no matrix product, and is refused.
def test_kernel_models_are_refused(tmp_path: Path) -> None:
    model = rw.AveragedKernelRegressor(alpha=0.1, passes=1, random_state=0).fit(*problem(30, 3))
    with pytest.raises(ValueError, match="expected a linear model"):
        export_onnx(model, tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []
