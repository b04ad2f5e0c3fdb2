"""Kill workers with -9 while they import and mine what the sweep has queued, and compare the rows with
those of a clean run."""

import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.test.utils import override_settings
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.mining.run import unmined_messages
from tests.database import variables_of
from tests.drills.chats import export
from tests.drills.factory import Factory, alive, factory, kill
from tests.drills.rows import Rows, differences, rows_of
from transfer.imports import STALLED_AFTER, begin, receive
from transfer.models import ImportRun

SWEEP = ("scheduler", "--every", "0.5")
WORKER = ("worker", "--threads", "2")
TIMEOUT_S = 900
CHECK_EVERY_S = 0.05
MIN_S_LENGTH = 0.3


class TimedOut(Exception):
    """The work did not end in time."""


@dataclass(frozen=True, slots=True)
class Report:
    """The size of the clean run, how many kills hit a working worker in how many runs, and how the rows
    differ."""

    drawers: int
    facts: int
    killed: int
    runs: int
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """An uploaded export; done when all of it is imported and mined."""

    user_id: UUID
    run_id: UUID

    def done(self) -> bool:
        """Whether everything is done. Confirms the import after the upload was checked."""
        with tenant(self.user_id):
            found = ImportRun.objects.get(user_id=self.user_id, id=self.run_id)
            if found.state == ImportRun.State.READY:
                begin(found, _long_ago())
            return found.state == ImportRun.State.DONE and not unmined_messages(self.user_id)

    def rows(self) -> Rows:
        """The rows of the user."""
        with tenant(self.user_id):
            return rows_of(self.user_id)


def drill(conversations: int, kills: int, seed: int = 1) -> Report:
    """One clean run, one with two workers, then runs with kills until there were enough; each for a new
    user whose rows are compared with those of the clean run."""
    chance = random.Random(seed)
    data = json.dumps(export(conversations)).encode()
    with _product() as product:
        clean, clean_s = _run_without_kills(product, "clean", data, workers=1)
        two, _ = _run_without_kills(product, "two", data, workers=2)
        others, killed = {"two at once": two}, 0
        longest_s = MIN_S_LENGTH + 3 * clean_s / kills
        for workers, wanted in ((1, kills // 2), (2, kills)):
            while killed < wanted:
                name = f"{workers} killed {len(others)}"
                others[name] = work = _upload(name.replace(" ", "-"), data)
                killed += _kill(product, work, workers, wanted - killed, chance, longest_s)
                _finish(product, work, 1)
        found = {name: work.rows() for name, work in others.items()}
        wanted_rows = clean.rows()
    lines = [f"{name}: {line}" for name, left in found.items() for line in differences(wanted_rows, left)]
    counts = (len(wanted_rows["drawers"]), len(wanted_rows["facts"]))
    return Report(*counts, killed, len(others), tuple(lines))


def _run_without_kills(product: Factory, name: str, data: bytes, *, workers: int) -> tuple[Work, float]:
    work = _upload(name, data)
    started = time.monotonic()
    _finish(product, work, workers)
    return work, time.monotonic() - started


def _finish(product: Factory, work: Work, workers: int) -> None:
    pids = [product.start(*WORKER) for _ in range(workers)]
    deadline = time.monotonic() + TIMEOUT_S
    while not work.done():
        if time.monotonic() > deadline or not all(map(alive, pids)):
            raise TimedOut
        time.sleep(CHECK_EVERY_S)
    for pid in pids:
        kill(pid)


def _kill(
    product: Factory, work: Work, workers: int, most: int, chance: random.Random, longest_s: float
) -> int:
    """Start workers and kill each at a random moment, until the work is done or `most` were killed while
    working; returns how many were."""
    killed = 0
    while killed < most:
        pids = [product.start(*WORKER) for _ in range(workers)]
        for pid in pids:
            _wait(work, chance.uniform(MIN_S_LENGTH, MIN_S_LENGTH + longest_s))
            at_work = alive(pid) and not work.done()
            kill(pid)
            killed += at_work
        if work.done():
            break
    return killed


def _wait(work: Work, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not work.done():
        time.sleep(CHECK_EVERY_S)


def _upload(name: str, data: bytes) -> Work:
    user_id = User.objects.create_user(f"{name}@example.org").id
    with tenant(user_id):
        return Work(user_id, receive(user_id, [data], _long_ago()).id)


def _long_ago() -> datetime:
    """Long enough ago that the next sweep queues the upload."""
    return timezone.now() - STALLED_AFTER - timedelta(seconds=1)


@contextmanager
def _product() -> Iterator[Factory]:
    """A running sweep, and workers on demand, on the database of this process."""
    with TemporaryDirectory() as home:
        environment = {
            **variables_of(connection.settings_dict["NAME"]),
            "DJANGO_SETTINGS_MODULE": "tests.drills.settings",
            "PALACE_HOME": home,
            "PATH": os.environ["PATH"],
        }
        with (
            override_settings(MEDIA_ROOT=Path(home) / settings.MEDIA_ROOT.name),
            factory(environment) as product,
        ):
            product.start(*SWEEP)
            yield product
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM dramatiq.queue")
