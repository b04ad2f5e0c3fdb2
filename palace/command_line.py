"""Runs management commands: prepares the embedded database, and says failures in a sentence."""

import sys
from typing import NoReturn

import django
import redis
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line, get_commands
from django.db import OperationalError
from dramatiq.errors import BrokerError

from llm.configuration import ConfigurationError
from palace.embedded.errors import EmbeddedDatabaseFailed
from palace.postgres.base import DatabaseNotPrepared
from palace.postgres.role import RoleNotPrepared
from palace.preparation import prepare_database

INTERRUPTED = 130
OUR_PACKAGES = frozenset({"accounts", "memory", "chat", "api", "bench"})
IN_WORDS = (
    ImproperlyConfigured,
    ConfigurationError,
    EmbeddedDatabaseFailed,
    DatabaseNotPrepared,
    RoleNotPrepared,
)


def run(arguments: list[str]) -> None:
    """Run the command line `arguments`; exits with a sentence when it cannot be done."""
    try:
        _prepare(arguments[1:])
        execute_from_command_line(arguments)
    except IN_WORDS as error:
        _stop(f"Palace cannot go on: {error}")
    except OperationalError as error:
        _stop(f"The database cannot be used: {_first_line(error)}")
    except (redis.RedisError, BrokerError) as error:
        _stop(f"The queue of background jobs cannot be used: {_first_line(error)}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _prepare(words: list[str]) -> None:
    """Bring the embedded database up to date before one of our commands needs its tables."""
    if not words or {"-h", "--help"} & set(words):
        return
    django.setup()
    owner = get_commands().get(words[0], "")
    package = owner if isinstance(owner, str) else owner.__module__
    if settings.EMBEDDED_DATABASE is not None and package in OUR_PACKAGES & _installed():
        prepare_database()


def _installed() -> set[str]:
    return {configuration.name for configuration in apps.get_app_configs()}


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _stop(sentence: str) -> NoReturn:
    sys.exit(sentence)
