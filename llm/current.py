"""The models of this process: configured at start-up, created on first use, shared by all threads.

A user with an endpoint of their own gets its chat models instead, in their own work only.
Embedding models are the site's, because stored vectors depend on them.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from llm import weights
from llm.configuration import LOCAL, LlmConfiguration
from llm.embedding_models import BGE_SMALL, E5_SMALL, remote_model
from llm.errors import EmbedderUnavailable, NoEndpoint
from llm.gateway import ChatGateway, ChatRequest, Embedder
from llm.local_embedder import LOCAL_EMBEDDERS
from llm.metering import Bill
from llm.openai_embedder import OpenAIEmbedder
from llm.openai_format import chat_body
from llm.openai_gateway import OpenAIGateway
from llm.relay import Relay
from llm.types import EmbeddingModel, Usage

_NOT_OFFERED = "This installation does not offer that embedding model; choose another one in the settings."


@dataclass(slots=True)
class _Models:
    """A configuration and the models created from it so far, stand-ins included."""

    configuration: LlmConfiguration = field(default_factory=LlmConfiguration)
    chat: ChatGateway | None = None
    embedders: dict[str, Embedder] = field(default_factory=dict)
    earlier: dict[str, Embedder] = field(default_factory=dict)
    stand_ins: tuple[EmbeddingModel, ...] = ()
    default_embedder: str = BGE_SMALL.name


LOCAL_MODELS = (BGE_SMALL, E5_SMALL)
REMOTE_DEFAULT = "text-embedding-3-small"

ConfigurationSource = Callable[[LlmConfiguration], LlmConfiguration | None]

_lock = threading.RLock()
_models = _Models()


def _no_configuration(site: LlmConfiguration) -> LlmConfiguration | None:
    return None


_configuration_source: ConfigurationSource = _no_configuration
_cached_configuration: ContextVar[list[LlmConfiguration | None] | None] = ContextVar(
    "known_own", default=None
)


def register_configuration_source(source: ConfigurationSource) -> None:
    """Set the function that returns the current tenant's configuration, given the site's; None means the
    site's."""
    global _configuration_source
    _configuration_source = source


def configure(configuration: LlmConfiguration) -> None:
    """Use this configuration from now on, and drop the models of an earlier one."""
    chosen = configuration.embedding_model
    default = BGE_SMALL.name if chosen in {"", LOCAL} else chosen
    _replace_models(_Models(configuration=configuration, default_embedder=default))


@contextmanager
def own_configuration_read_once() -> Iterator[None]:
    """Ask for the current tenant's own configuration at most once inside this block, which must work for no
    other tenant."""
    token = _cached_configuration.set([])
    try:
        yield
    finally:
        _cached_configuration.reset(token)


def _tenant_configuration() -> LlmConfiguration | None:
    known = _cached_configuration.get()
    if known is None:
        return _configuration_source(_models.configuration)
    if not known:
        known.append(_configuration_source(_models.configuration))
    return known[0]


def configuration() -> LlmConfiguration:
    """The configuration in use: the current tenant's own, or the site's."""
    return _tenant_configuration() or _models.configuration


def site_configuration() -> LlmConfiguration:
    """The configuration of the site, whoever the current tenant is."""
    return _models.configuration


def fetch_local_model() -> None:
    """Download the local embedding model if this deployment embeds with it and it is missing.

    Raises EmbedderUnavailable with a sentence.
    """
    if _models.default_embedder != BGE_SMALL.name:
        return
    try:
        weights.install(_models.configuration.models_home)
    except weights.FetchFailed as failure:
        raise EmbedderUnavailable(str(failure), permanent=True) from failure


def chat() -> ChatGateway:
    """The chat model. Raises NoEndpoint if none is configured."""
    own = _tenant_configuration()
    if own is not None:
        return OpenAIGateway(own)
    with _lock:
        if _models.chat is None:
            if not _models.configuration.has_endpoint:
                raise NoEndpoint
            _models.chat = OpenAIGateway(_models.configuration)
        return _models.chat


def relay() -> Relay:
    """The relay for requests in the endpoint's own format. Raises NoEndpoint if none is configured."""
    settings = configuration()
    if not settings.has_endpoint:
        raise NoEndpoint
    return Relay(settings)


def has_chat() -> bool:
    """Whether a chat model is configured; it may be unreachable."""
    return _models.chat is not None or configuration().has_endpoint


def is_free(model: str) -> bool:
    """Whether a model is known to be free; an empty name means the chat model."""
    if model in LOCAL_EMBEDDERS:
        return True
    settings = configuration()
    return settings.prices.is_free(model or settings.chat_model)


def estimated_usage(
    request: ChatRequest, text: str, latency_ms: int, settings: LlmConfiguration | None = None
) -> Usage:
    """The estimated usage of a reply that ended before the endpoint reported any."""
    settings = settings or configuration()
    bill = Bill(chat_body(request, settings), settings.prices)
    return replace(bill.usage(None, text), latency_ms=latency_ms)


def embedder(name: str = "") -> Embedder:
    """The embedder of this model: "local" means the local one, "" the deployment's default.

    Raises EmbedderUnavailable for a model this deployment does not offer.
    """
    with _lock:
        wanted = {"": _models.default_embedder, LOCAL: BGE_SMALL.name}.get(name, name)
        if wanted not in _models.embedders:
            _models.embedders[wanted] = _create_embedder(wanted, _models.configuration)
        return _models.embedders[wanted]


def earlier_embedder(name: str, version: str) -> Embedder:
    """The embedder that created vectors under this name and version, whether still offered or not.

    Raises EmbedderUnavailable if it is known to be gone.
    """
    with _lock:
        if name in {model.name for model in available_embedding_models()}:
            found = embedder(name)
        else:
            found = _models.earlier.get(name) or _remote_embedder(name, _models.configuration)
            _models.earlier[name] = found
    if found.model.version != version:
        raise EmbedderUnavailable(_NOT_OFFERED, permanent=True)
    return found


def available_embedding_models() -> tuple[EmbeddingModel, ...]:
    """The models a user may choose from, the deployment's default first."""
    with _lock:
        offered = {model.name: model for model in _models.stand_ins}
        for model in _deployed_models(_models.configuration):
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
    """Replace models for a test, in every thread of the process, until the block ends.

    `embedder` becomes the default; `other_embedders` can be chosen by name.
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
    _replace_models(stand_ins)
    try:
        yield
    finally:
        _replace_models(before)


def _replace_models(models: _Models) -> None:
    global _models
    with _lock:
        _models = models


def _deployed_models(configuration: LlmConfiguration) -> tuple[EmbeddingModel, ...]:
    if not configuration.has_endpoint:
        return LOCAL_MODELS
    first = configuration.embedding_model or REMOTE_DEFAULT
    names = dict.fromkeys((first, *configuration.other_embedding_models))
    return (*LOCAL_MODELS, *(model for name in names if (model := remote_model(name))))


def _create_embedder(name: str, configuration: LlmConfiguration) -> Embedder:
    for model in _deployed_models(configuration):
        if model.name == name in LOCAL_EMBEDDERS:
            return LOCAL_EMBEDDERS[name](configuration.models_home)
        if model.name == name:
            return OpenAIEmbedder(configuration, model)
    raise EmbedderUnavailable(_NOT_OFFERED, permanent=True)


def _remote_embedder(name: str, configuration: LlmConfiguration) -> Embedder:
    model = remote_model(name) if configuration.has_endpoint else None
    if model is None:
        raise EmbedderUnavailable(_NOT_OFFERED, permanent=True)
    return OpenAIEmbedder(configuration, model)
