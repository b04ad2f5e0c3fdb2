"""Kills the web server, the worker, the scheduler and PostgreSQL with -9 while somebody uses everything;
afterwards everything is as after a life without kills.

`python -m tests.drills.kills KILLS SEED` runs in a PALACE_HOME of its own and prints what it found as JSON.
"""

import json
import os
import random
import socket
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
from typing import Any, TypeVar
from uuid import UUID

import django
import httpx2
import psutil

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
from memory.models import Forgetting, MiningProgress, Palace, Tombstone, Wing
from memory.search.embedding_backfill import has_work
from palace.embedded.server import EmbeddedDatabaseFailed
from tests.drills.chats import export
from tests.drills.factory import Factory, alive, factory, kill
from tests.drills.rows import Rows, differences, rows_of
from tests.palace.processes import servers, started
from transfer.imports import begin, receive
from transfer.models import ImportRun, Transfer
from transfer.transfers import begin_restore, file_of, receive_export, request_export

CHATS = 6
SAID = [f"I keep {number} hens and live in Porto." for number in range(6)]
FIRST_SAID = datetime(2026, 2, 1, 9, 0, tzinfo=UTC)
STEPS = ("import", "chat", "mining", "consolidation", "forgetting", "export", "restore")
MIN_IN_A_STEP, STEPS_OF_A_DRILL = 2, 60
"""At most so many kills fall into one step; if many are wanted, they fall into about so many steps."""
INTERRUPTED = 2
UP_AGAIN_S = 1.0
TIMEOUT_S = 240
COMMANDS = {
    "web": ("web",),
    "worker": ("worker", "--threads", "2"),
    "scheduler": ("scheduler", "--every", "0.5"),
}
VICTIMS = ("web", "worker", "worker", "scheduler", "postgres")
GONE = (DatabaseError, InterfaceError, EmbeddedDatabaseFailed)

T = TypeVar("T")


class NeverDone(Exception):
    """Something did not end in time; the message says what."""


@dataclass
class Report:
    """What was killed during what, how many lives it took, and what is wrong."""

    killed: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    asked_again: int = 0
    lives: int = 0
    wrong: list[str] = field(default_factory=list)

    def unreached(self) -> set[str]:
        """The steps in which nothing was killed so far."""
        return set(STEPS) - {place.split(" at ")[1] for place in self.killed}


class Killer(threading.Thread):
    """Keeps the processes alive, and ends some in each step at moments as random as the step is long."""

    def __init__(self, product: Factory, kills: int, chance: random.Random, report: Report) -> None:
        super().__init__(daemon=True)
        self.most = max(MIN_IN_A_STEP, kills // STEPS_OF_A_DRILL)
        self.product, self.chance, self.report = product, chance, report
        self.pids = {name: product.start(*command) for name, command in COMMANDS.items()}
        self.over, self.lock = threading.Event(), threading.Lock()
        self.deck: list[str] = []
        self.at, self.left, self.pause_s, self.due = "", 0, 0.0, 0.0

    def enter(self, step: str, usual_s: float) -> None:
        """From now on kill in this step, which takes about so long; in none if it is empty."""
        with self.lock:
            self.at, self.left = step, self.most if step else 0
            self.pause_s = usual_s * MIN_IN_A_STEP / self.most
            self.due = time.monotonic() + self.chance.uniform(0, self.pause_s)

    def run(self) -> None:
        """Kill what is due and start again what died, until it is over."""
        while not self.over.wait(0.02):
            with self.lock:
                if self.left and time.monotonic() >= self.due:
                    self._kill(self._victim())
            for name, command in COMMANDS.items():
                if not alive(self.pids[name]):
                    self.pids[name] = self.product.start(*command)

    def finish(self) -> None:
        """Kill no more, and leave only a worker that does what is queued."""
        self.over.set()
        self.join()
        for pid in self.pids.values():
            kill(pid)
        self.product.start(*COMMANDS["worker"])

    def _victim(self) -> str:
        self.deck = self.deck or self.chance.sample(VICTIMS, len(VICTIMS))
        return self.deck.pop()

    def _kill(self, name: str) -> None:
        """Counted if something lived until now."""
        if name == "postgres":
            found = servers(settings.EMBEDDED_DATABASE.folder / "data")
            hit = sum(map(killed, found)) > 0
        else:
            hit = alive(self.pids[name])
            kill(self.pids[name])
        if hit:
            self.report.killed[f"{name} at {self.at}"] += 1
            self.left -= 1
            self.due = time.monotonic() + UP_AGAIN_S + self.chance.uniform(0, self.pause_s)
        else:
            self.report.missed += 1


def killed(process: psutil.Process) -> bool:
    """Whether the process lived until this killed it."""
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return False
    return True


def insist(do: Callable[[], T], what: str) -> T:
    """What this returns once the database takes it, however often it went away."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return do()
        except GONE as gone:
            connection.close()
            if time.monotonic() > deadline:
                raise NeverDone(what) from gone
            time.sleep(0.2)


def until(is_so: Callable[[], bool], what: str) -> None:
    """Wait until this holds."""
    deadline = time.monotonic() + TIMEOUT_S
    while not insist(is_so, what):
        if time.monotonic() > deadline:
            raise NeverDone(what)
        time.sleep(0.1)


@dataclass
class Life:
    """A person who uses everything once; `enter` tells the killer what is under way."""

    name: str
    site: str
    enter: Callable[[str], None]
    acknowledged: list[str] = field(default_factory=list)
    asked_again: int = 0
    took: dict[str, float] = field(default_factory=dict)

    def lead(self) -> tuple[Rows, Rows, list[str]]:
        """Their rows, those of the account into which the export was restored, and what is wrong."""
        self.user, self.other = (self._account(f"{self.name}-{kind}") for kind in ("first", "second"))
        for step in STEPS:
            self.enter(step)
            began = time.monotonic()
            getattr(self, f"_do_{step}")()
            self.took[step] = time.monotonic() - began
        self.enter("")
        first, second = (
            self._as(user, partial(all_rows_of, user), "reading") for user in (self.user, self.other)
        )
        failed = (self._as(user, partial(failed_of, user), "counting") for user in (self.user, self.other))
        self.asked_again = sum(failed)
        return first, second, insist(self._wrong, "checking")

    def _account(self, name: str) -> UUID:
        def make() -> UUID:
            email = f"{name}@example.org"
            found = User.objects.filter(email=email).first()
            return (found or User.objects.create_user(email, agreed_at=timezone.now())).id

        return insist(make, "an account")

    def _as(self, user: UUID, do: Callable[[], T], what: str) -> T:
        def work() -> T:
            with tenant(user):
                return do()

        return insist(work, what)

    def _do_import(self) -> None:
        data = json.dumps(export(CHATS)).encode()
        self._as(self.user, lambda: self._received(data), "upload")

        def arrived() -> bool:
            with tenant(self.user):
                run = ImportRun.objects.get(user_id=self.user)
                if run.state == ImportRun.State.READY:
                    begin(run, timezone.now())
                return run.state == ImportRun.State.DONE

        until(arrived, "import")

    def _received(self, data: bytes) -> None:
        if not ImportRun.objects.filter(user_id=self.user).exists():
            receive(self.user, [data], timezone.now())

    def _do_mining(self) -> None:
        self._as(self.user, lambda: request_mining(self.user, timezone.now()), "asking for mining")

        def mined() -> bool:
            with tenant(self.user):
                return not unmined_messages(self.user)

        until(mined, "mining")

    def _do_chat(self) -> None:
        chat = self._post("conversations", {}, "chat")["id"]
        for number, words in enumerate(SAID):
            said_at = FIRST_SAID + timedelta(minutes=number)
            body = {"role": "user", "content": words, "said_at": said_at.isoformat()}
            self._post(f"conversations/{chat}/messages", body, f"message-{number}")
            self.acknowledged.append(words)

    def _do_consolidation(self) -> None:
        plan = self._post("consolidation/plan", {}, "plan")
        if plan.get("id"):
            run = self._get(f"consolidation/{plan['id']}")
            self._post(
                f"consolidation/{plan['id']}/apply", {"digest": run["digest"]}, "apply", done=(404, 409)
            )

    def _do_forgetting(self) -> None:
        wing = self._as(self.user, lambda: Wing.objects.order_by("ordinal")[0].id, "a wing")
        self._post("forget", {"kind": "wing", "id": str(wing)}, "forget", done=(404,))

    def _do_export(self) -> None:
        def asked() -> bytes | None:
            mine = Transfer.objects.filter(user_id=self.user, direction=Transfer.Direction.EXPORT)
            if ready := mine.filter(state=Transfer.State.DONE).first():
                path = file_of(ready, timezone.now())
                return path.read_bytes() if path else None
            request_export(self.user, timezone.now())
            return None

        found: list[bytes] = []

        def is_made() -> bool:
            with tenant(self.user):
                data = asked()
            found.extend([data] if data else [])
            return bool(found)

        until(is_made, "export")
        (self.export,) = found

    def _do_restore(self) -> None:
        state = Transfer.State

        def restored() -> bool:
            with tenant(self.other):
                mine = Transfer.objects.filter(user_id=self.other).order_by("-asked_at").first()
                if mine is None or mine.state == state.FAILED:
                    receive_export(self.other, [self.export], timezone.now())
                    return False
                if mine.state == state.READY:
                    begin_restore(mine, timezone.now())
                return mine.state == state.DONE

        until(restored, "restore")
        until(lambda: not self._as(self.other, partial(has_work, self.other), "vectors"), "vectors")

    def _wrong(self) -> list[str]:
        """Messages that were acknowledged and are lost or doubled, and jobs that are stuck."""
        with tenant(self.user):
            chat = Conversation.objects.get(user_id=self.user, source=Conversation.Source.API)
            kept = Message.objects.filter(user_id=self.user, conversation_id=chat.id, role="user")
            said = list(kept.order_by("sequence").values_list("content", flat=True))
            dead = MiningProgress.objects.filter(user_id=self.user, state="dead").count()
            Palace.objects.get(user_id=self.user)
        wrong = [] if said == self.acknowledged else [f"{len(said)} of {len(self.acknowledged)} messages"]
        return wrong + ([f"{dead} chats given up"] if dead else [])

    def _token(self) -> str:
        self.token = getattr(self, "token", "") or self._as(
            self.user,
            lambda: issue_token(self.user, f"{time.time()}", timezone.now(), tuple(SCOPES)),
            "a token",
        )
        return self.token

    def _get(self, path: str) -> dict[str, Any]:
        return self._asked("GET", path, None, "", ())

    def _post(self, path: str, body: Any, key: str, done: tuple[int, ...] = ()) -> dict[str, Any]:
        return self._asked("POST", path, body, f"{self.name}-{key}", done)

    def _asked(self, method: str, path: str, body: Any, key: str, done: tuple[int, ...]) -> dict[str, Any]:
        """The answer of the site, asked with the same key until it comes."""
        headers = {"Authorization": f"Bearer {self._token()}"} | ({"Idempotency-Key": key} if key else {})
        deadline = time.monotonic() + TIMEOUT_S
        last = ""
        while time.monotonic() < deadline:
            try:
                answer = httpx2.request(
                    method, f"{self.site}/api/v1/{path}", json=body, headers=headers, timeout=20
                )
            except httpx2.HTTPError as error:
                last = type(error).__name__
            else:
                if answer.status_code < 300 or answer.status_code in done:
                    return dict(answer.json())
                last = f"{answer.status_code} {answer.text[:200]}"
                if answer.status_code < 500 and answer.status_code not in (409, 429):
                    break
            time.sleep(0.2)
        raise NeverDone(f"{path}: {last}")


def all_rows_of(user: UUID) -> Rows:
    """What was mined of a person, the words of their chats, and what they forgot."""
    stones = Tombstone.objects.filter(user_id=user)
    forgotten = Forgetting.objects.filter(user_id=user)
    said = Message.objects.filter(user_id=user)
    return {
        **rows_of(user),
        "tombstones": sorted(stones.values_list("kind", flat=True)),
        "digests of forgotten words": sorted(
            bytes(digest) for digest in stones.filter(kind="text").values_list("digest", flat=True)
        ),
        "forgettings": sorted(map(repr, forgotten.values_list("scope", "counts"))),
        "words": sorted(
            map(repr, said.values_list("conversation__external_id", "sequence", "role", "content", "said_at"))
        ),
    }


def failed_of(user: UUID) -> int:
    """How many exports and restores of a person failed, so that they had to ask again."""
    return Transfer.objects.filter(user_id=user, state=Transfer.State.FAILED).count()


def drill(kills: int, seed: int) -> Report:
    """One life without kills, then lives with kills until there were enough, and some in every step."""
    report, chance = Report(), random.Random(seed)
    interrupt_migrations(chance, report)
    with product() as (made, site):
        killer = Killer(made, kills, chance, report)
        killer.start()
        wanted, usual_s = timed(site)
        while sum(report.killed.values()) < kills or report.unreached():
            report.lives += 1
            life = Life(f"life{report.lives}", site, lambda step: killer.enter(step, usual_s.get(step, 0)))
            compare(life, wanted, report)
            usual_s.update({step: min(seconds, life.took[step]) for step, seconds in usual_s.items()})
        killer.finish()
        until(nothing_waits, "the queue")
    return report


def timed(site: str) -> tuple[tuple[Rows, Rows], dict[str, float]]:
    """The rows of a life without kills, and how long its steps took."""
    clean = Life("clean", site, lambda step: None)
    first, second, wrong = clean.lead()
    assert not wrong, wrong
    return (first, second), clean.took


def compare(life: Life, wanted: tuple[Rows, Rows], report: Report) -> None:
    """Lead this life, and report how its rows differ from the wanted ones."""
    *found, wrong = life.lead()
    for whose, rows, others in zip(("first", "second"), wanted, found, strict=True):
        wrong += [f"{whose}: {line}" for line in differences(rows, others)]
    report.wrong += [f"{life.name}, {line}" for line in wrong]
    report.asked_again += life.asked_again
    took = ", ".join(f"{step} {seconds:.0f} s" for step, seconds in life.took.items())
    lines = [f"{life.name}: {sum(report.killed.values())} killed; {took}", *wrong]
    sys.stderr.write("\n".join(lines) + "\n")


def interrupt_migrations(chance: random.Random, report: Report) -> None:
    """Begin to migrate the empty database, and kill what does."""
    for _ in range(INTERRUPTED):
        with started("manage.py", "migrate", env=os.environ) as migrating:
            try:
                migrating.wait(chance.uniform(2, 12))
            except subprocess.TimeoutExpired:
                report.killed["manage.py at migration"] += 1


def nothing_waits() -> bool:
    """Whether no job waits or is worked on."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM dramatiq.queue WHERE state IN ('queued', 'consumed')")
        return cursor.fetchone() == (0,)


@contextmanager
def product() -> Iterator[tuple[Factory, str]]:
    """The migrated database, a factory of processes, and the address at which the site is served."""
    call_command("migrate", verbosity=0)
    connection.close()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with factory(os.environ | {"PORT": str(port), "PALACE_BIND": "127.0.0.1"}) as made:
        yield made, f"http://127.0.0.1:{port}"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(vars(drill(int(sys.argv[1]), int(sys.argv[2])))))
