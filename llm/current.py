"""The models of this process: configured once at start, made on first use, shared by threads."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from llm.configuration import LOCAL, LlmConfiguration
from llm.embedding_models import BGE_SMALL, remote_model
from llm.errors import EmbedderUnavailable, NoEndpoint
from llm.gateway import ChatGateway, ChatRequest, Embedder
from llm.local_embedder import LocalEmbedder
from llm.openai_embedder import OpenAIEmbedder
from llm.openai_gateway import OpenAIGateway
from llm.relay import OpenAIRelay, Relay
from llm.tokens import estimate_tokens
from llm.types import EmbeddingModel, Usage

_GONE = "This installation does not offer that embedding model; choose another in the settings."


@dataclass(slots=True)
class _Models:
    """A configuration with the models made of it so far, stand-ins included."""

    configuration: LlmConfiguration = field(default_factory=LlmConfiguration)
    chat: ChatGateway | None = None
    embedders: dict[str, Embedder] = field(default_factory=dict)
    earlier: dict[str, Embedder] = field(default_factory=dict)
    stand_ins: tuple[EmbeddingModel, ...] = ()
    default_embedder: str = BGE_SMALL.name


_lock = threading.RLock()
_models = _Models()


def configure(configuration: LlmConfiguration) -> None:
    """Use this configuration from now on; models made of an earlier one are let go."""
    chosen = configuration.embedding_model
    default = BGE_SMALL.name if chosen in {"", LOCAL} else chosen
    _use(_Models(configuration=configuration, default_embedder=default))


def configuration() -> LlmConfiguration:
    """The configuration in use."""
    return _models.configuration


def chat() -> ChatGateway:
    """The chat model; raises NoEndpoint when none is configured."""
    with _lock:
        if _models.chat is None:
            if not _models.configuration.has_endpoint:
                raise NoEndpoint
            _models.chat = OpenAIGateway(_models.configuration)
        return _models.chat


def relay() -> Relay:
    """The way to the endpoint for requests in its own shape; raises NoEndpoint when none is
    configured."""
    if not _models.configuration.has_endpoint:
        raise NoEndpoint
    return OpenAIRelay(_models.configuration)


def has_chat() -> bool:
    """Whether there is a chat model; it may be away all the same."""
    with _lock:
        return _models.chat is not None or _models.configuration.has_endpoint


def costs_nothing(model: str) -> bool:
    """Whether a model is known to cost nothing; an empty name means the chat model."""
    if model == BGE_SMALL.name:
        return True
    return _models.configuration.prices.is_free(model or _models.configuration.chat_model)


def estimated_usage(request: ChatRequest, text: str, latency_ms: int) -> Usage:
    """What a reply took that ended before the endpoint said so: the tokens are our estimate."""
    settings = _models.configuration
    model = settings.name_at_endpoint(request.model or settings.chat_model)
    read = sum(estimate_tokens(message.content) for message in request.messages)
    written = estimate_tokens(text)
    cost = settings.prices.cost_usd(model, read, written)
    return Usage(model, read, written, latency_ms, cost, estimated=True)


def embedder(name: str = "") -> Embedder:
    """The embedder of this model, the local one for "local", the deployment's own for "".

    Raises EmbedderUnavailable for a model this deployment does not offer.
    """
    with _lock:
        wanted = {"": _models.default_embedder, LOCAL: BGE_SMALL.name}.get(name, name)
        if wanted not in _models.embedders:
            _models.embedders[wanted] = _made(wanted, _models.configuration)
        return _models.embedders[wanted]


def earlier_embedder(name: str, version: str) -> Embedder:
    """The embedder that made vectors under this name and version, offered or not: the endpoint may
    still have it. Raises EmbedderUnavailable when it is known to be gone."""
    with _lock:
        if name in {model.name for model in available_embedding_models()}:
            found = embedder(name)
        else:
            found = _models.earlier.get(name) or _remote(name, _models.configuration)
            _models.earlier[name] = found
    if found.model.version != version:
        raise EmbedderUnavailable(_GONE, permanent=True)
    return found


def available_embedding_models() -> tuple[EmbeddingModel, ...]:
    """The models a person may choose from, the deployment's own first."""
    with _lock:
        offered = {model.name: model for model in _models.stand_ins}
        for model in _deployed(_models.configuration):
            offered.setdefault(model.name, model)
        default = offered.pop(_models.default_embedder)
        return (default, *offered.values())


@contextmanager
def using(
    *,
    chat: ChatGateway | None = None,
    embedder: Embedder | None = None,
    other_embedders: Sequence[Embedder] = (),
) -> Iterator[None]:
    """Stand-ins for tests, seen by every thread of the process until the block ends.

    `embedder` becomes the deployment's own; `other_embedders` can be chosen by name.
    """
    before = _models
    embedders = [*([embedder] if embedder else []), *other_embedders]
    stand_ins = replace(
        before,
        chat=chat or before.chat,
        embedders=before.embedders | {each.model.name: each for each in embedders},
        stand_ins=(*(each.model for each in embedders), *before.stand_ins),
        default_embedder=embedder.model.name if embedder else before.default_embedder,
    )
    _use(stand_ins)
    try:
        yield
    finally:
        _use(before)


def _use(models: _Models) -> None:
    global _models
    with _lock:
        _models = models


def _deployed(configuration: LlmConfiguration) -> tuple[EmbeddingModel, ...]:
    if not configuration.has_endpoint:
        return (BGE_SMALL,)
    first = configuration.embedding_model or configuration.openai_embedding_model
    names = dict.fromkeys((first, *configuration.other_embedding_models))
    return (BGE_SMALL, *(model for name in names if (model := remote_model(name))))


def _made(name: str, configuration: LlmConfiguration) -> Embedder:
    for model in _deployed(configuration):
        if model.name == name == BGE_SMALL.name:
            return LocalEmbedder(configuration.models_home)
        if model.name == name:
            return OpenAIEmbedder(configuration, model)
    raise EmbedderUnavailable(_GONE, permanent=True)


def _remote(name: str, configuration: LlmConfiguration) -> Embedder:
    model = remote_model(name) if configuration.has_endpoint else None
    if model is None:
        raise EmbedderUnavailable(_GONE, permanent=True)
    return OpenAIEmbedder(configuration, model)
