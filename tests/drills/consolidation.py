"""Kill a process with -9 during consolidation, and check the rows."""

import multiprocessing
import random
import time
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from uuid import UUID

import django
from django.apps import apps
from django.db import connection, transaction

if not apps.ready:  # in the fork server
    django.setup()

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from memory.consolidation.application import apply, store_plan, undo
from memory.consolidation.planning import plan
from memory.models import ConsolidationRun
from memory.placement import lock_palace
from tests.fake_gateway import FakeEmbedder
from tests.memory.consolidation.dumps import Dump, dump
from tests.memory.consolidation.facts import crowd
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=800)
TIMEOUT_S = 300
NEW_EACH_TIME = ("memory.factsource",)


@dataclass(frozen=True, slots=True)
class Report:
    """How many kills hit a busy process, and how often the rows were old, new or mixed afterwards."""

    killed: int
    old: int
    new: int
    mixed: int


@dataclass(frozen=True, slots=True)
class _CleanRun:
    """The rows before and after a consolidation, and how long it took."""

    before: Dump
    after: Dump
    seconds: float


def drill(facts: int, kills: int, seed: int = 1) -> Report:
    """One clean run and its undo, then kills at random moments of further runs."""
    chance = random.Random(seed)
    user_id = User.objects.create_user("tidy@example.org").id
    with tenant(user_id), current.using(embedder=FakeEmbedder()):
        crowd(user_id, facts, NOW)
        clean = _clean_run(user_id)
    found = [_kill_once(user_id, clean, chance) for _ in range(kills)]
    hit = [state for was_hit, state in found if was_hit]
    mixed = [state for _, state in found].count("mixed")
    return Report(len(hit), hit.count("old"), hit.count("new"), mixed)


def _clean_run(user_id: UUID) -> _CleanRun:
    before = dump(user_id)
    run = store_plan(user_id, plan(user_id, NOW))
    began = time.monotonic()
    apply(user_id, run.id, run.digest, NOW)
    seconds = time.monotonic() - began
    after = dump(user_id)
    undo(user_id, run.id, NOW)
    return _CleanRun(before, after, seconds)


def _kill_once(user_id: UUID, clean: _CleanRun, chance: random.Random) -> tuple[bool, str]:
    """Apply in another process and kill it; returns whether it was still working, and the state of the
    rows."""
    with tenant(user_id):
        run = store_plan(user_id, plan(user_id, NOW))
    process = _start_working(run)
    process.join(chance.uniform(0.0, 1.2 * clean.seconds))
    hit = process.exitcode is None
    process.kill()
    process.join(TIMEOUT_S)
    with tenant(user_id):
        with transaction.atomic():  # the server may still commit after its client was killed
            lock_palace(user_id)
        run.refresh_from_db()
        state = _state(dump(user_id), clean, run)
        if state == "new":
            undo(user_id, run.id, NOW)
    return hit, state


def _state(rows: Dump, clean: _CleanRun, run: ConsolidationRun) -> str:
    """Whether the rows are old, new or mixed. Rows with new ids in each plan are only counted."""
    applied = run.state == ConsolidationRun.State.APPLIED
    wanted = clean.after if applied else clean.before
    as_many = all(len(wanted[name]) == len(rows[name]) for name in NEW_EACH_TIME)
    same = all(rows[name] == wanted[name] for name in wanted if name not in NEW_EACH_TIME)
    if not (same and as_many):
        return "mixed"
    return "new" if applied else "old"


def _start_working(run: ConsolidationRun) -> ForkServerProcess:
    """Start a process and wait until it is connected, so that the kill hits its work and not its start."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    here, there = context.Pipe(duplex=False)
    address = {name: str(connection.settings_dict[name]) for name in ("NAME", "HOST", "PORT")}
    process = context.Process(target=_work, args=(address, run, there), daemon=True)
    process.start()
    if not here.poll(TIMEOUT_S):
        raise RuntimeError("The process never started.")
    return process


def _work(address: dict[str, str], run: ConsolidationRun, ready: Connection) -> None:
    connection.settings_dict.update(address)
    with tenant(run.user_id):
        connection.ensure_connection()
        ready.send_bytes(b"begun")
        apply(run.user_id, run.id, run.digest, NOW)
    connection.close()
