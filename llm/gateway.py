"""The doors to a model: what a chat model and an embedder can be asked for."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from llm.types import (
    ChatMessage,
    Completion,
    EmbeddingModel,
    Embeddings,
    StreamPart,
    TokenEmbeddings,
    ToolSpec,
)

JsonSchema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt and its limits.

    An empty `model` means the configured chat model. `timeout_s` bounds a whole completion, and
    in a stream the wait for the first part; None means the configured time. A model that takes no
    `tools` raises ModelRefused; asked again without them it answers.
    """

    messages: tuple[ChatMessage, ...]
    model: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    timeout_s: float | None = None
    tools: tuple[ToolSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether something can be used now, and the same in words."""

    state: Literal["up", "degraded", "down"]
    words: str


class Completer(Protocol):
    """A model that writes whole replies. Its methods raise a `ModelError` when it cannot."""

    def complete(self, request: ChatRequest) -> Completion:
        """The whole reply to a prompt. Does not retry: the caller's job does."""
        ...

    def complete_json(
        self, request: ChatRequest, schema: JsonSchema, schema_name: str
    ) -> Completion:
        """A reply whose text is meant to be one JSON object of this schema.

        Endpoints enforce the schema as far as they can; the caller still has to validate.
        """
        ...


class ChatGateway(Completer, Protocol):
    """A chat model. Every method but `reachable` raises a `ModelError` when it cannot."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[StreamPart, None]:
        """The reply in pieces, the usage last. Closing the iterator ends the call."""
        ...

    def reachable(self) -> Probe:
        """Whether the endpoint answers now, within a few seconds; never raises."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. Methods but `probe` raise a `ModelError` when they cannot."""

    @property
    def model(self) -> EmbeddingModel:
        """The model whose vectors these are."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One vector a text, in order; an empty list gives no rows."""
        ...

    def embed_query(self, text: str) -> Embeddings:
        """One row for a question, to be compared with document vectors."""
        ...

    def probe(self) -> Probe:
        """Whether vectors can be had now; never raises."""
        ...


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder whose vectors of single tokens can be had as well."""

    def embed_tokens(self, texts: Sequence[str]) -> TokenEmbeddings:
        """The tokens of each text with a unit vector each, in order, the marks at the beginning
        and the end left out. A text beyond the window is cut off. Raises a `ModelError`."""
        ...
