"""The model file: safetensors with JSON metadata, checked in full when it is opened; and export to ONNX."""

from ridgeway.model.file import ModelFileError, read_state, write_state
from ridgeway.model.onnx import export_onnx

__all__ = ["ModelFileError", "export_onnx", "read_state", "write_state"]
