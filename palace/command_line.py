"""Runs management commands: prepares the embedded database, and reports failures in one sentence."""

import os
import sys

import django
import redis
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line, get_commands
from django.db import InterfaceError, OperationalError
from dramatiq.errors import BrokerError

from llm.configuration import ConfigurationError
from palace.embedded.location import APPLICATION, EmbeddedDatabase, EmbeddedDatabaseFailed
from palace.embedded.server import is_shared
from palace.postgres.base import DatabaseNotPrepared
from palace.postgres.role import RoleNotPrepared
from palace.preparation import is_ready, missing_migrations, prepare_database

NO_DATABASE_NEEDED = ("palace", "django.")
EXPECTED_ERRORS = (
    ImproperlyConfigured,
    ConfigurationError,
    EmbeddedDatabaseFailed,
    DatabaseNotPrepared,
    RoleNotPrepared,
)


NO_ROLE = f'role "{APPLICATION}" does not exist'


def run(arguments: list[str]) -> None:
    """Run the command line `arguments`; exits with one sentence if that is impossible."""
    try:
        _prepare(arguments[1:])
        execute_from_command_line(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except EXPECTED_ERRORS as error:
        sys.exit(f"Palace cannot run: {error}")
    except (OperationalError, InterfaceError) as error:
        advice = "; run `manage.py migrate` first" if NO_ROLE in str(error) else ""
        sys.exit(f"The database cannot be used: {_first_line(error)}{advice}")
    except (redis.RedisError, BrokerError) as error:
        sys.exit(f"The job queue cannot be used: {_first_line(error)}")


def _prepare(arguments: list[str]) -> None:
    """Check the database before commands other than Django's and those that run the site; migrates the
    embedded one, unless another process, perhaps of an earlier version, uses it.

    Raises DatabaseNotPrepared.
    """
    if not arguments or {"-h", "--help"} & set(arguments):
        return
    django.setup()
    owner = get_commands().get(arguments[0], "")
    package = owner if isinstance(owner, str) else owner.__module__
    if not package or package.startswith(NO_DATABASE_NEEDED):
        return
    if settings.EMBEDDED_DATABASE is not None:
        _prepare_embedded(settings.EMBEDDED_DATABASE)
    elif missing_migrations():
        raise DatabaseNotPrepared("the database lacks migrations of this version; run `manage.py migrate`.")


def _prepare_embedded(database: EmbeddedDatabase) -> None:
    if is_ready():
        return
    if is_shared(database):
        raise DatabaseNotPrepared(
            "the database is in use with another version or SECRET_KEY: correct the key, or restart Palace, "
            "or stop it and run `manage.py migrate`."
        )
    prepare_database()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
