"""Kill the web server, two workers, the scheduler and PostgreSQL with -9 while a user uses every feature; the
result must be that of a run without kills.

`python -m tests.drills.kills KILLS SEED` runs in a separate PALACE_HOME and prints its report as JSON.
"""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any, TypeVar
from uuid import UUID

import django
import httpx2

if __name__ == "__main__":
    django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from accounts.models import SCOPES, User
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from chat.mining.run import request_mining, unmined_messages
from chat.models import Conversation, Message
from memory.models import Forgetting, MiningProgress, Tombstone, Wing
from memory.search.embedding_backfill import has_work
from palace.embedded.server import EmbeddedDatabaseFailed
from tests.browser.site import free_port
from tests.drills.chats import export
from tests.drills.factory import COMMANDS, Factory, alive, factory, kill
from tests.drills.rows import Rows, differences, rows_of
from tests.palace.processes import servers, started
from transfer.imports import receive
from transfer.models import ImportRun, Transfer
from transfer.transfers import file_of, receive_export, request_export

CHATS = 12
SAID = [f"I keep {number} hens and live in Porto." for number in range(6)]
FIRST_SAID = datetime(2026, 2, 1, 9, 0, tzinfo=UTC)
STEPS = ("import", "chat", "mining", "consolidation", "forgetting", "export", "restore")
MIN_IN_A_STEP, STEPS_OF_A_DRILL = 2, 60
"""The most kills in one step, and the number of steps over which many kills are distributed."""
INTERRUPTED = 2
UP_AGAIN_S = 1.0
TIMEOUT_S = 240
VICTIMS = ("web", "worker", "second worker", "scheduler", "postgres")
UNAVAILABLE = (DatabaseError, InterfaceError, EmbeddedDatabaseFailed)

T = TypeVar("T")


@dataclass
class Report:
    """What was killed during which step, and what is wrong."""

    killed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def unreached(self) -> set[str]:
        """The steps without a kill so far."""
        return set(STEPS) - {place.split(" at ")[1] for place in self.killed}


class Killer(threading.Thread):
    """Keeps the processes running, and kills some in each step at random moments."""

    def __init__(self, product: Factory, kills: int, chance: random.Random, report: Report) -> None:
        super().__init__(daemon=True)
        self.most = max(MIN_IN_A_STEP, kills // STEPS_OF_A_DRILL)
        self.product, self.chance, self.report = product, chance, report
        self.pids = {name: product.start(*command) for name, command in COMMANDS.items()}
        self.over, self.lock = threading.Event(), threading.Lock()
        self.deck: list[str] = []
        self.usual_s: dict[str, float] = {}
        self.at, self.left, self.pause_s, self.due = "", 0, 0.0, 0.0

    def enter(self, step: str) -> None:
        """Start killing in this step; stop if the step is empty."""
        with self.lock:
            self.at, self.left = step, self.most if step else 0
            self.pause_s = self.usual_s.get(step, 0) * MIN_IN_A_STEP / self.most
            self.due = time.monotonic() + self.chance.uniform(0, self.pause_s)

    def run(self) -> None:
        """Kill when due and restart dead processes, until `finish` is called."""
        while not self.over.wait(0.02):
            with self.lock:
                if self.left and time.monotonic() >= self.due:
                    self._kill()
            for name, command in COMMANDS.items():
                if not alive(self.pids[name]):
                    self.pids[name] = self.product.start(*command)

    def finish(self) -> None:
        """Stop killing, and leave only a worker that processes the queue."""
        self.over.set()
        self.join()
        for pid in self.pids.values():
            kill(pid)
        self.product.start(*COMMANDS["worker"])

    def _kill(self) -> None:
        """Kill a process; counted only if it was alive."""
        self.deck = self.deck or self.chance.sample(VICTIMS, len(VICTIMS))
        name = self.deck.pop()
        if name == "postgres":
            data = settings.EMBEDDED_DATABASE.folder / "data"
            hit = sum(kill(each.pid, wait=False) for each in servers(data)) > 0
        else:
            hit = kill(self.pids[name])
        if hit:
            self.report.killed[f"{name} at {self.at}"] += 1
            self.left -= 1
            self.due = time.monotonic() + UP_AGAIN_S + self.chance.uniform(0, self.pause_s)


def retry_until_available(do: Callable[[], T]) -> T:
    """Call a function until the database is available, and return its result."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return do()
        except UNAVAILABLE:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def until(is_so: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + TIMEOUT_S
    while not retry_until_available(is_so):
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.1)


@dataclass
class UserRun:
    """A user who uses every feature once; `enter` tells the killer the current step."""

    name: str
    site: str
    enter: Callable[[str], None]
    took: dict[str, float] = field(default_factory=dict)

    def execute(self) -> tuple[Rows, Rows, list[str]]:
        """Run all steps; returns the user's rows, those of the account with the restored export, and what
        is wrong."""
        self.user, self.other = (self._account(f"{self.name}-{kind}") for kind in ("first", "second"))
        self.token = self._as(
            self.user, lambda: issue_token(self.user, f"{time.time()}", timezone.now(), tuple(SCOPES))
        )
        for step in STEPS:
            self.enter(step)
            began = time.monotonic()
            getattr(self, f"_do_{step}")()
            self.took[step] = time.monotonic() - began
        self.enter("")
        first, second = (self._as(user, partial(all_rows_of, user)) for user in (self.user, self.other))
        return first, second, self._as(self.user, self._wrong)

    def _account(self, name: str) -> UUID:
        def make() -> UUID:
            email = f"{name}@example.org"
            found = User.objects.filter(email=email).first()
            return (found or User.objects.create_user(email, agreed_at=timezone.now())).id

        return retry_until_available(make)

    def _as(self, user: UUID, do: Callable[[], T]) -> T:
        def work() -> T:
            with tenant(user):
                return do()

        return retry_until_available(work)

    def _until(self, user: UUID, is_so: Callable[[], bool]) -> None:
        until(lambda: self._as(user, is_so))

    def _do_import(self) -> None:
        data = json.dumps(export(CHATS)).encode()

        def arrived() -> bool:
            run = ImportRun.objects.filter(user_id=self.user).first()
            if run is None:
                receive(self.user, [data], timezone.now())
                return False
            if run.state == ImportRun.State.READY:
                run.begin(timezone.now())
            return run.state == ImportRun.State.DONE

        self._until(self.user, arrived)

    def _do_mining(self) -> None:
        self._as(self.user, lambda: request_mining(self.user, timezone.now()))
        self._until(self.user, lambda: not unmined_messages(self.user))

    def _do_chat(self) -> None:
        chat = self._post("conversations", {}, "chat")["id"]
        for number, words in enumerate(SAID):
            said_at = FIRST_SAID + timedelta(minutes=number)
            body = {"role": "user", "content": words, "said_at": said_at.isoformat()}
            self._post(f"conversations/{chat}/messages", body, f"message-{number}")

    def _do_consolidation(self) -> None:
        plan = self._post("consolidation/plan", {}, "plan")
        if plan.get("id"):
            path = f"consolidation/{plan['id']}"
            digest = self._request("GET", path, None, {})["digest"]
            self._post(f"{path}/apply", {"digest": digest}, "apply", done=(404, 409))

    def _do_forgetting(self) -> None:
        wing = self._as(self.user, lambda: Wing.objects.order_by("ordinal")[0].id)
        self._post("forget", {"kind": "wing", "id": str(wing)}, "forget", done=(404,))

    def _do_export(self) -> None:
        def is_made() -> bool:
            mine = Transfer.objects.filter(user_id=self.user, direction=Transfer.Direction.EXPORT)
            if ready := mine.filter(state=Transfer.State.DONE).first():
                path = file_of(ready, timezone.now())
                self.export = path.read_bytes() if path else b""
                return bool(path)
            request_export(self.user, timezone.now())
            return False

        self._until(self.user, is_made)

    def _do_restore(self) -> None:
        state = Transfer.State

        def restored() -> bool:
            mine = Transfer.objects.filter(user_id=self.other).order_by("-requested_at").first()
            if mine is None or mine.state == state.FAILED:
                receive_export(self.other, [self.export], timezone.now())
                return False
            if mine.state == state.READY:
                mine.begin(timezone.now())
            return mine.state == state.DONE

        self._until(self.other, restored)
        self._until(self.other, lambda: not has_work(self.other))

    def _wrong(self) -> list[str]:
        """Acknowledged messages that are lost or duplicated, and dead letters."""
        chat = Conversation.objects.get(user_id=self.user, source=Conversation.Source.API)
        kept = Message.objects.filter(user_id=self.user, conversation_id=chat.id, role="user")
        said = list(kept.order_by("sequence").values_list("content", flat=True))
        dead = MiningProgress.objects.filter(user_id=self.user, state="dead").count()
        wrong = [] if said == SAID else [f"{len(said)} of {len(SAID)} messages"]
        return wrong + ([f"{dead} chats given up"] if dead else [])

    def _post(self, path: str, body: Any, key: str, done: tuple[int, ...] = ()) -> dict[str, Any]:
        return self._request("POST", path, body, {"Idempotency-Key": f"{self.name}-{key}"}, done)

    def _request(
        self, method: str, path: str, body: Any, headers: dict[str, str], done: tuple[int, ...] = ()
    ) -> dict[str, Any]:
        """Repeat a request with the same key until it succeeds."""
        url, headers = f"{self.site}/api/v1/{path}", {"Authorization": f"Bearer {self.token}", **headers}
        deadline = time.monotonic() + TIMEOUT_S
        last = ""
        while time.monotonic() < deadline:
            try:
                answer = httpx2.request(method, url, json=body, headers=headers, timeout=20)
            except httpx2.HTTPError as error:
                last = type(error).__name__
            else:
                if answer.status_code < 300 or answer.status_code in done:
                    return dict(answer.json())
                last = f"{answer.status_code} {answer.text[:200]}"
                if answer.status_code < 500 and answer.status_code not in (409, 429):
                    break
            time.sleep(0.2)
        raise TimeoutError(f"{path}: {last}")


def all_rows_of(user: UUID) -> Rows:
    """The mined rows of a user, their messages, and their forgettings."""
    tombstones = Tombstone.objects.filter(user_id=user)
    forgotten = Forgetting.objects.filter(user_id=user)
    said = Message.objects.filter(user_id=user)
    return {
        **rows_of(user),
        "tombstones": sorted(tombstones.values_list("kind", flat=True)),
        "digests of forgotten words": sorted(
            bytes(digest) for digest in tombstones.filter(kind="text").values_list("digest", flat=True)
        ),
        "forgettings": sorted(map(repr, forgotten.values_list("scope", "counts"))),
        "words": sorted(
            map(repr, said.values_list("conversation__external_id", "sequence", "role", "content", "said_at"))
        ),
    }


def drill(kills: int, seed: int) -> Report:
    """One run without kills, then runs with kills until there were enough, with some in every step."""
    report, chance = Report(), random.Random(seed)
    interrupt_migrations(chance, report)
    with product() as (made, site):
        killer = Killer(made, kills, chance, report)
        killer.start()
        clean = UserRun("clean", site, lambda step: None)
        *wanted, wrong = clean.execute()
        assert not wrong, wrong
        killer.usual_s = dict(clean.took)
        for life in count(1):
            run = UserRun(f"life{life}", site, killer.enter)
            report.wrong += compare(run, wanted)
            sys.stderr.write(f"{run.name}: {sum(report.killed.values())} killed; {run.took}\n")
            if sum(report.killed.values()) >= kills and not report.unreached():
                break
            killer.usual_s = {step: min(usual, run.took[step]) for step, usual in killer.usual_s.items()}
        killer.finish()
        until(nothing_waits)
    return report


def compare(run: UserRun, wanted: list[Rows]) -> list[str]:
    """Execute a run, and return how its rows differ from the expected ones."""
    *found, wrong = run.execute()
    for whose, rows, others in zip(("first", "second"), wanted, found, strict=True):
        wrong += [f"{whose}: {line}" for line in differences(rows, others)]
    return [f"{run.name}, {line}" for line in wrong]


def interrupt_migrations(chance: random.Random, report: Report) -> None:
    """Start to migrate the empty database, and kill the migration."""
    for _ in range(INTERRUPTED):
        with started("manage.py", "migrate", env=os.environ) as migrating:
            try:
                migrating.wait(chance.uniform(2, 12))
            except subprocess.TimeoutExpired:
                report.killed["manage.py at migration"] += 1


def nothing_waits() -> bool:
    """Whether no job is queued or running."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM dramatiq.queue WHERE state IN ('queued', 'consumed')")
        return cursor.fetchone() == (0,)


@contextmanager
def product() -> Iterator[tuple[Factory, str]]:
    """Migrate the database; yields a factory of processes and the URL of the site."""
    call_command("migrate", verbosity=0)
    connection.close()
    port = free_port()
    with factory(os.environ | {"PORT": str(port), "PALACE_BIND": "127.0.0.1"}) as made:
        yield made, f"http://127.0.0.1:{port}"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(vars(drill(int(sys.argv[1]), int(sys.argv[2])))))
