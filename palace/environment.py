"""Reads settings from environment variables and rejects invalid values with advice."""

import ipaddress
import os
import re
import secrets
from collections.abc import Callable, Mapping
from decimal import Decimal
from email.utils import parseaddr
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email
from psycopg.conninfo import conninfo_to_dict

from palace.embedded.location import make_private, write_once

SWITCH = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)
ORIGIN = re.compile("https?://[^/]+")
MIN_TOKEN_LENGTH = 16
MIN_KEY_LENGTH = 50
MIN_KEY_CHARACTERS = 5
LOCAL = frozenset({"127.0.0.1", "::1"})
MAX_DOLLARS = 1_000_000
INVALID = (ValueError, TypeError, ArithmeticError, UnsupportedAlgorithm, psycopg.ProgrammingError)
T = TypeVar("T")


class Environment:
    """Typed access to environment variables; an empty value means the default.

    Methods raise ImproperlyConfigured with advice but without the value, which may be a secret.
    """

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        self._variables = variables
        self.names: set[str] = set()

    def unknown(self, prefix: str) -> list[str]:
        """The variables with this prefix that nobody has asked for."""
        return sorted(name for name in self._variables if name.startswith(prefix) and name not in self.names)

    def text(self, name: str, default: str = "") -> str:
        """The value, stripped, or the default."""
        self.names.add(name)
        return self._variables.get(name, "").strip() or default

    def switch(self, name: str, *, default: bool) -> bool:
        value = self.text(name, "on" if default else "off").lower()
        return _read(SWITCH.get, value, f"{name} must be `on` or `off`.")

    def choice(self, name: str, values: tuple[str, ...]) -> str:
        """One of `values`, by default the first."""
        value = self.text(name, values[0]).lower()
        _require(value in values, f"{name} must be one of: {', '.join(values)}.")
        return value

    def number(self, name: str, default: int, *, low: int, high: int) -> int:
        advice = f"{name} must be a whole number from {low} to {high}."
        value = _read(int, self.text(name, str(default)), advice)
        _require(low <= value <= high, advice)
        return value

    def money(self, name: str) -> Decimal | None:
        """An amount of US dollars, None if unset."""
        advice = f"{name} must be an amount of US dollars such as 5 or 2.50."
        if not (value := self.text(name)):
            return None
        amount = _read(Decimal, value, advice)
        _require(amount.is_finite() and 0 <= amount <= MAX_DOLLARS, advice)
        return amount

    def words(self, name: str, default: str = "") -> list[str]:
        """A comma-separated list."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def hosts(self, name: str, default: str) -> list[str]:
        """Host names without scheme, port or path."""
        hosts = self.words(name, default)
        _require(
            not any("/" in host or _has_port(host) for host in hosts),
            f"{name} must list host names such as palace.example.org, without https:// or port.",
        )
        return hosts

    def origins(self, name: str) -> list[str]:
        """Origins: a scheme and a host, and nothing after that."""
        origins = self.words(name)
        _require(
            all(ORIGIN.fullmatch(origin) for origin in origins),
            f"{name} must list addresses such as https://palace.example.org.",
        )
        return origins

    def languages(self, name: str, default: str) -> list[tuple[str, str]]:
        """Language codes with the languages' own names; the first is the default."""
        codes = [code.lower() for code in self.words(name, default)]
        names = {code: LANG_INFO.get(code, {}).get("name_local") for code in codes}
        _require(
            all(names.values()), f"{name} must list language codes that Django knows, such as en-gb,de,ar."
        )
        return list(names.items())

    def address(self, name: str, default: str) -> str:
        """An IP address to listen on."""
        advice = f"{name} must be an IP address such as 127.0.0.1 (this machine only) or 0.0.0.0."
        return str(_read(ipaddress.ip_address, self.text(name, default), advice))

    def networks(self, name: str) -> list[str]:
        advice = (
            f"{name} must list IP addresses or networks such as 127.0.0.1,10.0.0.0/8; anyone else who "
            "reaches this server could forge X-Forwarded headers."
        )
        return [str(_read(ipaddress.ip_network, network, advice)) for network in self.words(name)]

    def token(self, name: str) -> str:
        """A secret of sufficient length, empty if unset."""
        value = self.text(name)
        _require(
            not value or len(value) >= MIN_TOKEN_LENGTH,
            f"{name} must have at least {MIN_TOKEN_LENGTH} characters; `openssl rand -hex 32` prints one.",
        )
        return value

    def rsa_key(self, name: str) -> str:
        """An RSA key in PEM format, empty if unset."""
        advice = f"{name} must be an RSA key in PEM format, unencrypted; `openssl genrsa 2048` prints one."
        if value := self.text(name):
            key = _read(lambda text: load_pem_private_key(text.encode(), None), value, advice)
            _require(isinstance(key, RSAPrivateKey), advice)
        return value

    def sender(self, name: str, default: str) -> str:
        """An email address, with or without a name before it."""
        value = self.text(name, default)
        try:
            validate_email(parseaddr(value)[1])
        except ValidationError:
            raise ImproperlyConfigured(
                f"{name} must look like Palace <palace@example.org> or palace@example.org."
            ) from None
        return value

    def home(self, checkout: Path) -> Path:
        """PALACE_HOME: the folder of the embedded database, models and uploads."""
        home = Path(self.text("PALACE_HOME", str(checkout / ".palace"))).expanduser().resolve()
        _require(home.is_dir() or not home.exists(), "PALACE_HOME must be a folder, but it is a file.")
        return home

    def database(self, name: str) -> dict[str, Any] | None:
        """Django's database settings for the URL in this variable, None if it is unset."""
        if not (url := self.text(name)):
            return None
        advice = f"{name} must look like postgresql://user:password@host:5432/name."
        parts: dict[str, Any] = _read(conninfo_to_dict, url, advice)
        is_complete = parts.get("dbname") and parts.get("user")
        _require(url.startswith(("postgres://", "postgresql://")) and is_complete, advice)
        return {
            "NAME": parts.pop("dbname"),
            "USER": parts.pop("user"),
            "PASSWORD": parts.pop("password", ""),
            "HOST": parts.pop("host", ""),
            "PORT": str(parts.pop("port", "")),
            "OPTIONS": parts,
        }

    def owner(self, name: str, application: str) -> dict[str, Any] | None:
        """The login in this variable, None if it is unset. It must lead to the database that the variable
        `application` names: otherwise migrations would change another one. Only the port may differ, for a
        connection pooler between the application and the database."""
        if (owner := self.database(name)) is None:
            return None
        other = self.database(application) or {}
        _require(other, f"{name} needs {application}, which names the same database with another login.")
        wanted = _place(other)
        differing = [f"the {part}" for part, value in _place(owner).items() if value != wanted[part]]
        _require(
            not differing,
            f"{name} must name the same host and database as {application}, but they differ in "
            f"{' and '.join(differing)}.",
        )
        return {part.lower(): owner[part] for part in ("USER", "PASSWORD", "PORT") if owner[part]}

    def redis(self) -> str:
        """REDIS_URL; empty if the queue lives in the database."""
        url = self.text("REDIS_URL")
        is_valid = not url or url.startswith(("redis://", "rediss://", "unix://"))
        _require(is_valid, "REDIS_URL must look like redis://host:6379/0.")
        return url

    def secret_key(self, home: Path) -> str:
        """SECRET_KEY, or a key created on the first start and kept in PALACE_HOME."""
        if given := self.text("SECRET_KEY"):
            _require(
                len(given) >= MIN_KEY_LENGTH and len(set(given)) >= MIN_KEY_CHARACTERS,
                f"SECRET_KEY must have at least {MIN_KEY_LENGTH} random characters; "
                "`openssl rand -base64 48` prints one.",
            )
            return given
        path = home / "secret-key"
        try:
            make_private(home)
            if not path.exists():
                write_once(path, secrets.token_urlsafe(64))
            return path.read_text()
        except OSError as error:
            raise ImproperlyConfigured(
                f"PALACE_HOME must be a folder that this account can write to ({error.strerror}: {path})."
            ) from error


def _place(database: Mapping[str, str]) -> dict[str, str]:
    """Where a database is."""
    host = database.get("HOST", "").lower()
    return {
        "host": "localhost" if host in LOCAL else host,
        "database": database.get("NAME", ""),
    }


def _require(condition: object, advice: str) -> None:
    if not condition:
        raise ImproperlyConfigured(advice)


def _read(parse: Callable[[str], T | None], text: str, advice: str) -> T:
    """Parse a text. Raises ImproperlyConfigured with `advice`; the original message may quote a password."""
    try:
        value = parse(text)
    except INVALID:
        value = None
    if value is None:
        raise ImproperlyConfigured(advice)
    return value


def _has_port(host: str) -> bool:
    return "]:" in host if host.startswith("[") else ":" in host
