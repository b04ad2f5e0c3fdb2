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
    """A tool that a model is offered; `parameters` is a JSON schema of one object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model calls; `arguments` is what it wrote, meant to be a JSON object."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt; `tool_call_id` is set when the role is `tool`, `tool_calls` when an
    assistant called tools."""

    role: Role
    content: str
    name: str = ""
    tool_call_id: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model call took. `cost_usd` is None when the price of the model is unknown.

    `estimated` says that the endpoint reported no counts and the tokens are our own estimate.
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
    """A piece of a reply. Every part but the last has `text`; the last has `usage` instead, and the
    tools that the model calls."""

    text: str = ""
    usage: Usage | None = None
    finish_reason: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What is known about an embedding model; vectors of different `key`s never compare.

    `search_dimensions` is the length of the prefix that is stored for searching, `max_chars` the
    longest text that is worth one vector. Cosines mean different things for each model, so two
    straight lines map them to 0..1: from `floor` (unrelated) to `ceiling` between two texts, from
    `question_floor` to `question_ceiling` between a question and a text that may answer it.
    Between two statements of facts a third line has `related_at` at 0.7 and `same_at` at 0.9.
    A `local` model works in this process and costs nothing. `languages` are the codes of those it
    reads; empty for a model of many languages. `sentences` says that vectors of single
    sentences were measured to be worth their time and space with this model.
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

    @property
    def key(self) -> str:
        """Name, version and dimensions in one string, to store beside each vector."""
        return f"{self.name}@{self.version}/{self.dimensions}"

    def calibrated(self, raw: float) -> float:
        """The likeness of two texts on a scale of 0 to 1, from the cosine of their vectors."""
        return _on_line(raw, self.floor, self.ceiling)

    def calibrated_question(self, raw: float) -> float:
        """How well a text answers a question, 0 to 1, from the cosine of their vectors.

        0.6 is where a text begins to look like an answer.
        """
        return _on_line(raw, self.question_floor, self.question_ceiling)

    def calibrated_statement(self, raw: float) -> float:
        """How much two statements mean the same, 0 to 1, from the cosine of their vectors.

        Above 0.9 they say one thing in different words, above 0.7 they are about one thing.
        """
        width = (self.same_at - self.related_at) / 0.2
        floor = self.related_at - 0.7 * width
        return _on_line(raw, floor, floor + width)


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Unit vectors, one row a text: float32 of shape (texts, dimensions)."""

    vectors: Vectors
    usage: Usage


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a text: unit vectors, float32 of shape (tokens, dimensions), and for each token
    the half-open character range of the word it belongs to."""

    vectors: Vectors
    words: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class TokenEmbeddings:
    """The tokens of several texts, in order."""

    texts: tuple[Tokens, ...]
    usage: Usage


def _on_line(raw: float, floor: float, ceiling: float) -> float:
    return min(1.0, max(0.0, (raw - floor) / (ceiling - floor)))
