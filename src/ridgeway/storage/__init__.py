"""One way to store things: states and their one reader, model files, atomic files, locks; export to ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ridgeway.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from ridgeway.storage.model_file import ModelFileError, read_state, write_state
    from ridgeway.storage.onnx import export_onnx
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "model_file": (
                "ModelFileError",
                "read_state",
                "write_state",
            ),
            "onnx": ("export_onnx",),
        },
    )

__all__ = ["ModelFileError", "export_onnx", "read_state", "write_state"]
