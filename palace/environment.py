"""Reads settings from environment variables and rejects invalid values with advice."""

import ipaddress
import os
import secrets
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import psycopg
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email
from psycopg.conninfo import conninfo_to_dict

from palace.embedded.location import make_private, write_once

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})
MIN_TOKEN_LENGTH = 16
MIN_KEY_LENGTH = 50
MIN_KEY_CHARACTERS = 5
MAX_DOLLARS = 1_000_000


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
        if value in TRUE:
            return True
        if value in FALSE:
            return False
        raise ImproperlyConfigured(f"{name} must be `on` or `off`.")

    def choice(self, name: str, values: tuple[str, ...]) -> str:
        """One of `values`, by default the first."""
        value = self.text(name, values[0]).lower()
        if value not in values:
            raise ImproperlyConfigured(f"{name} must be one of: {', '.join(values)}.")
        return value

    def number(self, name: str, default: int, *, low: int, high: int) -> int:
        try:
            value = int(self.text(name, str(default)))
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise ImproperlyConfigured(f"{name} must be a whole number from {low} to {high}.")
        return value

    def money(self, name: str) -> Decimal | None:
        """An amount of US dollars, None if unset."""
        value = self.text(name)
        try:
            amount = Decimal(value) if value else None
            usable = amount is None or 0 <= amount <= MAX_DOLLARS
        except InvalidOperation:
            usable = False
        if not usable:
            raise ImproperlyConfigured(f"{name} must be an amount of US dollars such as 5 or 2.50.")
        return amount

    def words(self, name: str, default: str = "") -> list[str]:
        """A comma-separated list."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def hosts(self, name: str, default: str) -> list[str]:
        """Host names without scheme, port or path."""
        hosts = self.words(name, default)
        if any("/" in host or _has_port(host) for host in hosts):
            raise ImproperlyConfigured(
                f"{name} must list host names such as palace.example.org, without https:// or port."
            )
        return hosts

    def origins(self, name: str) -> list[str]:
        """Origins: a scheme and a host, and nothing after that."""
        origins = self.words(name)
        if any(not _is_origin(origin) for origin in origins):
            raise ImproperlyConfigured(f"{name} must list addresses such as https://palace.example.org.")
        return origins

    def languages(self, name: str, default: str) -> list[tuple[str, str]]:
        """Language codes with the languages' own names; the first is the default."""
        codes = [code.lower() for code in self.words(name, default)]
        if any("name_local" not in LANG_INFO.get(code, {}) for code in codes):
            raise ImproperlyConfigured(
                f"{name} must list language codes that Django knows, such as en-gb,de,ar."
            )
        return [(code, str(LANG_INFO[code]["name_local"])) for code in codes]

    def address(self, name: str, default: str) -> str:
        """An IP address to listen on."""
        try:
            return str(ipaddress.ip_address(self.text(name, default)))
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name} must be an IP address such as 127.0.0.1 (this machine only) or 0.0.0.0."
            ) from error

    def networks(self, name: str) -> list[str]:
        networks = self.words(name)
        try:
            return [str(ipaddress.ip_network(network)) for network in networks]
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name} must list IP addresses or networks such as 127.0.0.1,10.0.0.0/8; anyone else who "
                "reaches this server could forge X-Forwarded headers."
            ) from error

    def token(self, name: str) -> str:
        """A secret of sufficient length, empty if unset."""
        value = self.text(name)
        if value and len(value) < MIN_TOKEN_LENGTH:
            raise ImproperlyConfigured(
                f"{name} must have at least {MIN_TOKEN_LENGTH} characters; `openssl rand -hex 32` prints one."
            )
        return value

    def rsa_key(self, name: str) -> str:
        """An RSA key in PEM format, empty if unset."""
        value = self.text(name)
        try:
            usable = not value or isinstance(load_pem_private_key(value.encode(), None), RSAPrivateKey)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            usable = False
        if not usable:
            raise ImproperlyConfigured(
                f"{name} must be an RSA key in PEM format, unencrypted; `openssl genrsa 2048` prints one."
            )
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
        if home.exists() and not home.is_dir():
            raise ImproperlyConfigured("PALACE_HOME must be a folder, but it is a file.")
        return home

    def database(self, name: str) -> dict[str, Any] | None:
        """Django's database settings for the URL in this variable, None if it is unset."""
        url = self.text(name)
        if not url:
            return None
        advice = f"{name} must look like postgresql://user:password@host:5432/name."
        try:
            parts: dict[str, Any] = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise ImproperlyConfigured(advice) from None  # the original message quotes the password
        if (
            not url.startswith(("postgres://", "postgresql://"))
            or not parts.get("dbname")
            or not parts.get("user")
        ):
            raise ImproperlyConfigured(advice)
        return {
            "NAME": parts.pop("dbname"),
            "USER": parts.pop("user"),
            "PASSWORD": parts.pop("password", ""),
            "HOST": parts.pop("host", ""),
            "PORT": str(parts.pop("port", "")),
            "OPTIONS": parts,
        }

    def redis(self) -> str:
        """REDIS_URL; empty if the queue lives in the database."""
        url = self.text("REDIS_URL")
        if url and not url.startswith(("redis://", "rediss://", "unix://")):
            raise ImproperlyConfigured("REDIS_URL must look like redis://host:6379/0.")
        return url

    def secret_key(self, home: Path) -> str:
        """SECRET_KEY, or a key created on the first start and kept in PALACE_HOME."""
        given = self.text("SECRET_KEY")
        if given and (len(given) < MIN_KEY_LENGTH or len(set(given)) < MIN_KEY_CHARACTERS):
            raise ImproperlyConfigured(
                f"SECRET_KEY must have at least {MIN_KEY_LENGTH} random characters; "
                "`openssl rand -base64 48` prints one."
            )
        if given:
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


def _has_port(host: str) -> bool:
    return "]:" in host if host.startswith("[") else ":" in host


def _is_origin(origin: str) -> bool:
    scheme, separator, host = origin.partition("://")
    return scheme in {"http", "https"} and bool(separator and host) and "/" not in host
