"""Fake models: no network, deterministic answers, and a record of every request."""

import hashlib
import re
import unicodedata
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from llm.errors import ModelError
from llm.gateway import ChatRequest, JsonSchema, Probe
from llm.tokens import estimate_tokens
from llm.types import Completion, EmbeddingModel, Embeddings, StreamPart, ToolCall, Usage, Vectors

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff]")
_STREAMED = re.compile(r"\s*\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class BrokenReply:
    """A scripted reply that streams `text` and then fails; a whole completion just fails."""

    text: str
    error: ModelError


@dataclass(frozen=True, slots=True)
class CallingReply:
    """A scripted reply that calls tools, after `text` if any."""

    calls: tuple[ToolCall, ...]
    text: str = ""


ScriptedReply = str | BrokenReply | CallingReply | ModelError
Answer = Callable[[ChatRequest], ScriptedReply]


class FakeChat:
    """A `ChatGateway` that gives the scripted replies in order, then asks `answer`.

    `requests` and `schema_names` record what was asked. Running out of replies raises LookupError, so
    that a test notices an unexpected call.
    """

    def __init__(
        self, replies: Iterable[ScriptedReply] = (), *, answer: Answer | None = None, model: str = "fake-chat"
    ) -> None:
        self.requests: list[ChatRequest] = []
        self.schema_names: list[str] = []
        self._replies = deque(replies)
        self._answer = answer
        self._model = model
        self._failure: ModelError | None = None

    def script(self, *replies: ScriptedReply) -> None:
        self._replies.extend(replies)

    def fail_with(self, error: ModelError | None) -> None:
        """Make every call raise this error; None ends that."""
        self._failure = error

    def complete(self, request: ChatRequest) -> Completion:
        reply = self._next(request)
        if isinstance(reply, BrokenReply):
            raise reply.error
        if isinstance(reply, CallingReply):
            usage = self._usage(request, reply.text)
            return Completion(reply.text, usage, "tool_calls", reply.calls)
        return Completion(text=reply, usage=self._usage(request, reply))

    def complete_json(self, request: ChatRequest, schema: JsonSchema, schema_name: str) -> Completion:
        """The next reply as scripted, whether it fits the schema or not."""
        self.schema_names.append(schema_name)
        return self.complete(request)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamPart, None]:
        reply = self._next(request)
        text = reply if isinstance(reply, str) else reply.text
        for word in _STREAMED.findall(text):
            yield StreamPart(text=word)
        if isinstance(reply, BrokenReply):
            raise reply.error
        usage = self._usage(request, text)
        if isinstance(reply, CallingReply):
            yield StreamPart(usage=usage, finish_reason="tool_calls", tool_calls=reply.calls)
            return
        yield StreamPart(usage=usage, finish_reason="stop")

    def models(self) -> dict[str, int | None]:
        """Two models, unless set to fail."""
        if self._failure is not None:
            raise self._failure
        return {self._model: 8_000, f"{self._model}-large": None}

    def reachable(self) -> Probe:
        return _probe(self._failure, "The fake model answers.")

    def _next(self, request: ChatRequest) -> str | BrokenReply | CallingReply:
        self.requests.append(request)
        if self._failure is not None:
            raise self._failure
        reply = self._scripted(request)
        if isinstance(reply, ModelError):
            raise reply
        return reply

    def _scripted(self, request: ChatRequest) -> ScriptedReply:
        if self._replies:
            return self._replies.popleft()
        if self._answer is None:
            raise LookupError("FakeChat was asked once more than it has replies.")
        return self._answer(request)

    def _usage(self, request: ChatRequest, text: str) -> Usage:
        return Usage(
            model=request.model or self._model,
            input_tokens=sum(estimate_tokens(message.content) for message in request.messages),
            output_tokens=estimate_tokens(text),
            latency_ms=0,
        )


class FakeEmbedder:
    """An `Embedder` of word counts: texts that share words are similar, in any script.

    `embedded` records every text. Another `name` makes it another model.
    """

    def __init__(
        self,
        *,
        name: str = "fake-bag-of-words",
        dimensions: int = 384,
        sentences: bool = False,
        languages: tuple[str, ...] = (),
    ) -> None:
        self.embedded: list[str] = []
        self._failure: ModelError | None = None
        self._model = EmbeddingModel(
            name=name,
            version="1",
            dimensions=dimensions,
            search_dimensions=min(dimensions, 512),
            window_tokens=512,
            max_chars=500,
            floor=0.1,
            ceiling=1.0,
            question_floor=0.0,
            question_ceiling=0.5,
            related_at=0.8,
            same_at=0.95,
            local=True,
            languages=languages,
            sentences=sentences,
        )

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    def fail_with(self, error: ModelError | None) -> None:
        """Make every call raise this error; None ends that."""
        self._failure = error

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One vector of word counts per text."""
        if self._failure is not None:
            raise self._failure
        self.embedded.extend(texts)
        rows = [bag_of_words(text, self._model.dimensions) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(rows), self._model.dimensions)
        tokens = sum(estimate_tokens(text) for text in texts)
        return Embeddings(vectors, Usage(self._model.name, tokens, 0, latency_ms=0))

    def embed_query(self, text: str) -> Embeddings:
        """The same vector that the text has as a document."""
        return self.embed_documents([text])

    def probe(self) -> Probe:
        return _probe(self._failure, "The fake embedder answers.")


def bag_of_words(text: str, dimensions: int) -> Vectors:
    """A unit vector of hashed words, word stems and, in scripts without spaces, characters."""
    vector = np.zeros(dimensions, dtype=np.float32)
    for feature, weight in _features(unicodedata.normalize("NFKC", text).casefold()):
        digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
        place = int.from_bytes(digest[:7], "big") % dimensions
        vector[place] += weight if digest[7] % 2 else -weight
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        vector[0] = length = 1.0
    return vector / np.float32(length)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text):
        if _UNSPACED.search(word):
            yield from ((character, 0.5) for character in word)
            yield from ((word[at : at + 2], 1.0) for at in range(len(word) - 1))
        else:
            yield word, 1.0
            yield word[:4] + "*", 0.5
    yield from ((symbol, 1.0) for symbol in text if unicodedata.category(symbol) == "So")


def _probe(failure: ModelError | None, words: str) -> Probe:
    return Probe("up", words) if failure is None else Probe("down", str(failure))
