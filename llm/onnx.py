"""onnxruntime, imported so that it writes no device id and no telemetry file."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]

__all__ = ["InferenceSession", "SessionOptions"]
