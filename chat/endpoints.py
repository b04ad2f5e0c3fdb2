"""A user's own model endpoint: where it is, its key, and which of its models to use.

It serves the work of its owner only: their replies, the mining of their chats and their programs. The key is
stored encrypted, with a key derived from the SECRET_KEY and the user, and is never shown again.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from time import monotonic
from urllib.parse import urlsplit
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken
from django.db import OperationalError, transaction
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.tenancy import current_scope
from chat.agents import agent_of, model_of
from chat.models import Conversation, ModelEndpoint
from llm import current
from llm.addresses import AddressRefused, resolve
from llm.configuration import LlmConfiguration
from llm.errors import ModelError, ModelRefused, ModelReplyInvalid
from llm.gateway import ChatRequest
from llm.metering import published_window
from llm.openai_client import UNREACHABLE
from llm.openai_gateway import OpenAIGateway
from llm.tokens import estimate_tokens
from llm.types import ChatMessage
from memory.changes.activity import record
from memory.models import ActivityEvent, Usage
from memory.preferences import change_preferences, preferences_of
from memory.upkeep_schedule import request_upkeep
from memory.usage.metering import MeteredWriter
from memory.usage.records import Purpose


@dataclass(frozen=True, slots=True)
class Preset:
    """A well-known kind of endpoint and its default URL; a `local` one runs on this machine."""

    name: str
    base_url: str
    local: bool = False


PRESETS = (
    Preset("OpenAI", "https://api.openai.com/v1"),
    Preset("OpenRouter", "https://openrouter.ai/api/v1"),
    Preset("Ollama", "http://127.0.0.1:11434/v1", local=True),
    Preset("LM Studio", "http://127.0.0.1:1234/v1", local=True),
    Preset("vLLM", "http://127.0.0.1:8000/v1", local=True),
)
NO_MODEL_LIST = _(
    "There is no list of models at this URL. Most endpoints have it at a URL that ends in /v1. If yours has "
    "none, enter the name of a model too."
)
NOT_LISTED = _(
    "This endpoint does not list “%(model)s”. Leave the model empty to choose among those that it lists."
)
NO_SERVER = _("Nothing answers at this URL. Check the port, and that the server is running.")
MODEL_LIST_TTL_S, TEST_TIMEOUT_S = 300.0, 10.0
KEY_REJECTED = 401
MIN_CHECKED_LENGTH, OVERHEAD_TOKENS = 2_000, 2_000
"""Shorter messages fit into any window; a prompt has about this many tokens besides the message."""
NO_MODELS = _("The endpoint offers no models. Install or load one there first.")
CHANGED_MEANWHILE = _("The endpoint was changed or removed during the test, so nothing was saved.")


_site_models: dict[str, tuple[float, Mapping[str, int | None]]] = {}
_last_known: dict[UUID, LlmConfiguration | None] = {}


class EndpointUnusable(ValueError):
    """The endpoint cannot be used; the message is shown to its owner."""


def endpoint_of(user_id: UUID) -> ModelEndpoint | None:
    """The user's own endpoint."""
    return ModelEndpoint.objects.filter(user_id=user_id).select_related("user").first()


def own_configuration(site: LlmConfiguration) -> LlmConfiguration | None:
    """The current tenant's own configuration; None if they use the site's.

    While the database is unreachable, the last one this process has seen is used.
    """
    user_id = current_scope().user_id
    if user_id is None:
        return None
    try:
        endpoint = endpoint_of(user_id)
    except OperationalError:
        if user_id not in _last_known:
            raise
        return _last_known[user_id]
    own = _last_known[user_id] = configuration_of(endpoint, site) if endpoint else None
    return own


def configuration_of(endpoint: ModelEndpoint, site: LlmConfiguration) -> LlmConfiguration:
    """The site's configuration with this endpoint. Only staff may reach private networks."""
    return replace(
        site,
        base_url=endpoint.base_url,
        api_key=decrypted_key(endpoint),
        chat_model=endpoint.chat_model,
        extraction_model=endpoint.chat_model,
        public_only=not endpoint.user.is_staff,
    )


def decrypted_key(endpoint: ModelEndpoint) -> str:
    """The key; empty if there is none, or if SECRET_KEY has changed since it was encrypted."""
    try:
        return _fernet(endpoint.user_id).decrypt(bytes(endpoint.secret)).decode()
    except InvalidToken:
        return ""


def connect(
    endpoint: ModelEndpoint, base_url: str, key: str, site: LlmConfiguration, now: datetime, model: str = ""
) -> ModelEndpoint:
    """Test the endpoint at this URL, and save it with the models it lists, or with the named `model` if it
    has no list. Without a key, the stored one is used, but only for its own URL.

    Raises EndpointUnusable, also if it does not list the named `model`, or if the endpoint was changed or
    removed during the test.
    """
    before = _settings_of(endpoint)
    if base_url == endpoint.base_url:
        key = key or decrypted_key(endpoint)
    else:
        endpoint.entered_windows, endpoint.chat_model = {}, ""
    endpoint.chat_model = model or endpoint.chat_model
    endpoint.base_url, endpoint.secret = base_url, _fernet(endpoint.user_id).encrypt(key.encode())
    has_list = _offer_models(endpoint, site, model)
    purpose = Purpose(endpoint.user_id, Usage.Source.CHAT, now)
    _test_reply(configuration_of(endpoint, site), purpose, must_answer=bool(model) or not has_list)
    endpoint.tested_at = now
    with transaction.atomic():
        stored = ModelEndpoint.objects.select_for_update().filter(user_id=endpoint.user_id).first()
        if _settings_of(stored or ModelEndpoint()) != before:
            raise EndpointUnusable(str(CHANGED_MEANWHILE))
        endpoint.save()
        if _settings_of(endpoint) != before:
            _record(endpoint, "changed" if stored else "connected", now)
        request_upkeep(endpoint.user_id)
        if preferences_of(endpoint.user_id).extraction_model not in endpoint.offered:
            change_preferences(endpoint.user_id, {"extraction_model": ""}, now)
    return endpoint


def set_context_window(endpoint: ModelEndpoint, model: str, window: int | None) -> None:
    """Set a model's context window if it changed; None if its owner does not know it."""
    if window == endpoint.offered[model]:
        return
    endpoint.offered[model] = window
    endpoint.entered_windows.pop(model, None)
    if window is not None:
        endpoint.entered_windows[model] = window
    endpoint.save(update_fields=("offered", "entered_windows"))


def choose_model(endpoint: ModelEndpoint, model: str, now: datetime) -> None:
    """Use this model of the endpoint for replies."""
    if model == endpoint.chat_model:
        return
    endpoint.chat_model = model
    with transaction.atomic():
        endpoint.save(update_fields=("chat_model",))
        _record(endpoint, "changed", now)


def models_for(user_id: UUID, max_age_s: float = MODEL_LIST_TTL_S) -> Mapping[str, int | None]:
    """The models that the user can choose, with their context windows; empty if the endpoint lists none. The
    list of the site's endpoint is cached for `max_age_s`."""
    endpoint = endpoint_of(user_id)
    if endpoint is not None:
        return dict(endpoint.offered)
    listed_at, models = _site_models.get(current.site_configuration().base_url, (-inf, {}))
    return models if monotonic() - listed_at < max_age_s else {}


def window_of(user_id: UUID, model: str) -> int | None:
    """The context window of a model in tokens, of the default one without a name; None if it is unknown.

    A model's window never changes, so a list of any age will do.
    """
    if not current.has_chat():
        return None
    configuration = current.configuration()
    name = model or configuration.chat_model
    listed = models_for(user_id, inf)
    found = listed.get(name) or listed.get(configuration.name_at_endpoint(name))
    return found or published_window(name)


def exceeds_window(conversation: Conversation, content: str) -> bool:
    """Whether a message exceeds the known context window of the chat's model."""
    if len(content) < MIN_CHECKED_LENGTH:
        return False
    window = window_of(conversation.user_id, model_of(conversation, agent_of(conversation)))
    return window is not None and estimate_tokens(content) + OVERHEAD_TOKENS > window


def list_site_models() -> None:
    """Ask the site's endpoint for its models, for `models_for`."""
    try:
        listed = current.chat().models()
    except ModelError:
        listed = {}
    _site_models[current.site_configuration().base_url] = (monotonic(), listed)


def disconnect(user_id: UUID, now: datetime) -> None:
    """Erase the endpoint and its key; the site's is used again."""
    endpoint = endpoint_of(user_id)
    with transaction.atomic():
        if endpoint is not None:
            _record(endpoint, "removed", now)
            endpoint.delete()
        change_preferences(user_id, {"extraction_model": ""}, now)


def _settings_of(endpoint: ModelEndpoint) -> tuple[str, str, str, dict[str, int]]:
    windows = dict(endpoint.entered_windows)
    return endpoint.base_url, decrypted_key(endpoint), endpoint.chat_model, windows


def _record(endpoint: ModelEndpoint, change: str, now: datetime) -> None:
    """Record an event with the host and the model; the key and the rest of the URL may be secret."""
    host = urlsplit(endpoint.base_url).netloc.rpartition("@")[2]
    details = {"change": change, "host": host, "model": endpoint.chat_model}
    record(endpoint.user_id, ActivityEvent.Kind.ENDPOINT, details, now)


def _offer_models(endpoint: ModelEndpoint, site: LlmConfiguration, named: str) -> bool:
    """Offer the models that the endpoint lists and choose one of them; False if it has no list and only
    offers the chosen one. Raises EndpointUnusable, also if the model that the user `named` is not listed."""
    listed = _list_models(configuration_of(endpoint, site), named)
    if listed and named and named not in listed:
        raise EndpointUnusable(NOT_LISTED % {"model": named})
    models = listed or {endpoint.chat_model: published_window(endpoint.chat_model)}
    endpoint.offered = {name: endpoint.entered_windows.get(name, models[name]) for name in models}
    if endpoint.chat_model not in models:
        default = site.name_at_endpoint(site.chat_model)
        endpoint.chat_model = default if default in models else next(iter(models))
    return bool(listed)


def _list_models(configuration: LlmConfiguration, named: str) -> dict[str, int | None]:
    """The models at an endpoint, also the `named` one if it embeds; empty if it has no list, but a model is
    configured. Raises EndpointUnusable."""
    try:
        resolve(configuration.base_url, private=not configuration.public_only)
        models = OpenAIGateway(configuration).models(named)
    except AddressRefused as refusal:
        raise EndpointUnusable(str(refusal)) from None
    except ModelError as failure:
        if configuration.chat_model and _has_no_list(failure):
            return {}
        raise EndpointUnusable(str(_describe_failure(failure))) from None
    if not models:
        raise EndpointUnusable(str(NO_MODELS))
    return models


def _test_reply(configuration: LlmConfiguration, purpose: Purpose, *, must_answer: bool) -> None:
    """Ask the model for a few words, because a list of models often needs no key.

    Raises EndpointUnusable if the key is rejected, or the request although the model `must_answer`. With
    another failure, the user can still choose another model, or wait until the model is loaded.
    """
    request = ChatRequest((ChatMessage("user", "Hi"),), max_tokens=16, timeout_s=TEST_TIMEOUT_S)
    try:
        MeteredWriter(OpenAIGateway(configuration), purpose).complete(request)
    except ModelRefused as refusal:
        if refusal.status == KEY_REJECTED or must_answer:
            raise EndpointUnusable(str(refusal)) from None
    except ModelError:
        return


def _has_no_list(failure: ModelError) -> bool:
    return isinstance(failure, ModelRefused) and failure.status in {404, 405}


def _describe_failure(failure: ModelError) -> "str | Promise":
    if _has_no_list(failure) or isinstance(failure, ModelReplyInvalid):
        return NO_MODEL_LIST
    return NO_SERVER if str(failure) == UNREACHABLE else str(failure)


def _fernet(user_id: UUID) -> Fernet:
    return Fernet(urlsafe_b64encode(salted_hmac("chat.endpoints", str(user_id), algorithm="sha256").digest()))
