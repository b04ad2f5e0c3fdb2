"""Build ONNX models of the encoder with 8-bit weights. B texts, T tokens, N rows, C columns, H hidden.

Activations are rounded to 8 bits with a scale for each token: one scale for a whole tensor, as in dynamic
quantisation, loses five points of the reader's recall.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from llm.multilingual.base import HEADS, HIDDEN, PADDING, Base, Floats

_OPSETS = (helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1))
_MIDDLE = np.array(128, np.uint8)

Layer = Mapping[str, Floats]


def encoder_layer(words: Base, i: int) -> Layer:
    """Layer `i` of the base as `Graph.layer` takes it, with one matrix for queries, keys and values."""
    start = f"l{i}."
    layer = {name.removeprefix(start): x for name, x in words.tensors.items() if name.startswith(start)}
    return layer | {f"qkv.{end}": np.concatenate([layer[f"{part}.{end}"] for part in "qkv"]) for end in "wb"}


class Graph:
    """The nodes and constants of a model."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, operator: str, *inputs: str | NDArray[Any], output: str = "", **attributes: Any) -> str:
        """Add a node; arrays become constants. Returns the name of its output, or names with spaces."""
        names = [each if isinstance(each, str) else self._constant(each) for each in inputs]
        output = output or f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, names, output.split(), **attributes))
        return output

    def mask(self) -> str:
        """Which ids are no padding: (B, T)."""
        return self.cast(self.add("Not", self.add("Equal", "ids", np.array(PADDING))), TensorProto.INT32)

    def cast(self, x: str, kind: int) -> str:
        return self.add("Cast", x, to=kind)

    def linear(self, x: str, weight: Floats, bias: Floats) -> str:
        """(B, T, C) to (B, T, N)."""
        scale = np.abs(weight).max(axis=1) / np.float32(127) + np.float32(1e-12)
        rounded = np.round(weight / scale[:, None]).astype(np.int8)
        largest = self.add("ReduceMax", self.add("Abs", x), np.array([-1]), keepdims=1)
        step = self.add(
            "Mul", self.add("Max", largest, np.array([1e-9], np.float32)), np.array([1 / 127], np.float32)
        )
        whole = self.add("Add", self.add("Round", self.add("Div", x, step)), np.array(128, np.float32))
        # Unsigned activations: signed ones are eight times as slow.
        y = self.add("MatMulInteger", self.cast(whole, TensorProto.UINT8), rounded.T, _MIDDLE)
        y = self.add("Mul", self.add("Mul", self.cast(y, TensorProto.FLOAT), step), scale)
        return self.add("Add", y, bias)

    def norm(self, x: str, layer: Layer, part: str) -> str:
        """Layer normalisation."""
        return self.add("LayerNormalization", x, layer[f"{part}.w"], layer[f"{part}.b"], epsilon=1e-12)

    def embed(self, tensors: Layer) -> str:
        """ids (B, T) to (B, T, H). Word vectors keep the 4 bits they were published with."""
        words, scales = _four_bits(tensors["emb.word"])
        x = self.add(
            "GatherBlockQuantized",
            words,
            "ids",
            scales,
            bits=4,
            block_size=32,
            quantize_axis=1,
            domain="com.microsoft",
        )
        zero, length = np.array([0]), self.add("Shape", "ids", start=1, end=2)
        places = tensors["emb.pos"] + tensors["emb.type"][0]
        return self.norm(self.add("Add", x, self.add("Slice", places, zero, length, zero)), tensors, "emb.ln")

    def layer(self, x: str, mask: str, layer: Layer) -> str:
        """A layer of BERT, normalised after each half."""
        joined, at = self.linear(x, layer["qkv.w"], layer["qkv.b"]), len(self._nodes)
        parts = self.add("Split", joined, output=f"q{at} k{at} v{at}", axis=-1, num_outputs=3).split()
        y = self.add("MultiHeadAttention", *parts, "", mask, num_heads=HEADS, domain="com.microsoft")
        x = self.norm(self.add("Add", x, self.linear(y, layer["ao.w"], layer["ao.b"])), layer, "aln")
        y = self.add("Gelu", self.linear(x, layer["fi.w"], layer["fi.b"]))
        return self.norm(self.add("Add", x, self.linear(y, layer["fo.w"], layer["fo.b"])), layer, "oln")

    def build(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The model of ids (B, T) and `inputs` to `outputs`."""
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["B", "T"])
        graph = helper.make_graph(self._nodes, "encoder", [ids, *inputs], outputs, self._constants)
        return helper.make_model(graph, opset_imports=_OPSETS, ir_version=10)

    def _constant(self, array: NDArray[Any]) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name


def _four_bits(weight: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """Two numbers a byte (N, C / 2), 8 meaning zero, and a scale for each 32 of a row (N, C / 32)."""
    blocks = weight.reshape(len(weight), -1, 32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2)[..., None], axis=2)
    scale = largest / -8
    rounded = np.round(blocks / np.where(scale == 0, 1, scale) + 8).clip(0, 15).astype(np.uint8)
    packed = np.bitwise_or(rounded[..., ::2], np.left_shift(rounded[..., 1::2], 4), dtype=np.uint8)
    return packed.reshape(len(weight), HIDDEN // 2), np.asarray(scale[..., 0], dtype=np.float32)
