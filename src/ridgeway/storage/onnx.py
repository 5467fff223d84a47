"""Export of a fitted linear model to ONNX: one Gemm."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ridgeway.storage.atomic_file import write_atomically

IR_VERSION = 10  # onnxruntime refuses newer ones
OPSET = 13


class Linear(Protocol):
    """A fitted linear model."""

    @property
    def coef_(self) -> NDArray[Any]:
        """(d,), or (targets, d)."""

    @property
    def intercept_(self) -> Any:
        """A number, or (targets,)."""


def export_onnx(
    model: Linear,
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
    exponential: bool = False,
    dtype: Any = None,
) -> None:
    """Write the chosen model, ``X @ coef_ + intercept_``, as an ONNX file: input "X", output "prediction".

    Both have the precision of the coefficients, (rows, features) and (rows, targets). Features are the columns of the
    fit, in their order.

    Parameters
    ----------
    model : a fitted model.
    path : the file.
    feature_names : kept in the file's metadata, as a JSON list.
    exponential : True if the model predicts a logarithm; the output is then its exponential.
    dtype : precision of input and output; None is that of the coefficients.
    """
    if hasattr(model, "kernel"):
        raise ValueError(
            "a kernel model cannot be exported: expected a linear model, which is one matrix product over the features."
        )
    try:
        onnx = import_module("onnx")
    except ImportError:
        raise ImportError("export to ONNX needs the onnx package: pip install 'ridgeway[onnx]'.") from None
    weights = np.ascontiguousarray(np.atleast_2d(model.coef_), dtype)  # (targets, d)
    offsets = np.atleast_1d(model.intercept_).astype(weights.dtype)
    helper = onnx.helper
    real = helper.np_dtype_to_tensor_dtype(weights.dtype)
    linear = "logarithm" if exponential else "prediction"
    nodes = [helper.make_node("Gemm", ["X", "coef", "intercept"], [linear], transB=1)]
    if exponential:
        nodes.append(helper.make_node("Exp", [linear], ["prediction"]))
    graph = helper.make_graph(
        nodes,
        "ridgeway",
        [helper.make_tensor_value_info("X", real, ["rows", weights.shape[1]])],
        [helper.make_tensor_value_info("prediction", real, ["rows", weights.shape[0]])],
        [onnx.numpy_helper.from_array(weights, "coef"), onnx.numpy_helper.from_array(offsets, "intercept")],
    )
    exported = helper.make_model(
        graph, producer_name="ridgeway", ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)]
    )
    if feature_names is not None:
        helper.set_model_props(exported, {"feature_names": json.dumps(list(feature_names))})
    onnx.checker.check_model(exported)
    write_atomically(path, exported.SerializeToString(deterministic=True))
