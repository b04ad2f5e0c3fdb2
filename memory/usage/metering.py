"""The only door of memory to a model. Every call through it is admitted by the budget before it is
made, and written down when it ends, whatever becomes of its answer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from llm import current
from llm.errors import ModelError, NoEndpoint
from llm.gateway import (
    ChatGateway,
    ChatRequest,
    Completer,
    Embedder,
    JsonSchema,
    Probe,
    TokenEmbedder,
)
from llm.types import Completion, EmbeddingModel, Embeddings, TokenEmbeddings
from llm.types import Usage as ModelUsage
from memory.search.embedding_prefetch import EmbeddingAhead
from memory.text.secrets import hide_secrets
from memory.usage.budgets import BudgetSpent, admit
from memory.usage.records import Purpose, record_usage


class _Answer(Protocol):
    @property
    def usage(self) -> ModelUsage: ...


AnswerT = TypeVar("AnswerT", bound=_Answer)


def models_home() -> Path:
    """Where the local models are."""
    return current.configuration().models_home


def writer_for(purpose: Purpose, model: str = "") -> Completer:
    """A model that writes, for this purpose; `model` is the one that will be asked.

    Raises NoEndpoint when there is none and BudgetSpent when the budget is; its calls raise
    BudgetSpent too.
    """
    chat = current.chat()
    admit(purpose, model)
    return MeteredWriter(chat, purpose)


def can_write(purpose: Purpose, model: str = "") -> bool:
    """Whether there is a model that writes, and money for it."""
    try:
        writer_for(purpose, model)
    except (NoEndpoint, BudgetSpent):
        return False
    return True


def embedder_for(name: str, purpose: Purpose, ahead: EmbeddingAhead | None = None) -> Embedder:
    """The embedder of a person's choice, for this purpose; an empty name means the site's default.
    What `embed_ahead` has begun is taken, and written down then.

    Raises ModelError when it cannot be had; its calls raise BudgetSpent when it costs something
    and the budget is spent.
    """
    embedder = current.embedder(name)
    return MeteredEmbedder(ahead.serving(embedder) if ahead else embedder, purpose)


def earlier_embedder_for(
    model: tuple[str, str], purpose: Purpose, ahead: EmbeddingAhead | None = None
) -> Embedder:
    """The embedder of this name and version, which made vectors earlier, whether people may still
    choose it or not. Raises ModelError as `embedder_for` does."""
    embedder = current.earlier_embedder(*model)
    return MeteredEmbedder(ahead.serving(embedder) if ahead else embedder, purpose)


def embed_tokens(name: str, texts: Sequence[str], purpose: Purpose) -> TokenEmbeddings | None:
    """The tokens of these texts by the model of a person's choice; None when that model gives none.

    Raises ModelError when it cannot be had.
    """
    embedder = current.embedder(name)
    if not isinstance(embedder, TokenEmbedder):
        return None
    admit(purpose, embedder.model.name)
    return _recorded(purpose, lambda: embedder.embed_tokens(texts))


def embed_ahead(name: str, texts: Callable[[EmbeddingModel], Sequence[str]], ahead: EmbeddingAhead) -> None:
    """Begin with vectors that will be asked for next, if the model costs nothing; `texts` says
    what a model will be asked."""
    try:
        embedder = current.embedder(name)
    except ModelError:
        return  # whoever asks for the vectors is told
    ahead.expect(embedder, texts(embedder.model))


def embed_question_ahead(name: str, text: str, ahead: EmbeddingAhead) -> None:
    """Begin with the vector of a question that will be asked for next, if the model costs
    nothing."""
    try:
        ahead.expect_question(current.embedder(name), text)
    except ModelError:
        return  # whoever asks for the vector is told


def embedding_model(name: str) -> EmbeddingModel:
    """What is known about the embedding model of a person's choice, without asking it anything.

    Raises ModelError when it cannot be had.
    """
    return current.embedder(name).model


def is_available(name: str) -> bool:
    """Whether the embedding model of this name is offered and up."""
    try:
        return current.embedder(name).probe().state == "up"
    except ModelError:
        return False


def has_writer() -> bool:
    """Whether there is a model that writes; it may be away, or the budget spent, all the same."""
    return current.has_chat()


def extraction_model(chosen: str) -> str:
    """The model that mines: the person's choice, or the site's when they made none."""
    return chosen or current.configuration().extraction_model


class MeteredWriter:
    """A `Completer` whose calls are admitted and written down, and whose prompts hold no secrets."""

    def __init__(self, chat: ChatGateway, purpose: Purpose) -> None:
        self._chat = chat
        self._purpose = purpose

    def complete(self, request: ChatRequest) -> Completion:
        """The whole reply to a prompt."""
        admit(self._purpose, request.model)
        return _recorded(self._purpose, lambda: self._chat.complete(_without_secrets(request)))

    def complete_json(self, request: ChatRequest, schema: JsonSchema, schema_name: str) -> Completion:
        """A reply meant to be JSON of this schema."""
        admit(self._purpose, request.model)
        asked = _without_secrets(request)
        return _recorded(self._purpose, lambda: self._chat.complete_json(asked, schema, schema_name))


class MeteredEmbedder:
    """An `Embedder` whose calls are admitted and written down."""

    def __init__(self, embedder: Embedder, purpose: Purpose) -> None:
        self._embedder = embedder
        self._purpose = purpose

    @property
    def model(self) -> EmbeddingModel:
        """The model whose vectors these are."""
        return self._embedder.model

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One vector a text, in order; without texts nothing is asked."""
        if not texts:
            return self._embedder.embed_documents(texts)
        admit(self._purpose, self.model.name)
        return _recorded(self._purpose, lambda: self._embedder.embed_documents(texts))

    def embed_query(self, text: str) -> Embeddings:
        """One row for a question."""
        admit(self._purpose, self.model.name)
        return _recorded(self._purpose, lambda: self._embedder.embed_query(text))

    def probe(self) -> Probe:
        """Whether vectors can be had now."""
        return self._embedder.probe()


def _without_secrets(request: ChatRequest) -> ChatRequest:
    messages = (replace(each, content=hide_secrets(each.content)) for each in request.messages)
    return replace(request, messages=tuple(messages))


def _recorded(purpose: Purpose, call: Callable[[], AnswerT]) -> AnswerT:
    try:
        answer = call()
    except ModelError as failure:
        if failure.spent is not None:
            record_usage(purpose, failure.spent)
        raise
    record_usage(purpose, answer.usage)
    return answer
