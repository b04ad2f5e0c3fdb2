"""Write the reader as one ONNX model. B messages, T tokens, S sentences."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, save

from llm.multilingual import base
from llm.multilingual.base import Base, Floats
from llm.multilingual.graph import Graph, Layer, encoder_layer

MODEL, VOCABULARY = "reader.onnx", "vocabulary.json"
_TRAINED = {"qkv": "self_attn.in_proj_", "ao": "self_attn.out_proj.", "aln": "norm1.", "oln": "norm2."}
_TRAINED |= {"fi": "linear1.", "fo": "linear2."}

Stored = Mapping[str, NDArray[Any]]


def write(source: Path, trained: Path, folder: Path) -> None:
    """Write the model and its vocabulary from the published base and our trained weights.

    Raises UnexpectedWeights and OSError.
    """
    with np.load(trained, allow_pickle=False) as file:
        stored = dict(file)
    words = base.read(source).pruned(int(stored["pieces"]))
    save(_model(words, stored), str(folder / MODEL))
    vocabulary = {"pieces": words.pieces, "scores": words.scores, "replacements": words.replacements}
    vocabulary |= {"calibration": stored["calibration"].tolist()} if "calibration" in stored else {}
    (folder / VOCABULARY).write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")


def _model(words: Base, stored: Stored) -> Any:
    graph, frozen = Graph(), int(stored["frozen"])
    mask, x = graph.mask(), graph.embed(words.tensors)
    for i in range(int(stored["layers"])):
        x = graph.layer(x, mask, encoder_layer(words, i) if i < frozen else _ours(stored, i))
    for name, inputs in (("tokens", x), ("sentences", graph.add("MatMul", "shares", x))):
        y = graph.add("MatMul", inputs, _floats(stored, f"{name}.weight").T)
        graph.add("Add", y, _floats(stored, f"{name}.bias"), output=name)
    shares = helper.make_tensor_value_info("shares", TensorProto.FLOAT, ["B", "S", "T"])
    outputs = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["B", axis, None])
        for name, axis in (("tokens", "T"), ("sentences", "S"))
    )
    return graph.build([shares], list(outputs))


def _ours(stored: Stored, i: int) -> Layer:
    return {
        f"{part}.{end[0]}": _floats(stored, f"layers.{i}.{name}{end}")
        for part, name in _TRAINED.items()
        for end in ("weight", "bias")
    }


def _floats(stored: Stored, name: str) -> Floats:
    scale = stored.get(f"{name}.scale", np.float32(1))
    return np.asarray(stored[name] * scale, dtype=np.float32)
