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
from tests.drills.factory import COMMANDS, Factory, alive, factory, kill
from tests.drills.rows import Rows, differences, rows_of
from transfer.file_jobs import STALLED_AFTER
from transfer.imports import receive
from transfer.models import ImportRun

TIMEOUT_S = 900
CHECK_EVERY_S = 0.05
MIN_S_LENGTH = 0.3


@dataclass(frozen=True, slots=True)
class Report:
    """The size of the clean run, how many kills hit a busy worker, and how the rows differ."""

    drawers: int
    facts: int
    killed: int
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """An uploaded export; done when all of it is imported and mined."""

    product: Factory
    user_id: UUID

    def start(self, workers: int) -> list[int]:
        """Start workers; returns their pids."""
        return [self.product.start(*COMMANDS["worker"]) for _ in range(workers)]

    def is_done(self) -> bool:
        """Whether everything is done. Confirms the import after the upload was checked."""
        with tenant(self.user_id):
            found = ImportRun.objects.get(user_id=self.user_id)
            if found.state == ImportRun.State.READY:
                found.begin(_long_ago())
            return found.state == ImportRun.State.DONE and not unmined_messages(self.user_id)

    def wait(self, seconds: float) -> bool:
        """Wait until everything is done, but at most some seconds; returns whether it is."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.is_done():
            time.sleep(CHECK_EVERY_S)
        return self.is_done()

    def finish(self, workers: int = 1) -> float:
        """Let workers do the remaining work; returns how many seconds it took."""
        began, pids = time.monotonic(), self.start(workers)
        assert self.wait(TIMEOUT_S), "the work did not end in time"
        took = time.monotonic() - began
        assert all(map(alive, pids)), "a worker ended"
        for pid in pids:
            kill(pid)
        return took

    def kill(self, workers: int, most: int, chance: random.Random, longest_s: float) -> int:
        """Start workers and kill each at a random moment, until the work is done or `most` were killed
        while working; returns how many were."""
        killed = 0
        while killed < most and not self.is_done():
            for pid in self.start(workers):
                is_done = self.wait(chance.uniform(MIN_S_LENGTH, MIN_S_LENGTH + longest_s))
                killed += alive(pid) and not is_done
                kill(pid)
        return killed

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
        clean = _upload(product, "clean", data)
        longest_s = MIN_S_LENGTH + 3 * clean.finish() / kills
        two = _upload(product, "two", data)
        two.finish(workers=2)
        others, killed = {"two at once": two}, 0
        for workers, wanted in ((1, kills // 2), (2, kills)):
            while killed < wanted:
                name = f"{workers}-killed-{len(others)}"
                others[name] = work = _upload(product, name, data)
                killed += work.kill(workers, wanted - killed, chance, longest_s)
                work.finish()
    rows = clean.rows()
    lines = [f"{name}: {line}" for name, work in others.items() for line in differences(rows, work.rows())]
    return Report(len(rows["drawers"]), len(rows["facts"]), killed, tuple(lines))


def _upload(product: Factory, name: str, data: bytes) -> Work:
    user_id = User.objects.create_user(f"{name}@example.org").id
    with tenant(user_id):
        receive(user_id, [data], _long_ago())
    return Work(product, user_id)


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
            product.start(*COMMANDS["scheduler"])
            yield product
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM dramatiq.queue")
