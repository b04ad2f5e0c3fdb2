"""Which models a deployment uses, read from environment variables."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit

from llm.embedding_models import E5_SMALL, remote_model
from llm.metering import Price, PriceList

CHECKOUT = Path(__file__).resolve().parent.parent
CHECKOUT_MODELS = CHECKOUT / ".palace" / "models"
LOCAL = "local"
_OPENAI_HOST = "api.openai.com"
_HOME_NAMES = (".local", ".internal", ".lan", ".home.arpa")


class ConfigurationError(Exception):
    """A setting cannot be used; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class LlmConfiguration:
    """Where models are and which ones to use; all times in seconds.

    The defaults describe a deployment without an endpoint that embeds locally. Extractions and summaries, for
    which nobody waits, may take `background_timeout_s`, and a whole streamed reply `stream_timeout_s`. With
    `public_only`, no call connects to an address in a private network.
    """

    base_url: str = ""
    api_key: str = field(default="", repr=False)
    chat_model: str = "gpt-4o-mini"
    extraction_model: str = "openai/gpt-4o-mini"
    embedding_model: str = ""
    other_embedding_models: tuple[str, ...] = ()
    models_home: Path = CHECKOUT / ".palace" / "models"
    own_prices: Mapping[str, Price] = field(default_factory=dict)
    connect_timeout_s: float = 5.0
    reply_timeout_s: float = 30.0
    background_timeout_s: float = 300.0
    first_part_timeout_s: float = 120.0
    stall_timeout_s: float = 30.0
    stream_timeout_s: float = 1800.0
    query_embedding_timeout_s: float = 5.0
    public_only: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "LlmConfiguration":
        """The configuration in environment variables; empty ones count as unset.

        Raises ConfigurationError with advice if a value cannot be used.
        """
        defaults = cls()
        priced = map(str.strip, _value(environment, "MODEL_PRICES").split(","))
        return cls(
            base_url=_base_url(_value(environment, "OPENAI_BASE_URL")),
            api_key=_api_key(_value(environment, "OPENAI_API_KEY")),
            chat_model=_model_name(environment, "CHAT_MODEL") or defaults.chat_model,
            extraction_model=_model_name(environment, "EXTRACTION_MODEL") or defaults.extraction_model,
            embedding_model=_embedding_model(environment),
            other_embedding_models=_other_embedding_models(environment),
            models_home=_home(_value(environment, "PALACE_HOME")) / "models",
            own_prices=dict(_named_price(entry) for entry in priced if entry),
        )

    @property
    def has_endpoint(self) -> bool:
        """Whether there is a chat model to talk to."""
        return bool(self.base_url or self.api_key)

    @property
    def is_private(self) -> bool:
        """Whether the endpoint is on this machine or in a private network."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_private
        except ValueError:
            return bool(host) and ("." not in host or host.endswith(_HOME_NAMES))

    @property
    def prices(self) -> PriceList:
        """What calls cost. At a private endpoint, models without a published price are free."""
        return PriceList(self.own_prices, Decimal(0) if self.is_private else None)

    def name_at_endpoint(self, model: str) -> str:
        """The model's name at this endpoint: OpenAI itself does not know aggregators' "openai/" prefix."""
        if self.base_url and urlsplit(self.base_url).hostname != _OPENAI_HOST:
            return model
        return model.removeprefix("openai/")


def _value(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, "").strip()


def _base_url(value: str) -> str:
    if not value:
        return ""
    advice = "OPENAI_BASE_URL must be a URL such as http://127.0.0.1:11434/v1."
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(character.isspace() for character in value):
        raise ConfigurationError(advice)
    if parts.query or parts.fragment:
        raise ConfigurationError(f"{advice} Leave out what follows “?” or “#”.")
    return value.rstrip("/")


def _api_key(value: str) -> str:
    if not all("!" <= character <= "~" for character in value):
        raise ConfigurationError(
            "OPENAI_API_KEY contains a character that no key has: copy it again, without quotation marks, "
            "spaces or line breaks."
        )
    return value


def _model_name(environment: Mapping[str, str], variable: str) -> str:
    value = _value(environment, variable)
    if any(character.isspace() or not character.isprintable() for character in value):
        raise ConfigurationError(f"{variable} must be one model name without spaces, such as gpt-4o-mini.")
    return value


def _embedding_model(environment: Mapping[str, str]) -> str:
    value = _model_name(environment, "EMBEDDING_MODEL")
    if value in {"", LOCAL}:
        return ""
    if value == E5_SMALL.name:
        return value
    _check_known(environment, "EMBEDDING_MODEL", value)
    return value


def _other_embedding_models(environment: Mapping[str, str]) -> tuple[str, ...]:
    names = (name.strip() for name in _value(environment, "OTHER_EMBEDDING_MODELS").split(","))
    offered = tuple(name for name in names if name not in {"", LOCAL})
    for name in offered:
        _check_known(environment, "OTHER_EMBEDDING_MODELS", name)
    return offered


def _check_known(environment: Mapping[str, str], variable: str, name: str) -> None:
    if not (_value(environment, "OPENAI_BASE_URL") or _value(environment, "OPENAI_API_KEY")):
        raise ConfigurationError(
            f"{variable} names a model of an endpoint, but there is no endpoint: set OPENAI_BASE_URL or "
            "OPENAI_API_KEY, or EMBEDDING_MODEL=local."
        )
    if remote_model(name) is None:
        raise ConfigurationError(
            f"{variable} names an unknown model: append the number of its dimensions, as in some-model@768."
        )


def _named_price(entry: str) -> tuple[str, Price]:
    model, _, amounts = entry.rpartition("=")
    read, _, written = amounts.partition("/")
    try:
        price = Price(Decimal(read), Decimal(written or read))
        usable = price.input_usd >= 0 and price.output_usd >= 0
    except InvalidOperation:
        usable = False
    if not usable or not model.strip():
        raise ConfigurationError(
            "MODEL_PRICES must list US dollars per million input and output tokens, as in "
            "my-model=0.15/0.60, llama3.3=0."
        )
    return model.strip(), price


def _home(value: str) -> Path:
    if not value:
        return CHECKOUT / ".palace"
    home = Path(value).expanduser().absolute()
    if home.exists() and not home.is_dir():
        raise ConfigurationError("PALACE_HOME must be a folder, but it is a file.")
    return home
