"""Memory's only access to models.

The budget is checked before each call, and the call is recorded when it ends, whatever its result.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TypeVar

from llm import current
from llm.errors import ModelError, NoEndpoint
from llm.gateway import ChatGateway, ChatRequest, Completer, Embedder, JsonSchema, Probe
from llm.types import Completion, EmbeddingModel, Embeddings
from memory.search.embedding_prefetch import EmbeddingPrefetch, embed
from memory.text.secrets import hide_secrets
from memory.usage.budgets import BudgetSpent, require_budget
from memory.usage.records import Purpose, record_usage

AnswerT = TypeVar("AnswerT", Completion, Embeddings)


def models_home() -> Path:
    """The directory of the local models."""
    return current.configuration().models_home


def endpoint_read_once() -> AbstractContextManager[None]:
    """Read the user's own endpoint at most once inside this block."""
    return current.own_configuration_read_once()


def writer_for(purpose: Purpose, model: str = "") -> Completer:
    """A metered language model; `model` is the name of the one to call.

    Raises NoEndpoint if there is none and BudgetSpent if the budget is spent, as do its calls.
    """
    chat = current.chat()
    require_budget(purpose, model)
    return MeteredWriter(chat, purpose)


def can_write(purpose: Purpose, model: str = "") -> bool:
    """Whether there is a language model, and budget for it."""
    try:
        writer_for(purpose, model)
    except (NoEndpoint, BudgetSpent):
        return False
    return True


def embedder_for(name: str, purpose: Purpose, ahead: EmbeddingPrefetch | None = None) -> Embedder:
    """The user's embedder, for this purpose; an empty name means the site's default.

    Uses and records what `prefetch_embeddings` has started. Raises ModelError if it is
    unavailable; its calls raise BudgetSpent if they cost something and the budget is spent.
    """
    return MeteredEmbedder(current.embedder(name), purpose, ahead)


def earlier_embedder_for(
    model: tuple[str, str], purpose: Purpose, ahead: EmbeddingPrefetch | None = None
) -> Embedder:
    """The embedder of this name and version, which made earlier vectors, whether still offered or not.

    Raises ModelError like `embedder_for`.
    """
    return MeteredEmbedder(current.earlier_embedder(*model), purpose, ahead)


def prefetch_embeddings(
    name: str, texts: Callable[[EmbeddingModel], Sequence[str]], ahead: EmbeddingPrefetch
) -> None:
    """Start embedding texts that will be needed soon, if the model is free; `texts` returns them."""
    try:
        embedder = current.embedder(name)
    except ModelError:
        return  # the caller that needs the vectors gets the error
    ahead.expect(embedder, texts(embedder.model))


def prefetch_question(name: str, text: str, ahead: EmbeddingPrefetch) -> None:
    """Start embedding a question that will be needed soon, if the model is free."""
    with suppress(ModelError):  # the caller that needs the vector gets the error
        ahead.expect(current.embedder(name), text)


def embedding_model(name: str) -> EmbeddingModel:
    """The description of the user's embedding model, without calling it.

    Raises ModelError if it is unavailable.
    """
    return current.embedder(name).model


def is_available(name: str) -> bool:
    """Whether the embedding model with this name is offered and up."""
    try:
        return current.embedder(name).probe().state == "up"
    except ModelError:
        return False


def has_writer() -> bool:
    """Whether a language model is configured; it may still be unreachable or over budget."""
    return current.has_chat()


def extraction_model(chosen: str) -> str:
    """The extraction model: the user's choice, or the site's default."""
    return chosen or current.configuration().extraction_model


def price_of(model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """The price of these tokens in US dollars, or None if it is unknown."""
    return current.configuration().prices.cost_usd(model, input_tokens, output_tokens)


class MeteredWriter:
    """A `Completer` whose calls are checked against the budget and recorded, with secrets masked in
    prompts."""

    def __init__(self, chat: ChatGateway, purpose: Purpose) -> None:
        self._chat = chat
        self._purpose = purpose

    def complete(self, request: ChatRequest) -> Completion:
        """The whole reply to a prompt."""
        require_budget(self._purpose, request.model)
        return _recorded(self._purpose, lambda: self._chat.complete(_without_secrets(request)))

    def complete_json(self, request: ChatRequest, schema: JsonSchema, schema_name: str) -> Completion:
        """A reply meant to be JSON of this schema."""
        require_budget(self._purpose, request.model)
        masked = _without_secrets(request)
        return _recorded(self._purpose, lambda: self._chat.complete_json(masked, schema, schema_name))


class MeteredEmbedder:
    """An `Embedder` whose calls are checked against the budget and recorded. It returns prefetched vectors
    where there are any."""

    def __init__(self, embedder: Embedder, purpose: Purpose, ahead: EmbeddingPrefetch | None = None) -> None:
        self._embedder = embedder
        self._purpose = purpose
        self._embed = partial(ahead.take if ahead else embed, embedder)

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One vector per text, in order; makes no call for an empty list."""
        if not texts:
            return self._embedder.embed_documents(texts)
        require_budget(self._purpose, self.model.name)
        return _recorded(self._purpose, lambda: self._embed(texts))

    def embed_query(self, text: str) -> Embeddings:
        """One row for a question."""
        require_budget(self._purpose, self.model.name)
        return _recorded(self._purpose, lambda: self._embed(text))

    def probe(self) -> Probe:
        """Whether texts can be embedded now."""
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
