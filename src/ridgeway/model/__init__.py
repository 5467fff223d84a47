"""The model file: safetensors with JSON metadata, checked in full when it is opened; and export to ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ridgeway.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from ridgeway.model.file import ModelFileError, read_state, write_state
    from ridgeway.model.onnx import export_onnx
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "file": (
                "ModelFileError",
                "read_state",
                "write_state",
            ),
            "onnx": ("export_onnx",),
        },
    )

__all__ = ["ModelFileError", "export_onnx", "read_state", "write_state"]
