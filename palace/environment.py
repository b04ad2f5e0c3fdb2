"""Reads settings from environment variables and refuses wrong values with advice."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})


class Environment:
    """Typed access to a mapping of variables; an empty value means the default."""

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        self._variables = variables

    def text(self, name: str, default: str = "") -> str:
        """The value, stripped, or the default."""
        return self._variables.get(name, "").strip() or default

    def switch(self, name: str, *, default: bool) -> bool:
        """On or off."""
        value = self.text(name, "on" if default else "off").lower()
        if value in TRUE:
            return True
        if value in FALSE:
            return False
        raise ImproperlyConfigured(f"{name} must be `on` or `off`.")

    def number(self, name: str, default: int, *, low: int, high: int) -> int:
        """A whole number within bounds."""
        value = self.text(name, str(default))
        if not value.lstrip("-").isdecimal() or not low <= int(value) <= high:
            raise ImproperlyConfigured(f"{name} must be a whole number from {low} to {high}.")
        return int(value)

    def words(self, name: str, default: str = "") -> list[str]:
        """A list separated by commas."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def home(self, checkout: Path) -> Path:
        """PALACE_HOME: the folder of the embedded database, the models and uploads."""
        return Path(self.text("PALACE_HOME", str(checkout / ".palace"))).expanduser().resolve()

    def database(self) -> dict[str, Any] | None:
        """Django's settings for DATABASE_URL, or None to use the embedded server."""
        url = self.text("DATABASE_URL")
        if not url:
            return None
        advice = "DATABASE_URL must look like postgresql://user:password@host:5432/name."
        try:
            parts: dict[str, Any] = conninfo_to_dict(url)
        except psycopg.ProgrammingError as error:
            raise ImproperlyConfigured(advice) from error
        if not url.startswith(("postgres://", "postgresql://")) or not parts.get("dbname"):
            raise ImproperlyConfigured(advice)
        return {
            "NAME": parts.pop("dbname"),
            "USER": parts.pop("user", ""),
            "PASSWORD": parts.pop("password", ""),
            "HOST": parts.pop("host", ""),
            "PORT": str(parts.pop("port", "")),
            "OPTIONS": parts,
        }

    def redis(self) -> str:
        """REDIS_URL, checked; empty means that the queue lives in the database."""
        url = self.text("REDIS_URL")
        if url and not url.startswith(("redis://", "rediss://", "unix://")):
            raise ImproperlyConfigured("REDIS_URL must look like redis://host:6379/0.")
        return url

    def secret_key(self, home: Path) -> str:
        """SECRET_KEY, or one made on the first start and kept under PALACE_HOME."""
        given = self.text("SECRET_KEY")
        if given:
            return given
        path = home / "secret-key"
        home.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return path.read_text().strip()
        key = secrets.token_urlsafe(64)
        with os.fdopen(descriptor, "w") as file:
            file.write(key)
        return key
