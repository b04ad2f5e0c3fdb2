"""The encoder and its heads in PyTorch. B messages, T tokens, S sentences, H hidden units, P predicates."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from llm.multilingual.base import HEADS, HIDDEN, INNER, POSITIONS, Base
from memory.mining.reader.predicates import KINDS, NAMES

TAGS = 3
_PARTS = {"self_attn.out_proj": "ao", "norm1": "aln", "norm2": "oln", "linear1": "fi", "linear2": "fo"}


class Reader(nn.Module):
    """Of `layers` layers, the first `frozen` never change, so training computes them once per message."""

    def __init__(self, vocabulary: int, layers: int, frozen: int) -> None:
        super().__init__()
        self.frozen = frozen
        self.words, self.positions = nn.Embedding(vocabulary, HIDDEN), nn.Embedding(POSITIONS, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(_layer() for _ in range(layers))
        self.tokens = nn.Linear(HIDDEN, TAGS + len(NAMES) + 1)
        self.sentences = nn.Linear(HIDDEN, len(KINDS) + 1)
        self.dropout = nn.Dropout(0.15)

    def lower(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids and mask (B, T) to (B, T, H), by the frozen layers."""
        places = torch.arange(ids.shape[1])
        x = self.norm(self.words(ids) + self.positions(places) + self.types.weight[0])
        return self._run(x, mask, 0, self.frozen)

    def forward(self, lower: Tensor, mask: Tensor, shares: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, H) and the share of each token in each sentence (B, S, T) to logits of tokens
        (B, T, 3 + P + 1) and of sentences (B, S, kinds + 1)."""
        x = self._run(lower, mask, self.frozen, len(self.layers))
        return self.tokens(self.dropout(x)), self.sentences(self.dropout(shares @ x))

    def trained(self) -> dict[str, Tensor]:
        """The parameters that training changes, by name."""
        return {name: p.data for name, p in self.named_parameters() if p.requires_grad}

    def _run(self, x: Tensor, mask: Tensor, first: int, last: int) -> Tensor:
        for layer in self.layers[first:last]:
            x = layer(x, src_key_padding_mask=mask == 0)
        return x


def _layer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(HIDDEN, HEADS, INNER, 0.1, "gelu", 1e-12, batch_first=True)
    layer.dropout.p = 0.0
    return layer


def build(base: Base, layers: int, frozen: int) -> Reader:
    """The published layers under fresh heads."""
    tensors = base.tensors
    state = {"words.weight": tensors["emb.word"], "positions.weight": tensors["emb.pos"]}
    state["types.weight"] = tensors["emb.type"]
    for end in ("weight", "bias"):
        state[f"norm.{end}"] = tensors[f"emb.ln.{end[0]}"]
        for i in range(layers):
            joined = np.concatenate([tensors[f"l{i}.{name}.{end[0]}"] for name in "qkv"])
            state[f"layers.{i}.self_attn.in_proj_{end}"] = joined
            for ours, theirs in _PARTS.items():
                state[f"layers.{i}.{ours}.{end}"] = tensors[f"l{i}.{theirs}.{end[0]}"]
    reader = Reader(len(base.pieces), layers, frozen)
    reader.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()}, strict=False)
    for name, parameter in reader.named_parameters():
        parameter.requires_grad_(name not in state)
    for layer in reader.layers[frozen:]:
        layer.requires_grad_(True)
    return reader


def save(reader: Reader, path: Path, extra: dict[str, NDArray[Any]]) -> None:
    """Write the trained part: matrices as int8 with a scale for each row, the rest as float16."""
    stored: dict[str, Any] = dict(extra) | {
        "layers": np.array(len(reader.layers)),
        "frozen": np.array(reader.frozen),
    }
    for name, values in reader.trained().items():
        array = values.numpy()
        if array.ndim > 1:
            scale = np.abs(array).max(axis=1, keepdims=True) / 127 + 1e-12
            stored[name + ".scale"] = scale.astype(np.float32)
            array = np.round(array / scale).astype(np.int8)
        stored[name] = array if array.dtype == np.int8 else array.astype(np.float32)
    np.savez_compressed(path, **stored)


def restore(reader: Reader, *paths: Path) -> None:
    """Load the trained part of a reader from files that `save` wrote, as their mean. Layers that are not in
    them keep the published weights."""
    for number, path in enumerate(paths, 1):
        with np.load(path, allow_pickle=False) as stored:
            for name, values in reader.trained().items():
                if name not in stored:
                    continue
                scale = stored[f"{name}.scale"] if values.ndim > 1 else np.float32(1)
                values.lerp_(torch.from_numpy((stored[name] * scale).astype(np.float32)), 1 / number)
