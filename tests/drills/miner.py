"""A worker that can be killed: imports a file and mines it, in a process of its own.

The processes are forked from a server that has everything loaded and no connection open, so that
starting one takes milliseconds and a kill hits the work rather than the start of Python.
"""

import multiprocessing
import os
from datetime import datetime, timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from uuid import UUID

import django
from django.apps import apps

if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.run import IMPORT_SILENT, mine_user
from llm import current
from tests.fake_gateway import FakeEmbedder
from transfer.imports import import_file, run_of_file
from transfer.models import ImportRun

SLICE = timedelta(seconds=20)


def start(user_id: UUID, export: Path) -> ForkServerProcess:
    """A new worker process for this person; it ends by itself when nothing is left to do."""
    os.environ["DJANGO_SETTINGS_MODULE"] = settings.SETTINGS_MODULE
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=work, args=(address(), user_id, export), daemon=True)
    process.start()
    return process


def address() -> tuple[str, str, str]:
    """Name, host and port of the database of this process."""
    database = connection.settings_dict
    return str(database["NAME"]), str(database["HOST"]), str(database["PORT"])


def connect(there: tuple[str, str, str]) -> None:
    """Let this process use that database."""
    for name, value in zip(("NAME", "HOST", "PORT"), there, strict=True):
        connection.settings_dict[name] = value


def _soon() -> datetime:
    """When an import that was killed beside this one is taken for dead."""
    return timezone.now() + IMPORT_SILENT


def work(there: tuple[str, str, str], user_id: UUID, export: Path) -> None:
    """Import what is left of the export, then mine until nothing is due."""
    connect(there)
    with tenant(user_id), current.using(embedder=FakeEmbedder()):
        if not ImportRun.objects.filter(user_id=user_id, state=ImportRun.State.DONE).exists():
            with run_of_file(user_id, export, timezone.now()) as run:
                import_file(run, export, timezone.now)
        while mine_user(user_id, _soon, SLICE).unfinished:
            continue
    connection.close()
