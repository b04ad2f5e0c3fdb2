"""`doctor`: checks every part of an installation and says how to fix what is wrong."""

import json
import shutil
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import get_connection
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from llm import current
from llm.errors import ModelError
from llm.multilingual import network as multilingual
from llm.weights import WeightsUnusable
from memory.mining.reader import network as reader
from palace.embedded.location import EmbeddedDatabaseFailed
from palace.health import Part, check_parts, why_unusable
from palace.postgres.base import ANOTHER_KEY, as_owner
from palace.postgres.policies import is_protected, knows_another_key
from palace.preparation import missing_migrations

INDISPENSABLE = frozenset({"database", "migrations", "row-level security"})


class Command(BaseCommand):
    """Changes nothing. Exits with an error when Palace cannot run."""

    help = "Check the database, the queue, the models and the disk, and say how to fix what is wrong."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        parts = [*map(_tried, check_parts(with_reasons=True)), *_schema(), *_local_models(), _mail(), _disk()]
        if options["json"]:
            self.stdout.write(json.dumps([asdict(part) for part in parts]))
        else:
            for part in parts:
                self.stdout.write(f"{part.state:8}  {part.name:18}  {part.words}")
        down = [part.name for part in parts if part.state == "down"]
        if INDISPENSABLE.intersection(down):
            raise CommandError("Palace cannot run until this is fixed.")
        if down:
            self.stderr.write(f"Palace runs, but without what is down: {', '.join(down)}.")


def _tried(part: Part) -> Part:
    """The part, or what embedding a word says: the embedder itself only knows of this process's calls."""
    if part.name != "embedder" or part.state != "up":
        return part
    try:
        current.embedder().embed_query("Palace")
    except ModelError as failure:
        return Part(part.name, "down", str(failure))
    return Part(part.name, "up", "The embedding model answers.")


def _schema() -> Iterator[Part]:
    try:
        with as_owner():
            missing, protected = missing_migrations(), is_protected(connection)
            other_key = knows_another_key(connection)
    except (DatabaseError, EmbeddedDatabaseFailed) as error:
        for name in ("migrations", "row-level security"):
            yield Part(name, "degraded", f"Not checked: {why_unusable(error)}")
        return
    if missing:
        yield Part("migrations", "down", f"Migrations to apply: {missing}. Run `manage.py migrate`.")
    else:
        yield Part("migrations", "up", "All migrations are applied.")
    if other_key:
        yield Part("row-level security", "down", f"{ANOTHER_KEY[0].upper()}{ANOTHER_KEY[1:]}")
    elif protected:
        yield Part("row-level security", "up", "Each user sees only their own rows.")
    else:
        yield Part("row-level security", "down", "Its policies are missing. Run `manage.py migrate`.")


def _local_models() -> Iterator[Part]:
    home = current.site_configuration().models_home
    for name, find, installed in (
        ("reader", reader.find, "The built-in reader is installed."),
        ("multilingual model", multilingual.find, "The multilingual embedding model is installed."),
    ):
        try:
            find(home)
            yield Part(name, "up", installed)
        except WeightsUnusable as missing:
            yield Part(name, "degraded", str(missing))


def _mail() -> Part:
    """Whether the mail server lets Palace in; no email is sent."""
    if not settings.EMAIL_HOST:
        return Part("mail", "up", "Not configured: Palace sends no email.")
    server = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    try:
        with get_connection("django.core.mail.backends.smtp.EmailBackend"):
            return Part("mail", "up", f"{server} accepts this login. `sendtestemail` sends an email.")
    except (OSError, SMTPException) as error:
        return Part("mail", "degraded", f"{server} cannot be used: {error}")


def _disk() -> Part:
    free = shutil.disk_usage(Path(settings.PALACE_HOME)).free
    words = f"{free / 1e9:,.1f} GB free on the disk with PALACE_HOME."
    return Part("disk", "up" if free >= settings.MIN_FREE_MB * 1024**2 else "degraded", words)
