"""The interfaces to models: what a chat model and an embedder can be asked."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from llm.types import ChatMessage, Completion, EmbeddingModel, Embeddings, StreamPart, ToolSpec

JsonSchema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt and its limits.

    An empty `model` means the configured chat model. `timeout_s` covers a whole completion, or the wait
    for the first part of a stream; None means the configured timeout (for completions, the background
    timeout). A model that does not support `tools` raises ModelRefused, and answers when asked again
    without them.
    """

    messages: tuple[ChatMessage, ...]
    model: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    timeout_s: float | None = None
    tools: tuple[ToolSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether something can be used now, and the same as a sentence."""

    state: Literal["up", "degraded", "down"]
    words: str


class Completer(Protocol):
    """A model that writes whole replies. Its methods raise a `ModelError`."""

    def complete(self, request: ChatRequest) -> Completion:
        """The whole reply to a prompt. Never retries; the calling job does."""
        ...

    def complete_json(self, request: ChatRequest, schema: JsonSchema, schema_name: str) -> Completion:
        """A reply whose text is meant to be one JSON object of this schema.

        Endpoints enforce the schema as far as they can; the caller still has to validate it.
        """
        ...


class ChatGateway(Completer, Protocol):
    """A chat model. All methods but `reachable` raise a `ModelError`."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[StreamPart, None]:
        """The reply in parts, the usage last. Closing the iterator ends the call."""
        ...

    def models(self) -> Mapping[str, int | None]:
        """The endpoint's models by name, with the tokens that each reads at once; None if unknown."""
        ...

    def reachable(self) -> Probe:
        """Whether the endpoint answers now, within a few seconds; never raises."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. All methods but `probe` raise a `ModelError`."""

    @property
    def model(self) -> EmbeddingModel: ...

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One vector per text, in order; no rows for an empty list."""
        ...

    def embed_query(self, text: str) -> Embeddings:
        """One row for a question, to compare with document vectors."""
        ...

    def probe(self) -> Probe:
        """Whether texts can be embedded now; never raises."""
        ...
