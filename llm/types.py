"""The values that go to a model and come back."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Role = Literal["system", "user", "assistant", "tool"]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call; `parameters` is a JSON schema of one object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call by a model; `arguments` is what it wrote, meant to be a JSON object."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt: a `tool` message has a `tool_call_id`, an assistant may have `tool_calls`."""

    role: Role
    content: str
    tool_call_id: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call took. `cost_usd` is None if the model's price is unknown.

    `estimated` means that the endpoint reported no counts and the tokens are our estimate.
    """

    model: str
    input_tokens: int
    output_tokens: int
    latency_ms: int
    cost_usd: Decimal | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole reply. `finish_reason` is `stop`, `length` (cut off) or the endpoint's own word."""

    text: str
    usage: Usage
    finish_reason: str = "stop"
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamPart:
    """A part of a reply. The last part has the `usage` and tool calls instead of `text`."""

    text: str = ""
    usage: Usage | None = None
    finish_reason: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """An embedding model and how to read its cosines. Vectors with different `key`s never compare.

    `search_dimensions` is the length of the prefix stored for search; a text longer than `max_chars` is
    better split over several vectors. The meaning of a cosine differs by model, so straight lines map it
    to 0..1: `floor` (unrelated) to `ceiling` for two texts, `question_floor` to `question_ceiling` for a
    question and a text that may answer it; for two facts, `related_at` maps to 0.7 and `same_at` to 0.9.
    A `local` model runs in this process for free. `languages` is empty for a multilingual model, and
    `sentences` means that vectors of single sentences proved worth their time and space. Cosines of a
    Chinese or Japanese question and texts in its language lie higher by `dense`.
    """

    name: str
    version: str
    dimensions: int
    search_dimensions: int
    window_tokens: int
    max_chars: int
    floor: float
    ceiling: float
    question_floor: float
    question_ceiling: float
    related_at: float
    same_at: float
    local: bool = False
    languages: tuple[str, ...] = ()
    sentences: bool = False
    dense: float = 0.0

    @property
    def key(self) -> str:
        """Name, version and dimensions in one string, stored with each vector."""
        return f"{self.name}@{self.version}/{self.dimensions}"

    def calibrated(self, cosine: float) -> float:
        """The similarity of two texts, 0 to 1."""
        return _scale(cosine, self.floor, self.ceiling)

    def calibrated_question(self, cosine: float) -> float:
        """How well a text answers a question, 0 to 1; from 0.6 on it looks like an answer."""
        return _scale(cosine, self.question_floor, self.question_ceiling)

    def calibrated_statement(self, cosine: float) -> float:
        """The similarity of two statements: above 0.9 they say the same, above 0.7 they are related."""
        width = (self.same_at - self.related_at) / 0.2
        floor = self.related_at - 0.7 * width
        return _scale(cosine, floor, floor + width)


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Unit vectors, one row per text: float32 of shape (texts, dimensions)."""

    vectors: Vectors
    usage: Usage


def _scale(cosine: float, floor: float, ceiling: float) -> float:
    return min(1.0, max(0.0, (cosine - floor) / (ceiling - floor)))
